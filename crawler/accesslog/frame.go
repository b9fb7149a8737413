package accesslog

import "bytes"

// months are the names of months in logs, English in every locale.
const months = "JanFebMarAprMayJunJulAugSepOctNovDec"

// strip returns a line without what Docker, CRI, a syslog (RFC 3164, RFC 5424, and as rsyslog and
// HAProxy write it) puts around it, and keeps its time for a line without one.
func (p *parser) strip(b []byte) []byte {
	if i := bytes.IndexByte(b[:min(len(b), 64)], '|'); i > 2 && b[i-2] == ' ' && isHost(bytes.TrimRight(b[:i], " ")) {
		b = bytes.TrimPrefix(b[i+1:], []byte(" ")) // docker compose logs
	}
	if len(b) == 0 {
		return b
	}
	if text, end := jsonString(b, 7); end > 0 && bytes.HasPrefix(b, []byte(`{"log":`)) {
		return bytes.TrimRight(p.plain('\\', text), "\r\n")
	}
	rest := b
	if b[0] == '<' { // a priority
		i := bytes.IndexByte(b[:min(5, len(b))], '>')
		rest = b[i+1:]
		if text, ok := bytes.CutPrefix(rest, []byte("1 ")); ok && i > 0 {
			return structured(text)
		}
	}
	n := p.stamp(rest)
	if n == 0 {
		return b
	}
	rest = rest[n:]
	if head := string(rest[:min(9, len(rest))]); head == "stdout F " || head == "stderr F " {
		return rest[9:]
	}
	if bytes.HasPrefix(rest, []byte("{")) { // docker logs -t
		return rest
	}
	// A host, which may be missing, and a tag that ends with a colon.
	for range 2 {
		word, line, ok := bytes.Cut(rest, []byte(" "))
		rest = bytes.TrimLeft(line, " ")
		if ok && bytes.HasSuffix(word, []byte(":")) {
			return rest
		}
	}
	p.framed = 0
	return b
}

// stamp returns the length of the time that a frame begins with, and what ends it; 0 where there is
// none: "Nov 3 13:05:06 ", which has no year, or "2026-11-03T04:05:06.123Z ".
func (p *parser) stamp(b []byte) int {
	if len(b) < 24 {
		return 0
	}
	if b[3] == ' ' && b[9] == ':' && b[12] == ':' && b[15] == ' ' &&
		bytes.Contains([]byte(months), b[:3]) {
		return 16
	}
	i := 19 + bytes.IndexByte(b[19:min(len(b), 40)], ' ')
	if b[4] != '-' || b[10] != 'T' || i < 19 {
		return 0
	}
	at, ok := p.clock.parse(b[:i])
	if !ok {
		return 0
	}
	p.framed = at
	return i + 1
}

// structured skips time, host, program, process, kind and structured data (RFC 5424, 6); nothing where
// no message follows.
func structured(line []byte) []byte {
	b, end, ok := line, "- ", false
	for range 5 {
		_, b, _ = bytes.Cut(b, []byte(" "))
	}
	if bytes.HasPrefix(b, []byte("[")) {
		end = "] "
	}
	if _, b, ok = bytes.Cut(b, []byte(end)); !ok {
		return line
	}
	return bytes.TrimPrefix(b, []byte("\uFEFF"))
}
