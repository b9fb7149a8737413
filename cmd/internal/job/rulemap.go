package job

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
)

// mapHint says what a map looks like.
const mapHint = "a map has a line for each pair, old,new, or a line of _redirects: /old /new 301"

// MapRules reads a map of old and new addresses: CSV, with or without a header, or lines of
// words as in a _redirects file. An address may be a path. name is for errors. An old
// address twice with two ends, and one that leads to itself, are errors with their line;
// what is to be gone (no new address, or status 410) and old addresses with a * at their end
// are left out.
func MapRules(name string, from io.Reader) (*Redirects, error) {
	r := &Redirects{}
	read := bufio.NewReader(from)
	next := wordLines(read)
	if isTable(read) {
		next = tableLines(read)
	}
	wrong := func(line int, err error) error {
		return cli.WithHint(fmt.Errorf("%s line %d: %w", name, line, err), mapHint)
	}
	for first := true; ; first = false {
		line, fields, err := next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, cli.WithHint(fmt.Errorf("%s: %w", name, err), mapHint)
		}
		if len(fields) == 0 || fields[0] == "" || first && isHeader(fields) {
			continue
		}
		x, err := mapLine(fields)
		if err != nil {
			return nil, wrong(line, err)
		}
		x.line = int32(line)
		r.Rules = append(r.Rules, x)
	}
	if len(r.Rules) == 0 {
		return nil, cli.WithHint(fmt.Errorf("%s has no pair", name), mapHint)
	}
	if line, err := r.twice(); err != nil {
		return nil, wrong(line, err)
	}
	r.Rules = slices.DeleteFunc(r.Rules, func(x Redirect) bool {
		if x.Why == RuleMap {
			return false
		}
		r.Left = append(
			r.Left,
			Unruled{Host: x.Host, Source: x.Source, Target: x.Target, Note: x.Why.String()},
		)
		return true
	})
	r.unite()
	return r, nil
}

// twice sorts the lines of a map and returns the first that has an old address of a line
// before it and another new one.
func (r *Redirects) twice() (line int, err error) {
	slices.SortFunc(r.Rules, func(a, b Redirect) int {
		return cmp.Or(
			strings.Compare(a.Host, b.Host),
			strings.Compare(a.Source, b.Source),
			cmp.Compare(a.line, b.line),
		)
	})
	for i := 1; i < len(r.Rules); i++ {
		a, b := &r.Rules[i-1], &r.Rules[i]
		if a.Host == b.Host && a.Source == b.Source && a.Target != b.Target &&
			(line == 0 || int(b.line) < line) {
			line, err = int(b.line), fmt.Errorf("%s leads elsewhere in line %d", b.Source, a.line)
		}
	}
	return line, err
}

// isTable reports whether the first lines of a map have a comma in a line that is no
// comment.
func isTable(r *bufio.Reader) bool {
	head, _ := r.Peek(4096) // what there is
	for line := range strings.Lines(string(head)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return strings.Contains(line, ",")
		}
	}
	return false
}

// wordLines reads lines of words; a word that begins with # ends its line.
func wordLines(r *bufio.Reader) func() (int, []string, error) {
	n := 0
	return func() (int, []string, error) {
		line, err := r.ReadString('\n')
		if line == "" && err != nil {
			return n, nil, err
		}
		n++
		fields := strings.Fields(strings.TrimPrefix(line, "\uFEFF"))
		for i, f := range fields {
			if f[0] == '#' {
				fields = fields[:i]
				break
			}
		}
		return n, fields, nil
	}
}

// tableLines reads rows of CSV.
func tableLines(r *bufio.Reader) func() (int, []string, error) {
	c := csv.NewReader(r)
	c.FieldsPerRecord, c.LazyQuotes, c.Comment, c.TrimLeadingSpace, c.ReuseRecord = -1, true, '#', true, true
	return func() (int, []string, error) {
		fields, err := c.Read()
		if err != nil {
			return 0, nil, err
		}
		line, _ := c.FieldPos(0)
		for i := range fields {
			fields[i] = strings.TrimSpace(strings.TrimPrefix(fields[i], "\uFEFF"))
		}
		return line, fields, nil
	}
}

// isHeader reports whether a row names its columns: neither of its fields is an address.
func isHeader(fields []string) bool {
	for _, f := range fields {
		if strings.HasPrefix(f, "/") || strings.Contains(f, "://") {
			return false
		}
	}
	return true
}

// mapLine reads one pair.
func mapLine(fields []string) (x Redirect, err error) {
	column := func(n int) string {
		if n < len(fields) {
			return strings.TrimSuffix(fields[n], "!")
		}
		return ""
	}
	old, wild := strings.CutSuffix(fields[0], "*")
	from, host, err := mapAddress(old)
	if err != nil {
		return x, err
	}
	x = Redirect{Host: host, Source: strings.Clone(from.Target()), Why: RuleMap, Entries: 1}
	to := column(1)
	if column(2) == "410" || column(2) == "404" || isNumber(to) {
		to = ""
	}
	switch {
	case wild:
		x.Source, x.Target, x.Why = x.Source+"*", to, mapPattern
		return x, nil
	case to == "":
		x.Why = mapGone
		return x, nil
	}
	if x.Target, err = mapTarget(from, host, to); err == nil && x.Target == x.Source {
		err = fmt.Errorf("%s leads to itself", fields[0])
	}
	return x, err
}

func isNumber(s string) bool { return s == "" || strings.Trim(s, "0123456789") == "" }

// anyHost stands for the host of a path.
const anyHost = "https://path.invalid"

// mapAddress reads an address, or a path of whatever host it is for.
func mapAddress(text string) (a address.Address, host string, err error) {
	if strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") {
		a, err = address.Parse(anyHost + text)
		return a, "", err
	}
	if !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") {
		return a, "", errors.New("an address begins with / or http:// or https://")
	}
	a, err = address.Parse(text)
	return a, a.HostPort(), err
}

// mapTarget is what stands in a rule for where a line leads. A fragment stays.
func mapTarget(from address.Address, host, text string) (string, error) {
	text, fragment, has := strings.Cut(text, "#")
	to, toHost, err := mapAddress(text)
	if err != nil {
		return "", err
	}
	target := to.String()
	if toHost == "" || toHost == host && to.Origin() == from.Origin() {
		target = strings.Clone(to.Target())
	}
	if has {
		target += "#" + fragment
	}
	return target, nil
}
