package expect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// splat stands in a new address for the text that the * of the old one matches.
const splat = ":splat"

// Words by which a header names the columns.
var (
	newWords    = []string{"new", "to", "target", "destination", "new url", "redirect to"}
	statusWords = []string{"status", "code", "status code", "http status", "type"}
)

// errUser rejects an address with a user name or password, because the lines of a map appear in the
// outputs.
var errUser = errors.New("a name or password in a URL is not used")

// header reports whether the first row names the columns, and records which they are.
func (r *Reader) header(fields []string) (bool, error) {
	if r.comma == 0 || slices.ContainsFunc(fields, isAddress) {
		return false, nil
	}
	name := func(n int) string {
		if n >= len(fields) {
			return ""
		}
		return strings.ToLower(strings.ReplaceAll(fields[n], "_", " "))
	}
	if slices.Contains(newWords, name(0)) {
		return false, errors.New("the first column is the old URL, the second one the new")
	}
	if len(fields) > 2 && !slices.Contains(statusWords, name(2)) {
		r.columns = 2
	}
	return true, nil
}

// read makes a Line of fields; ok is false where they do not say where an address must lead.
func (r *Reader) read(fields []string) (l Line, ok bool, err error) {
	if r.comma == 0 {
		if passes(fields) {
			return l, false, nil
		}
		// The words after the status are conditions, which passes knows.
		fields = fields[:min(3, len(fields))]
	}
	if slices.ContainsFunc(fields[:min(2, len(fields))], address.HasUser) {
		return l, false, errUser
	}
	l.N = r.n
	l.Old, l.Wild = strings.CutSuffix(fields[0], "*")
	if !isAddress(l.Old) {
		return l, false, fmt.Errorf("%.80q: %w", fields[0], errBegins)
	}
	if len(fields) == 1 {
		return l, false, fmt.Errorf("%.80s has no new URL; a separator behind it says that it must be gone", fields[0])
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
		return l, false, fmt.Errorf("status %.20q is none of %s and 410", status, strings.Join(redirecting, ", "))
	case status != "" && l.New == "":
		return l, false, fmt.Errorf("%.80s has a status and no new URL", fields[0])
	case l.New != "" && !isAddress(l.New):
		return l, false, fmt.Errorf("%.80q: %w", l.New, errBegins)
	}
	l.Temporary = l.New != "" && slices.Contains(temporary, status)
	return l, true, nil
}

// The statuses of redirects, and those of temporary ones (RFC 9110, 15.4).
var (
	redirecting = []string{"301", "302", "303", "307", "308"}
	temporary   = []string{"302", "303", "307"}
)

// isStatus reports whether a field is a status as in a _redirects file.
func isStatus(s string) bool {
	s = strings.TrimSuffix(s, "!")
	return len(s) == 3 && strings.Trim(s, "0123456789") == ""
}

// passes reports whether a line of a _redirects file is not a redirect of one address or of all
// with a common beginning: a rewrite (200), a page for what is not found, a rule with placeholders,
// parameters or conditions.
func passes(fields []string) bool {
	for i, f := range fields {
		name, _, pair := strings.Cut(f, "=")
		switch {
		case i > 0 && pair && !isAddress(name), placeholder(f, i):
			return true
		case i > 0 && isStatus(f) && strings.HasPrefix(f, "200"):
			return true
		case i > 0 && isStatus(f) && strings.HasPrefix(f, "404") && len(fields) > 2:
			return true
		}
	}
	return strings.Contains(strings.TrimSuffix(fields[0], "*"), "*")
}

// placeholder reports whether a segment of the old address is a :name.
func placeholder(field string, at int) bool {
	if at > 0 {
		return false
	}
	return slices.ContainsFunc(strings.Split(field, "/"), func(s string) bool {
		return len(s) > 1 && s[0] == ':' && !strings.Contains(s, "//")
	})
}
