# value is in the charset of the site: text.encode('EUC-JP')
def encode_value(value)
  value.b.gsub(%r{[^A-Za-z0-9\-._~!$'()*,:@/?]}n) { |c| format('%%%02X', c.ord) }
end
