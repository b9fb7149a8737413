package audit

import (
	"encoding/base64"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// isGate reports whether target stands before the page that is listed: a login, an
// age check, a consent. It has a parameter that leads back, or the name of a gate; a
// password field is a sign of one, too (Page.Password). A person decides about such an
// entry; so it does no harm where a page is taken for one.
func isGate(target, listed address.Address) bool {
	return holdsListed(target, listed) || leadsAway(target, listed) || returns(target, listed) || namesGate(target) && !namesGate(listed)
}

// saysWhence reports whether a permanent redirect leads to target with a parameter of the listed address and no
// other sign of a gate, as a wiki's "?redirected_from=": logins redirect for now. Where the page names another
// address as its canonical, that says more.
func (r *Row) saysWhence(target address.Address) bool {
	listed := r.Address
	return r.Verdict == Moved && !leadsAway(target, listed) && !returns(target, listed) && !namesGate(target)
}

// leadsAway reports whether target has a parameter with an address of another site, or with a name and a password, which
// the listed address has not: what leads visitors wherever an address says must not be listed with one.
func leadsAway(target, listed address.Address) bool {
	for _, p := range parameters(target) {
		_, value, _ := strings.Cut(p, "=")
		for range 2 { // it may be escaped once more
			value = address.DecodeValue(value)
		}
		if !strings.HasPrefix(value, "//") && !strings.HasPrefix(value, "http://") && !strings.HasPrefix(value, "https://") {
			continue
		}
		if to, err := address.Resolve(target, value); err == nil && (!to.SameSite(target) || address.HasUser(value)) && !slices.Contains(parameters(listed), p) {
			return true
		}
	}
	return false
}

// returns reports whether target has a parameter that says where to go afterwards, and
// the listed address has none of that name. Its value may be packed or signed.
func returns(target, listed address.Address) bool {
	params := parameters(target)
	if len(params) == 0 {
		return false
	}
	old := parameters(listed)
	for _, p := range params {
		name, value, _ := strings.Cut(p, "=")
		if value != "" && isGateWord(backNames, name) && !slices.ContainsFunc(old, func(o string) bool { return hasName(o, name) }) {
			return true
		}
	}
	return false
}

// hasName reports whether a parameter has the name, whatever the case of its letters.
func hasName(param, name string) bool {
	had, _, valued := strings.Cut(param, "=")
	return valued && strings.EqualFold(had, name)
}

// namesGate reports whether a segment of the path is the name of a gate.
func namesGate(a address.Address) bool {
	for seg := range strings.SplitSeq(a.Path(), "/") {
		name, _, _ := strings.Cut(seg, ".") // login.php
		if isGateWord(gateNames, name) {
			return true
		}
	}
	return false
}

// isGateWord reports whether a name, in lower case and without what joins its words, is
// one of those in set. Every segment of every path is asked about: nothing is
// allocated for it.
func isGateWord(set map[string]bool, name string) bool {
	var word [maxGateWord]byte
	n := 0
	for i := range len(name) {
		c := name[i]
		if c == '-' || c == '_' {
			continue
		}
		if n == len(word) {
			return false
		}
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		word[n] = c
		n++
	}
	return set[string(word[:n])]
}

// maxGateWord is the length of the longest of gateNames and backNames, or more.
const maxGateWord = 24

// gateNames are the names that gates have in paths, as isGateWord reads them.
var gateNames = setOf("login", "signin", "logon", "signon", "sso", "wplogin", "anmelden", "connexion",
	"age", "agecheck", "agegate", "ageverification", "ageverify", "ageconfirmation", "ageconfirm", "agelimit", "agerestricted",
	"verifyage", "confirmage", "checkage", "over18", "over21", "areyou18", "areyou21", "adultcheck", "adultwarning", "r18",
	"consent", "cookieconsent", "cookiewall", "privacygate", "captcha")

// backNames are the names of parameters that say where to go afterwards.
var backNames = setOf("returnurl", "returnto", "returnuri", "returnpath", "redirecturl", "redirecturi", "redirectto", "redirectafter",
	"backurl", "backto", "gotourl", "nexturl", "continueurl", "desturl", "targeturl", "referrerurl", "refererurl", "originalurl")

func setOf(words ...string) map[string]bool {
	set := make(map[string]bool, len(words))
	for _, w := range words {
		set[w] = true
	}
	return set
}

// holdsListed reports whether a parameter of target holds the listed address or
// its path, as pages do that stand before the page: "/login?next=/account",
// "/enter?destination=node/12", "/age?back=https%3A%2F%2Fshop.example%2F". The case of
// letters does not count: some servers change it before they ask for a login.
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
		if holds(unpacked(value), listed, forms) {
			return true
		}
		// A value that was escaped once more on the way counts too.
		for range 3 {
			value = unescaped(value)
			if holds(value, listed, forms) {
				return true
			}
		}
	}
	return false
}

// listedForms are the texts that give a listed address away, as unescaped writes them. A path
// of one short word without its slash does not count: it may stand anywhere.
func listedForms(a address.Address) []string {
	forms := []string{unescaped(a.HostPort() + a.Target())}
	if _, has := a.Query(); has {
		forms = append(forms, unescaped(a.Target()))
	}
	path := unescaped(a.Path())
	if len(path) > 1 {
		forms = append(forms, path)
	}
	if bare := strings.Trim(path, "/"); strings.Contains(bare, "/") {
		forms = append(forms, bare)
	}
	return forms
}

// unescaped returns a text without its escapes, in lower case.
func unescaped(s string) string {
	return strings.ToLower(strings.ReplaceAll(address.DecodeValue(s), "+", " "))
}

// unpacked returns the text that a value holds in base64 of either alphabet (RFC 4648), as unescaped
// does; "" for none.
func unpacked(value string) string {
	value = strings.TrimRight(address.DecodeValue(value), "=")
	text, err := base64.RawURLEncoding.DecodeString(strings.NewReplacer("+", "-", "/", "_").Replace(value))
	if err != nil {
		return ""
	}
	return unescaped(string(text))
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
	var fields []string
	if query, _ := a.Query(); query != "" {
		fields = strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' })
	}
	if _, params, ok := strings.Cut(a.Path(), ";"); ok {
		fields = append(fields, strings.Split(params, ";")...)
	}
	return fields
}
