package expect

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// MaxLine is the longest line of a map, in bytes: it has room for two quoted addresses of the
// greatest length that is requested (8,000 bytes).
const MaxLine = 64 << 10

// An Error is a fault in a line of a map.
type Error struct {
	Line int // from 1; 0 for none
	What error
}

// Error returns the message, with the number of the line.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.What.Error()
	}
	return fmt.Sprintf("line %d: %v", e.Line, e.What)
}

// Unwrap returns What.
func (e *Error) Unwrap() error { return e.What }

// A Reader reads a map line by line. It holds one line in memory.
type Reader struct {
	r        *bufio.Reader
	n        int  // number of the line that was read last
	end      byte // the end of a line: a line feed, or a carriage return where there is no line feed
	comma    byte // between fields; 0 for white space
	columns  int  // number of fields that are used; further columns of a header are ignored
	passed   int
	firstOne int
	begun    bool
	rows     int // rows that are not empty, with the header
}

// NewReader returns a Reader of a map.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, MaxLine), end: '\n', columns: 3}
}

// Passed returns how many lines of a _redirects file were skipped because they do not say where an
// address must lead (rewrites, pages for 404, placeholders, conditions), and the number of the
// first of them.
func (r *Reader) Passed() (n, first int) { return r.passed, r.firstOne }

// Next returns the next line that says where an address must lead. At the end the error is io.EOF;
// an error in the map is an *Error.
func (r *Reader) Next() (Line, error) {
	if !r.begun {
		r.begun = true
		if err := r.begin(); err != nil {
			return Line{}, err
		}
	}
	for {
		text, err := r.line()
		if err != nil {
			return Line{}, err
		}
		fields, err := r.fields(text)
		if err != nil {
			return Line{}, &Error{r.n, err}
		}
		if len(fields) == 0 {
			continue
		}
		if r.rows++; r.rows == 1 {
			if header, err := r.header(fields); err != nil {
				return Line{}, &Error{r.n, err}
			} else if header {
				continue
			}
		}
		l, ok, err := r.read(fields)
		if err != nil {
			return Line{}, &Error{r.n, err}
		}
		if ok {
			return l, nil
		}
		if r.passed++; r.firstOne == 0 {
			r.firstOne = r.n
		}
	}
}

// begin removes the byte order mark, and detects the line ending and the separator of fields.
func (r *Reader) begin() error {
	head, err := r.r.Peek(MaxLine)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if isUTF16(head) {
		return &Error{1, errors.New("the file is UTF-16; save it as UTF-8")}
	}
	if bytes.HasPrefix(head, []byte("\uFEFF")) {
		head = head[3:]
		if _, err := r.r.Discard(3); err != nil {
			return err
		}
	}
	if bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0 {
		r.end = '\r'
	}
	r.comma = separator(string(head), r.end)
	return nil
}

// isUTF16 reports whether a file that begins with head is UTF-16: it has a byte order mark, or one
// of its first two bytes is 0, which no map has there.
func isUTF16(head []byte) bool {
	return bytes.HasPrefix(head, []byte("\xFF\xFE")) || bytes.HasPrefix(head, []byte("\xFE\xFF")) ||
		len(head) > 1 && (head[0] == 0 || head[1] == 0)
}

// separator returns the separator of the fields of most lines: a comma, a semicolon, a tab, or 0
// for white space.
func separator(head string, end byte) byte {
	best, most := byte(','), 0
	for _, c := range []byte{',', ';', '\t', 0} {
		n := 0
		for line := range strings.SplitSeq(head, string(end)) {
			if fields, err := (&Reader{comma: c}).fields(trimEnd(line)); err == nil && isRow(fields, c) {
				n++
			}
		}
		if n > most {
			best, most = c, n
		}
	}
	return best
}

// isRow reports whether fields, separated by c, are those of a line with an old address and a new
// address or status.
func isRow(fields []string, c byte) bool {
	if len(fields) < 2 || !isAddress(fields[0]) {
		return false
	}
	words := strings.Fields(fields[0])
	if c != 0 && len(words) > 1 && slices.ContainsFunc(words[1:], isAddress) {
		return false
	}
	return fields[1] == "" || isAddress(fields[1]) || isStatus(fields[1]) || c == 0
}

// line returns the next line, without its line ending.
func (r *Reader) line() (string, error) {
	b, err := r.r.ReadSlice(r.end)
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", &Error{r.n + 1, fmt.Errorf("the line is longer than %d bytes", MaxLine)}
	}
	if err != nil && (len(b) == 0 || !errors.Is(err, io.EOF)) {
		return "", err
	}
	r.n++
	text := trimEnd(string(b))
	if strings.Contains(text, "\r") {
		return "", &Error{r.n, errReturn}
	}
	return text, nil
}

var errReturn = errors.New("a carriage return stands within the line; end all lines alike")

func trimEnd(line string) string { return strings.TrimRight(line, "\r\n") }

// fields returns the fields of a line; nil for a comment.
func (r *Reader) fields(line string) ([]string, error) {
	if text := strings.TrimSpace(line); text == "" || text[0] == '#' {
		return nil, nil
	}
	if r.comma == 0 {
		return words(line), nil
	}
	var out []string
	for rest, more := line, true; more; {
		var field string
		var err error
		if field, rest, more, err = cell(rest, r.comma); err != nil {
			return nil, err
		}
		out = append(out, field)
	}
	if !slices.ContainsFunc(out, func(s string) bool { return s != "" }) {
		return nil, nil // an empty row of a spreadsheet
	}
	return out, nil
}

// words returns the words of a line, up to one that begins with #.
func words(line string) []string {
	out := strings.Fields(line)
	if at := slices.IndexFunc(out, func(s string) bool { return s[0] == '#' }); at >= 0 {
		return out[:at]
	}
	return out
}

// cell splits the first cell from a line (RFC 4180, but white space around a cell is dropped); more
// reports whether another cell follows.
func cell(line string, comma byte) (text, rest string, more bool, err error) {
	line = strings.TrimLeft(line, " ")
	if !strings.HasPrefix(line, `"`) {
		text, rest, more = strings.Cut(line, string(comma))
		return strings.TrimSpace(text), rest, more, nil
	}
	var b strings.Builder
	for line = line[1:]; ; {
		inside, after, closed := strings.Cut(line, `"`)
		b.WriteString(inside)
		if !closed {
			return "", "", false, errors.New("a quotation mark is not closed")
		}
		if !strings.HasPrefix(after, `"`) {
			line = strings.TrimLeft(after, " ")
			break
		}
		b.WriteByte('"')
		line = after[1:]
	}
	if line != "" && line[0] != comma {
		return "", "", false, errors.New("something stands behind a closing quotation mark")
	}
	more = line != ""
	return strings.TrimSpace(b.String()), strings.TrimPrefix(line, string(comma)), more, nil
}
