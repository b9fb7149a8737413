// $bytes is in the charset of the site: mb_convert_encoding($text, 'EUC-JP', 'UTF-8')
function encode_value(string $bytes): string
{
    return preg_replace_callback('#[^A-Za-z0-9\-._~!$\'()*,:@/?]#',
        function ($m) { return sprintf('%%%02X', ord($m[0])); }, $bytes);
}
