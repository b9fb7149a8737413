package accesslog

import "bytes"

// A column is the use of a field of a W3C log.
type column uint8

const (
	columnOther column = iota
	columnDate
	columnTime
	columnClient
	columnMethod
	columnStem
	columnQuery
	columnURI
	columnStatus
	columnAgent
	columnHost
	columnHostFirst // takes precedence over the other host columns
)

// columns are the names of fields in the extended log file format (W3C WD-logfile-960323), in IIS
// and in CloudFront.
var columns = map[string]column{
	"date": columnDate, "time": columnTime, "c-ip": columnClient, "cs-method": columnMethod,
	"cs-uri-stem": columnStem, "cs-uri-query": columnQuery, "cs-uri": columnURI,
	"sc-status": columnStatus, "cs(User-Agent)": columnAgent,
	"cs-host": columnHost, "cs(Host)": columnHost, "x-host-header": columnHostFirst,
}

// header parses a line that begins with #. #Fields names the columns of the lines that follow, and
// may occur anywhere again.
func (p *parser) header(b []byte) {
	rest, ok := bytes.CutPrefix(b, []byte("#Fields:"))
	if !ok {
		return
	}
	p.columns, p.edge = nil, false
	for name := range bytes.FieldsSeq(rest) {
		p.edge = p.edge || string(name) == "x-edge-location"
		p.columns = append(p.columns, columns[string(name)])
	}
	p.tabs = p.edge
}

// w3c parses a line by the columns of the last header.
func (p *parser) w3c(b []byte) bool {
	if len(b) < 10 || b[4] != '-' && b[2] != ':' {
		return false
	}
	var date, clock []byte
	var first bool
	separator := byte(' ')
	if p.tabs {
		separator = '\t'
	}
	f := fields{escape: escapePlus, rawness: Decoded}
	if p.edge {
		f.escape, f.rawness = escapePercent, Raw
	}
	for i, c := range p.columns {
		value, rest, more := bytes.Cut(b, []byte{separator})
		switch c {
		case columnDate:
			date = value
		case columnTime:
			clock = value
		case columnClient:
			f.addr = client(value)
		case columnMethod:
			f.method = value
		case columnStem, columnURI:
			f.target = value
		case columnQuery:
			f.query = value
		case columnStatus:
			f.status = value
		case columnAgent:
			f.agent = value
		case columnHost:
			if !first {
				f.host = value
			}
		case columnHostFirst:
			f.host, first = value, true
		}
		if !more && i+1 < len(p.columns) {
			return false
		}
		b = rest
	}
	if len(date) != 10 || len(clock) < 8 {
		return false
	}
	at, ok := p.w3cTime(date, clock)
	f.time = at
	p.f = f
	return ok
}

// w3cTime parses date and time, which are in UTC.
func (p *parser) w3cTime(date, clock []byte) (int64, bool) {
	var text [32]byte
	at := append(append(append(text[:0], date...), 'T'), clock[:min(len(clock), 12)]...)
	return p.clock.iso(append(at, 'Z'))
}
