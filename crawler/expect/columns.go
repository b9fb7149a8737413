package expect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// splat stands in a new address for what the * of the old one stands for.
const splat = ":splat"

// The words with which headers name the columns.
var (
	newWords    = []string{"new", "to", "target", "destination", "new url", "redirect to"}
	statusWords = []string{"status", "code", "status code", "http status", "type"}
)

// errUser is a line that names who calls: what a map says stands in the outputs.
var errUser = errors.New("a name or password in an address is not used")

// header reports whether the first row names the columns, and takes note of what it names.
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
		return false, errors.New("the first column is the old address, the second one the new")
	}
	if len(fields) > 2 && !slices.Contains(statusWords, name(2)) {
		r.columns = 2
	}
	return true, nil
}

// read makes a Line of fields; false where they say nothing of where an address must lead.
func (r *Reader) read(fields []string) (l Line, ok bool, err error) {
	if r.comma == 0 {
		if passes(fields) {
			return l, false, nil
		}
		// What is left of the words behind the status are conditions that passes knows.
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
		return l, false, fmt.Errorf("%.80s has no new address; a separator behind it says that it must be gone", fields[0])
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
		return l, false, fmt.Errorf("%.80s has a status and no new address", fields[0])
	case l.New != "" && !isAddress(l.New):
		return l, false, fmt.Errorf("%.80q: %w", l.New, errBegins)
	}
	l.Temporary = l.New != "" && slices.Contains(temporary, status)
	return l, true, nil
}

// The statuses of redirects, and those of them that hold for a time (RFC 9110, 15.4).
var (
	redirecting = []string{"301", "302", "303", "307", "308"}
	temporary   = []string{"302", "303", "307"}
)

// isStatus reports whether a field is a status, as a _redirects file has it.
func isStatus(s string) bool {
	s = strings.TrimSuffix(s, "!")
	return len(s) == 3 && strings.Trim(s, "0123456789") == ""
}

// passes reports whether a line of a _redirects file is no redirect of one address or of all
// that begin alike: a rewrite (200), a page for what is not found, a rule with placeholders,
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
