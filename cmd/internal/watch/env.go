package watch

import (
	"io"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A variable of the environment need not be quoted, but YAML takes no braces in a value of
// { key: value }: it is read with other signs in their place, as many, so that columns stay.
var (
	variable = regexp.MustCompile(`\$\{([^}\n]*)\}`)
	shown    = strings.NewReplacer("\ue000\ue000", "${", "\ue001", "}")
)

const hidden = "\ue000\ue000${1}\ue001"

// Secrets are the values that configurations took from the environment: no error, no message and
// no line of a log repeats them.
type Secrets struct {
	mu    sync.Mutex
	names map[string]string // what stands in the place of what is hidden
	mask  *strings.Replacer
}

// A value of fewer letters is hidden between quotation marks alone, for it may be a part of any
// text; and so is a word of a value.
const (
	leastValue = 4
	leastWord  = 8
)

var word = regexp.MustCompile(`[0-9A-Za-z]+`) // what is escaped nowhere

// add hides the value of a variable as errors may repeat it: whole, escaped, or a word of it.
func (s *Secrets) add(name, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.names == nil {
		s.names = map[string]string{}
	}
	hide := func(least int, forms ...string) {
		for _, form := range forms {
			if len(form) >= least {
				s.names[form], s.names[strings.ToLower(form)] = "${"+name+"}", "${"+name+"}"
			}
		}
	}
	quoted := strconv.Quote(value)
	hide(leastWord, word.FindAllString(value, -1)...)
	hide(leastValue, value, strings.Trim(quoted, `"`), url.PathEscape(value), url.QueryEscape(value))
	s.names[quoted] = strconv.Quote("${" + name + "}")
	var pairs [][2]string
	for form, name := range s.names {
		pairs = append(pairs, [2]string{form, name})
	}
	slices.SortFunc(pairs, func(a, b [2]string) int { return len(b[0]) - len(a[0]) }) // a whole before its words
	var list []string
	for _, p := range pairs {
		list = append(list, p[0], p[1])
	}
	s.mask = strings.NewReplacer(list...)
}

// Mask puts the names of variables in the place of their values.
func (s *Secrets) Mask(text string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.mask == nil {
		return text
	}
	return s.mask.Replace(text)
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
