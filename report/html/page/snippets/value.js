// value is a Uint8Array in the charset of the site; a string is taken as UTF-8
function encodeValue(value) {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  let out = '';
  for (const b of bytes) {
    const c = String.fromCharCode(b);
    out += /[A-Za-z0-9\-._~!$'()*,:@\/?]/.test(c) ? c : '%' + b.toString(16).toUpperCase().padStart(2, '0');
  }
  return out;
}
