# value is bytes in the charset of the site: text.encode("euc-jp"); a str is taken as UTF-8
from urllib.parse import quote

def encode_value(value):
    return quote(value, safe="-._~!$'()*,:@/?")
