package expect

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// headLen is how much of a map is looked at to find its separator, in bytes.
const headLen = 64 << 10

// inLine returns the error of a line, from 1.
func inLine(n int, what error) error { return fmt.Errorf("line %d: %w", n, what) }

// A Reader reads a map line by line.
type Reader struct {
	in       *bufio.Reader
	rows     *csv.Reader // its separator is a space for lines of words
	n        int         // number of the line that was read last
	columns  int         // number of fields that are used; further columns of a header are ignored
	passed   int
	firstOne int
}

// NewReader returns a Reader of a map.
func NewReader(r io.Reader) *Reader {
	return &Reader{in: bufio.NewReaderSize(r, headLen), columns: 3}
}

// Passed returns how many lines were skipped because they do not say where an address must lead, and
// the number of the first of them: those with a fragment in the old address, which no server sees,
// and in a _redirects file rewrites, pages for 404, placeholders and conditions.
func (r *Reader) Passed() (n, first int) { return r.passed, r.firstOne }

// All yields the lines that say where an address must lead. An error is the last that it yields; one in
// the map names its line, from 1.
func (r *Reader) All() iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		var fields []string
		err := r.begin()
		for first := true; err == nil; {
			if fields, err = r.fields(); err != nil || strings.Join(fields, "") == "" { // an empty row of a spreadsheet
				continue
			}
			switch {
			case first && !r.words() && !slices.ContainsFunc(fields, isAddress):
				err = r.header(fields)
			case strings.Contains(fields[0], "#") && isAddress(fields[0]) || r.words() && passes(fields):
				r.passed++
				r.firstOne = cmp.Or(r.firstOne, r.n)
			default:
				if l, wrong := r.line(fields); wrong != nil {
					err = inLine(r.n, wrong)
				} else if !yield(l, nil) {
					return
				}
			}
			first = false
		}
		if !errors.Is(err, io.EOF) {
			yield(Line{}, err)
		}
	}
}

// begin removes the byte order mark and finds the separator of fields.
func (r *Reader) begin() error {
	head, err := r.in.Peek(headLen)
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if bytes.HasPrefix(head, []byte("\xFF\xFE")) || bytes.HasPrefix(head, []byte("\xFE\xFF")) || bytes.IndexByte(head[:min(2, len(head))], 0) >= 0 {
		return inLine(1, errors.New("the file is UTF-16; save it as UTF-8"))
	}
	if rest, marked := bytes.CutPrefix(head, []byte("\uFEFF")); marked {
		_, _ = r.in.Discard(len(head) - len(rest))
		head = rest
	}
	r.rows = rowsOf(r.in, separator(string(head)))
	return nil
}

// words reports whether the map has lines of words, as a _redirects file.
func (r *Reader) words() bool { return r.rows.Comma == ' ' }

// rowsOf returns the reader of rows with a separator. Between words, a quotation mark is one of them.
func rowsOf(r io.Reader, comma rune) *csv.Reader {
	rows := csv.NewReader(r)
	rows.Comma, rows.Comment, rows.FieldsPerRecord, rows.ReuseRecord = comma, '#', -1, true
	rows.TrimLeadingSpace, rows.LazyQuotes = comma != '\t' && comma != ' ', comma == ' '
	return rows
}

// separator returns the separator of the fields of most lines: a comma, a semicolon, a tab, or a
// space for white space.
func separator(head string) rune {
	best, most := ',', 0
	for _, c := range ",;\t " {
		rows, n := rowsOf(strings.NewReader(head), c), 0
		rows.LazyQuotes = true
		for fields, err := rows.Read(); err == nil; fields, err = rows.Read() {
			if c == ' ' {
				fields = strings.Fields(strings.Join(fields, " "))
			}
			if len(fields) > 1 && isAddress(fields[0]) && !strings.Contains(fields[0], " /") &&
				(fields[1] == "" || isAddress(fields[1]) || isStatus(fields[1]) || c == ' ') {
				n++
			}
		}
		if n > most {
			best, most = c, n
		}
	}
	return best
}

// fields returns the fields of the next row.
func (r *Reader) fields() ([]string, error) {
	fields, err := r.rows.Read()
	if wrong, ok := errors.AsType[*csv.ParseError](err); ok {
		return nil, inLine(max(r.n+1, wrong.StartLine), errors.New("a quotation mark is not closed, or something stands beside it"))
	}
	if err != nil {
		return nil, err
	}
	if r.n, _ = r.rows.FieldPos(0); strings.ContainsAny(strings.Join(fields, ""), "\r\n") {
		return nil, inLine(r.n, errors.New("a line end stands within the line; end all lines with a line feed"))
	}
	if r.words() {
		fields = strings.Fields(strings.Join(fields, " "))
		if at := slices.IndexFunc(fields, func(s string) bool { return s[0] == '#' }); at >= 0 {
			fields = fields[:at]
		}
	}
	for i := range fields {
		fields[i] = strings.TrimSpace(fields[i])
	}
	return fields, nil
}

// header takes the names of the columns.
func (r *Reader) header(fields []string) error {
	name := func(n int) string { return strings.ToLower(strings.ReplaceAll(fields[n], "_", " ")) }
	if slices.Contains([]string{"new", "to", "target", "destination", "new url", "redirect to"}, name(0)) {
		return inLine(r.n, errors.New("the first column is the old URL, the second one the new"))
	}
	if len(fields) > 2 && !slices.Contains([]string{"status", "code", "status code", "http status", "type"}, name(2)) {
		r.columns = 2
	}
	return nil
}

// The statuses of redirects, and those of temporary ones (RFC 9110, 15.4).
var (
	redirecting = []string{"301", "302", "303", "307", "308"}
	temporary   = []string{"302", "303", "307"}
)

// line makes a Line of fields.
func (r *Reader) line(fields []string) (l Line, err error) {
	l.N = r.n
	l.Old, l.Wild = strings.CutSuffix(fields[0], "*")
	switch {
	case slices.ContainsFunc(fields[:min(2, len(fields))], address.HasUser): // the lines of a map appear in the outputs
		return l, errors.New("a name or password in a URL is not used")
	case !isAddress(l.Old):
		return l, fmt.Errorf("%.80q: %w", fields[0], errBegins)
	case len(fields) == 1:
		return l, fmt.Errorf("%.80s has no new URL; a separator behind it says that it must be gone", fields[0])
	}
	status := ""
	if len(fields) > 2 && r.columns > 2 {
		status = strings.TrimSuffix(fields[2], "!")
	}
	if l.New = fields[1]; isStatus(l.New) && status == "" {
		l.New, status = "", strings.TrimSuffix(l.New, "!")
	}
	switch {
	case status == "410" || status == "404":
		l.New = ""
	case status != "" && !slices.Contains(redirecting, status):
		return l, fmt.Errorf("status %.20q is none of %s and 410", status, strings.Join(redirecting, ", "))
	case status != "" && l.New == "":
		return l, fmt.Errorf("%.80s has a status and no new URL", fields[0])
	case l.New != "" && !isAddress(l.New):
		return l, fmt.Errorf("%.80q: %w", l.New, errBegins)
	}
	l.Temporary = l.New != "" && slices.Contains(temporary, status)
	return l, nil
}

// isStatus reports whether a field is a status as in a _redirects file.
func isStatus(s string) bool {
	s = strings.TrimSuffix(s, "!")
	return len(s) == 3 && strings.Trim(s, "0123456789") == ""
}

// passes reports whether a line of a _redirects file is not a redirect of one address or of all
// with a common beginning: a rewrite (200), a page for what is not found, a rule with placeholders,
// parameters or conditions.
func passes(fields []string) bool {
	old := strings.TrimSuffix(fields[0], "*")
	named := slices.ContainsFunc(strings.Split(old, "/"), func(s string) bool { return len(s) > 1 && s[0] == ':' })
	return named || strings.Contains(old, "*") || slices.ContainsFunc(fields[1:], func(f string) bool {
		name, _, pair := strings.Cut(f, "=")
		status := isStatus(f) && (strings.HasPrefix(f, "200") || strings.HasPrefix(f, "404") && len(fields) > 2)
		return status || pair && !isAddress(name)
	})
}
