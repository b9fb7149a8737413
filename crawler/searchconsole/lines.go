package searchconsole

import (
	"bufio"
	"bytes"
	"io"
	"strings"
)

// maxLine is how many bytes of a line are read. A longer one counts as a row without an address.
const maxLine = 256 << 10

// A walk calls take for the lines of a table until take returns false. It can be called more than
// once, so that no table is held in memory.
type walk func(take func(line) bool) error

// A line is a line that is not blank.
type line struct {
	n    int // from 1
	text string
}

// lines calls take for the lines of a text that are neither blank nor comments (#), with any line
// ends.
func lines(r io.Reader, take func(line) bool) error {
	c := cutter{}
	s := bufio.NewScanner(r)
	s.Buffer(make([]byte, 0, 64<<10), maxLine+1)
	s.Split(c.split)
	n, inside, long := 1, false, ""
	for s.Scan() {
		text := s.Text()
		if inside || !c.ended {
			if !inside {
				long = text[:min(len(text), 100)]
			}
			if inside = !c.ended; inside {
				continue
			}
			if text = ""; says(long) {
				text = "..."
			}
		}
		if says(text) && !take(line{n, text}) {
			return nil
		}
		n++
	}
	return s.Err()
}

// A cutter is the split function of a bufio.Scanner for lines that end with CR, LF or CRLF.
type cutter struct {
	ended bool // the piece was the end of its line
	cr    bool // a CR ended the last line
}

func (c *cutter) split(data []byte, atEOF bool) (advance int, token []byte, err error) {
	skip := 0
	if c.cr && len(data) > 0 {
		if c.cr = false; data[0] == '\n' {
			skip = 1
		}
	}
	end := bytes.IndexAny(data[skip:], "\r\n")
	switch {
	case end >= 0:
		c.ended, c.cr = true, data[skip+end] == '\r'
		return skip + end + 1, data[skip : skip+end], nil
	case len(data) == skip:
		return skip, nil, nil
	case atEOF || len(data) >= maxLine:
		c.ended = atEOF
		return len(data), data[skip:], nil
	}
	return skip, nil, nil
}

// says reports whether a line is neither blank nor a comment.
func says(s string) bool { return strings.TrimSpace(s) != "" && s[0] != '#' }
