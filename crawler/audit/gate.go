package audit

import (
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// holdsListed tells whether a parameter of target holds the listed address or
// its path, as pages do that stand before the page: "/login?next=/account",
// "/enter?destination=node/12", "/age?back=https%3A%2F%2Fshop.example%2F".
func holdsListed(target, listed address.Address) bool {
	params := parameters(target)
	if len(params) == 0 {
		return false
	}
	forms, old := listedForms(listed), parameters(listed)
	for _, p := range params {
		if slices.Contains(old, p) {
			continue
		}
		value := p
		if _, v, named := strings.Cut(p, "="); named {
			value = v
		}
		// A value that was escaped once more on the way counts too.
		for range 3 {
			value = strings.ReplaceAll(unescape(value), "+", " ")
			if holds(value, listed, forms) {
				return true
			}
		}
	}
	return false
}

// listedForms are the texts that give a listed address away. A path of one
// short word without its slash is none of them: it may stand anywhere.
func listedForms(a address.Address) []string {
	forms := []string{strings.ReplaceAll(unescape(a.HostPort()+a.Target()), "+", " ")}
	if _, has := a.Query(); has {
		forms = append(forms, strings.ReplaceAll(unescape(a.Target()), "+", " "))
	}
	path := strings.ReplaceAll(unescape(a.Path()), "+", " ")
	if len(path) > 1 {
		forms = append(forms, path)
	}
	if bare := strings.Trim(path, "/"); strings.Contains(bare, "/") {
		forms = append(forms, bare)
	}
	return forms
}

func holds(value string, listed address.Address, forms []string) bool {
	for _, f := range forms {
		if strings.Contains(value, f) {
			return true
		}
	}
	if listed.Path() != "/" {
		return false
	}
	back, err := address.Resolve(listed, value)
	return value == "/" || strings.Contains(value, "//") && err == nil && back.Host() == listed.Host() && back.Path() == "/"
}

// parameters are the parameters of an address, of its query and its path.
func parameters(a address.Address) []string {
	query, _ := a.Query()
	fields := strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' })
	if _, params, ok := strings.Cut(a.Path(), ";"); ok {
		fields = append(fields, strings.Split(params, ";")...)
	}
	return fields
}

// unescape resolves the escapes of s once, for looking only.
func unescape(s string) string {
	if !strings.Contains(s, "%") {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '%' && i+2 < len(s) {
			hi, lo := unhex(s[i+1]), unhex(s[i+2])
			if hi >= 0 && lo >= 0 {
				b.WriteByte(byte(hi<<4 | lo))
				i += 2
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

func unhex(c byte) int {
	switch {
	case c >= '0' && c <= '9':
		return int(c - '0')
	case c >= 'a' && c <= 'f':
		return int(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}
