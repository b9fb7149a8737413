package fetch

import (
	"bytes"
	"io"

	"sitemend/crawler/links"
)

// A skimmer passes on what may still count of the rest of a page that is known to have text
// (settled): meta, body and template tags, first headings, and scripts that may redirect. It leaves
// out all else, since tokenizing takes most of the time of reading a page. It splits markup as
// html.Tokenizer does (FuzzSkim compares the two).
type skimmer struct {
	r       io.Reader
	err     error  // of r; returned by every Read after it
	buf     []byte // not yet examined from at on
	at      int
	out     []byte        // what is passed on, a part of buf; while passing, its end
	passing bool          // everything is passed on, until the tokenizer is through with its cause
	heading bool          // a heading is being passed on
	links   *links.Reader // receives the tags that are not passed on; may be nil
}

// skimSize is how many bytes are read at once; a longer tag, comment or script is held as a whole.
const skimSize = 16 << 10

// begin starts with what a tokenizer has read of r but not processed.
func (s *skimmer) begin(r io.Reader, unread []byte, heading bool) {
	*s = skimmer{r: r, buf: append(s.buf[:0], unread...), heading: heading}
}

// again ends the passing; unread is what was passed on but not processed.
func (s *skimmer) again(unread []byte, heading bool) {
	s.at = len(s.buf) - len(s.out) - len(unread) // usually it is still there
	if s.at < 0 {
		s.buf, s.at = append(append(make([]byte, 0, len(unread)+len(s.out)+skimSize), unread...),
			s.out...), 0
	}
	copy(s.buf[s.at:], unread)
	s.out, s.passing, s.heading = nil, false, heading
}

// Read implements io.Reader.
func (s *skimmer) Read(b []byte) (int, error) {
	for len(s.out) == 0 {
		if s.passing {
			s.out, s.at = s.buf[s.at:], len(s.buf)
		} else {
			s.skim()
		}
		if len(s.out) == 0 && !s.more() {
			return 0, s.err
		}
	}
	n := copy(b, s.out)
	s.out = s.out[n:]
	return n, nil
}

// more reads on, at least as many bytes as are held, so that what is held for long is not searched
// too often. It returns false at the end of the input; what is held then was cut off.
func (s *skimmer) more() bool {
	if s.err != nil {
		return false
	}
	s.buf = append(s.buf[:0], s.buf[s.at:]...)
	s.at = 0
	for want := max(1, len(s.buf)); want > 0 && s.err == nil; {
		if cap(s.buf)-len(s.buf) < skimSize/2 {
			s.buf = append(make([]byte, 0, 2*cap(s.buf)+skimSize), s.buf...)
		}
		n, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf, s.err = s.buf[:len(s.buf)+n], err
		want -= n
	}
	return true
}

// skim examines the input until there is something to pass on, or more must be read.
func (s *skimmer) skim() {
	for !s.passing && len(s.out) == 0 {
		b := s.buf[s.at:]
		start := bytes.IndexByte(b, '<')
		if start < 0 {
			s.at = len(s.buf)
			return
		}
		s.at += start
		n := s.markup(b[start:])
		if n == 0 {
			return
		}
		s.at += n
	}
}

// markup examines what begins with "<" and returns the number of bytes that are done; 0 where its
// end was not read.
func (s *skimmer) markup(b []byte) int {
	if len(b) < 4 {
		if s.err != nil {
			return len(b)
		}
		return 0
	}
	switch c := b[1]; {
	case isLetter(c):
		return s.tag(b)
	case c == '/' && isLetter(b[2]):
		end := tagEnd(b, 3)
		switch {
		case end == 0:
		case element(b[2:]) == "template":
			s.out = b[:end]
		case s.links != nil:
			s.links.End(b[:end])
		}
		return end
	case c == '!' && b[2] == '-' && b[3] == '-':
		return commentEnd(b)
	case c == '/' || c == '!' || c == '?':
		return 1 + bytes.IndexByte(b, '>')
	}
	return 1 // text
}

// tag examines a start tag, and what follows it where that is raw text.
func (s *skimmer) tag(b []byte) int {
	name := element(b[1:])
	end := tagEnd(b, 2)
	if end == 0 {
		return 0
	}
	switch name {
	case "meta", "body", "template":
		s.out = b[:end]
	case "h1":
		s.passing = s.heading
	case "plaintext":
		s.r = bytes.NewReader(nil) // everything from here on is its text
		return len(b)
	case "script":
		return s.script(b, end)
	case "iframe", "noembed", "noframes", "noscript", "style", "textarea", "title", "xmp":
		if end = rawEnd(b, end, name); end == 0 {
			return 0
		}
	default:
		if s.links != nil {
			s.links.Tag(b[:end])
		}
	}
	if s.passing {
		return s.pass()
	}
	return end
}

// pass passes on everything from here on.
func (s *skimmer) pass() int {
	s.out, s.at = s.buf[s.at:], len(s.buf)
	return 0
}

// script examines a script, whose tag ends at end. One with "<!--" in it may not end where it seems
// to.
func (s *skimmer) script(b []byte, end int) int {
	close := rawEnd(b, end, "script")
	if close == 0 {
		if s.err == nil {
			return 0
		}
		close = len(b)
	}
	script := b[end:close]
	if bytes.Contains(script, []byte("<!--")) ||
		redirectOf(withoutComments(script)) != "" {
		s.passing = true
		return s.pass()
	}
	return close
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isHTMLSpace(c byte) bool {
	return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f'
}

// tagEnd returns where a tag ends, where at is behind the first letter of its name; 0 where it has
// no end (HTML standard, 13.2.5.8 and 13.2.5.32 to 13.2.5.40).
func tagEnd(b []byte, at int) int {
	for at < len(b) && !isHTMLSpace(b[at]) && b[at] != '/' && b[at] != '>' {
		at++
	}
	for {
		at = skipSpace(b, at)
		if at < len(b) && b[at] == '>' {
			return at + 1
		}
		for key := at; at < len(b) && !isHTMLSpace(b[at]) && b[at] != '/' && b[at] != '>' && (b[at] != '=' || at == key); {
			at++
		}
		at = skipSpace(b, at)
		switch {
		case at >= len(b):
			return 0
		case b[at] == '/':
			at++
		case b[at] == '=':
			if at = valueEnd(b, skipSpace(b, at+1)); at == 0 {
				return 0
			}
		}
	}
}

// valueEnd returns where the value of an attribute ends; 0 where it has no end.
func valueEnd(b []byte, at int) int {
	switch {
	case at >= len(b):
		return 0
	case b[at] == '"' || b[at] == '\'':
		n := bytes.IndexByte(b[at+1:], b[at])
		if n < 0 {
			return 0
		}
		return at + n + 2
	}
	for at < len(b) && !isHTMLSpace(b[at]) && b[at] != '>' {
		at++
	}
	return at
}

func skipSpace(b []byte, at int) int {
	for at < len(b) && isHTMLSpace(b[at]) {
		at++
	}
	return at
}

// commentEnd returns where a comment ends; 0 where it has no end (HTML standard, 13.2.5.43 to
// 13.2.5.51).
func commentEnd(b []byte) int {
	const open = len("<!--")
	for at := open; ; at++ {
		n := bytes.IndexByte(b[at:], '>')
		if n < 0 {
			return 0
		}
		at += n
		if text := b[open:at]; len(text) == 0 || len(text) == 1 && text[0] == '-' || bytes.HasSuffix(text, []byte("--")) || bytes.HasSuffix(text, []byte("--!")) {
			return at + 1
		}
	}
}

// rawEnd returns where the raw text of an element ends, at its end tag; 0 where it has none.
func rawEnd(b []byte, at int, name string) int {
	for {
		n := bytes.Index(b[at:], []byte("</"))
		if n < 0 {
			return 0
		}
		at += n
		if after := at + 2 + len(name); after < len(b) && bytes.EqualFold(b[at+2:after], []byte(name)) && (isHTMLSpace(b[after]) || b[after] == '/' || b[after] == '>') {
			return at
		}
		at += 2
	}
}
