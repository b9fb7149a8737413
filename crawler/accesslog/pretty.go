package accesslog

import "bytes"

// maxObject limits the bytes of an object over several lines.
const maxObject = 256 << 10

// pretty collects the objects of an array that is written over many lines, as gcloud logging read
// --format=json prints it: each begins and ends with a brace on a line of its own, indented by two
// spaces.
type pretty struct {
	on    bool
	open  bool
	from  int64 // the line of the brace
	lines int64 // of the object so far
	text  []byte
}

// rest returns the number of lines of an object that has not ended.
func (p *pretty) rest() int64 {
	if !p.open {
		return 0
	}
	return p.lines
}

// array processes a line of such an array, and reports whether it is one. Each object counts as one
// line, at the place where it begins; brackets do not count.
func (l *lines) array(b []byte) bool {
	p := &l.pretty
	b = bytes.TrimSuffix(b, []byte("\r"))
	switch {
	case !p.on:
		p.on = string(b) == "["
		return p.on
	case p.open:
		p.lines++
		p.text = append(append(p.text, b...), '\n')
		if string(b) == "  }" || string(b) == "  }," {
			l.object()
		} else if len(p.text) > maxObject {
			l.bad(p.lines)
			p.open = false
		}
		return true
	case string(b) == "  {":
		*p = pretty{on: true, open: true, from: l.number, lines: 1, text: append(p.text[:0], '{')}
		return true
	case string(b) == "]":
		p.on = false
		return true
	}
	p.on = false
	return false
}

// object parses the collected object.
func (l *lines) object() {
	p := &l.pretty
	p.open = false
	l.p.f = fields{}
	if !l.p.object(p.text) {
		l.bad(p.lines)
		return
	}
	l.count.Lines++
	l.wanted(p.from + 1)
}
