# $bytes is in the charset of the site: Encode::encode('euc-jp', $text)
sub encode_value {
    my ($bytes) = @_;
    $bytes =~ s{([^A-Za-z0-9\-._~!\$'()*,:\@/?])}{sprintf '%%%02X', ord $1}ge;
    return $bytes;
}
