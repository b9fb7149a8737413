package watch

import (
	"cmp"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Secrets are the values that configurations took from the environment: no error, no message and
// no line of a log repeats them.
type Secrets struct {
	mu    sync.Mutex
	names map[string]string // of the variables, by what is hidden, in lower case
	any   *regexp.Regexp
}

// How long a value is at least that is hidden wherever it stands, and a word of one: a shorter one
// is hidden between quotation marks alone, for it may be a part of any text.
const (
	leastValue = 4
	leastWord  = 8
)

// add hides the value of a variable as errors may repeat it: whole, escaped, or a word of it.
func (s *Secrets) add(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil {
		s.names = map[string]string{}
	}
	quoted := strconv.Quote(value)
	s.names[strings.ToLower(quoted)] = strconv.Quote(name)
	forms := strings.FieldsFunc(value, func(c rune) bool { // a word is escaped nowhere
		return (c < '0' || c > '9') && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z')
	})
	forms = slices.DeleteFunc(forms, func(word string) bool { return len(word) < leastWord })
	if len(value) >= leastValue {
		forms = append(forms, value, quoted[1:len(quoted)-1], url.PathEscape(value), url.QueryEscape(value))
	}
	for _, form := range forms {
		s.names[strings.ToLower(form)] = name
	}
	var all []string
	for form := range s.names {
		all = append(all, regexp.QuoteMeta(form))
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	s.any = regexp.MustCompile("(?i)" + strings.Join(all, "|")) // the longest first: a whole before its words
}

// Mask puts the names of variables in the place of their values.
func (s *Secrets) Mask(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.any == nil {
		return text
	}
	return s.any.ReplaceAllStringFunc(text, func(found string) string {
		name := s.names[strings.ToLower(found)]
		if bare := strings.Trim(name, `"`); bare != name {
			return `"${` + bare + `}"`
		}
		return "${" + name + "}"
	})
}

// Writer returns what masks the lines of a log.
func (s *Secrets) Writer(w io.Writer) io.Writer { return masking{s, w} }

type masking struct {
	*Secrets
	w io.Writer
}

func (m masking) Write(line []byte) (int, error) {
	_, err := io.WriteString(m.w, m.Mask(string(line)))
	return len(line), err
}
