package fetch

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/textproto"
	"regexp"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// shortSecret is the length below which a value is searched for as a whole word, and leastSecret
// that below which it is not: it would occur in any text.
const shortSecret, leastSecret = 8, 4

// echoes are what a site must not tell the outputs of an audit: the values of --header and --user
// that it was sent, which it may put into a redirect, a title or a canonical. They are replaced with
// address.Mask wherever an answer repeats them, and an address that would hold one is not requested.
type echoes []echo

// An echo is one value, and how it may stand in a text: each byte as it is, or percent-encoded up to
// twice. folded is form in any case, as in robots directives, which are kept in lower case.
type echo struct {
	text         string
	form, folded *regexp.Regexp
}

// spoken are headers that say nothing secret: what they hold stands in addresses and pages anyhow.
var spoken = regexp.MustCompile(`^(?:Host|User-Agent|Referer|Origin|From|Via|Forwarded|Cache-Control|Pragma|Connection|Dnt|Content-Type|Range|Accept.*|X-Forwarded-.*|Sec-.*)$`)

func newEchoes(o *Options) (e echoes) {
	if o.User != "" || o.Pass != "" {
		e.pair(o.User, o.Pass)
	}
	for _, h := range o.Headers {
		switch key := textproto.CanonicalMIMEHeaderKey(h.Key); {
		case spoken.MatchString(key):
		case key == "Cookie":
			e.add(h.Value)
			cookies, _ := http.ParseCookie(h.Value)
			for _, c := range cookies {
				e.add(c.Value)
			}
		default:
			e.header(h.Value)
		}
	}
	slices.SortStableFunc(e, func(a, b echo) int { return len(b.text) - len(a.text) })
	return e
}

// header adds the value of a header, and what follows its scheme: "Bearer abc", "Basic bmFt...".
func (e *echoes) header(value string) {
	e.add(value)
	if _, credentials, ok := strings.Cut(value, " "); ok {
		e.add(credentials)
		if pair, err := base64.StdEncoding.DecodeString(credentials); err == nil {
			if user, pass, ok := strings.Cut(string(pair), ":"); ok {
				e.pair(user, pass)
			}
		}
	}
}

// pair adds a name and its password, each alone, both, and both as a header has them.
func (e *echoes) pair(user, pass string) {
	both := user + ":" + pass
	e.add(user)
	if e.add(pass); plainWord.MatchString(pass) {
		e.addAs(anyWord, pass)
	}
	e.add(both)
	e.add(base64.StdEncoding.EncodeToString([]byte(both)))
	e.add(base64.RawStdEncoding.EncodeToString([]byte(both)))
	e.add(base64.RawURLEncoding.EncodeToString([]byte(both)))
}

// plainWord is a word as any page may have it ("preview"): it counts only as the value of a parameter.
var plainWord = regexp.MustCompile(`^[A-Za-z][a-z]{0,10}$`)

// anyWord is what stands before a word.
const anyWord = `(^|[^0-9A-Za-z]|%[[:xdigit:]]{2})`

func (e *echoes) add(text string) {
	switch {
	case plainWord.MatchString(text):
		e.addAs(`(=)`, text)
	case len(text) < shortSecret:
		e.addAs(anyWord, text)
	default:
		e.addAs(``, text)
	}
}

// addAs adds a value that counts behind something, as a whole word; anywhere where behind is "".
func (e *echoes) addAs(behind, value string) {
	if len(value) < leastSecret || slices.Contains([]string{"true", "false", "http", "https"}, value) {
		return
	}
	form := cmp.Or(behind, `()`)
	for _, c := range value {
		encoded := ""
		for _, b := range []byte(string(c)) {
			encoded += fmt.Sprintf(`%%(?:25)?%02x`, b)
		}
		form += fmt.Sprintf(`(?:\x{%x}|(?i:%s))`, c, encoded)
	}
	form = strings.ReplaceAll(form, `(?:\x{20}|`, `(?:[ +]|`)
	if behind != "" {
		form += `\b`
	}
	*e = append(*e, echo{value, regexp.MustCompile(form), regexp.MustCompile(`(?i)` + form)})
}

// said returns the values that are to be masked in the answer of an address: all but those that it
// holds itself, which the site lists.
func (e echoes) said(at string) echoes {
	return slices.DeleteFunc(slices.Clone(e), func(v echo) bool {
		return plainWord.MatchString(v.text) && strings.Contains(at, v.text) || v.form.MatchString(at)
	})
}

// hide masks what an answer repeats.
func (e echoes) hide(hop *answers.Hop) {
	if len(e) == 0 {
		return
	}
	values, page := e.said(hop.URL), &hop.Page
	for _, ref := range refsOf(hop) {
		*ref = values.maskRef(*ref)
	}
	for _, text := range [...]*string{&page.Title, &page.Heading, &page.ContentType} {
		*text = values.mask(*text)
	}
	page.Robots = values.maskFolded(page.Robots)
}

// refsOf returns the references of an answer.
func refsOf(hop *answers.Hop) []*string {
	p := &hop.Page
	return []*string{&hop.Location, &p.Canonical, &p.CanonicalBase, &p.Refresh, &p.RefreshHeader, &p.ScriptTo}
}

// masked reports whether an address is one in which a secret was masked.
func (e echoes) masked(at address.Address) bool {
	return len(e) > 0 && strings.Contains(at.Target(), address.Mask)
}

// hostOf is a reference up to its host; slashes may be backslashes (WHATWG URL).
var hostOf = regexp.MustCompile(`^\s*(?i:https?:)?[/\\]{2,}[^/\\?#\s]*`)

// maskRef masks values in a reference, but for its host.
func (e echoes) maskRef(ref string) string {
	start := len(hostOf.FindString(ref))
	return ref[:start] + e.mask(ref[start:])
}

// mask masks values in a text.
func (e echoes) mask(text string) string {
	for _, v := range e {
		text = v.form.ReplaceAllString(text, "${1}"+address.Mask)
	}
	return text
}

// maskFolded is mask for a text that may be in another case.
func (e echoes) maskFolded(text string) string {
	for _, v := range e {
		text = v.folded.ReplaceAllString(text, "${1}"+address.Mask)
	}
	return text
}
