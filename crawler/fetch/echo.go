package fetch

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/textproto"
	"slices"
	"strings"
	"sync"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// maxEchoes is how many addresses that hold a secret are remembered as they are.
const maxEchoes = 1 << 16

// shortSecret is the length below which a value is searched for as a whole word, and leastSecret
// that below which it is not: it would occur in any text.
const shortSecret, leastSecret = 8, 4

// echoes knows what a site must not tell the outputs of an audit: the values of --header and --user
// that it was sent, which it may put into a redirect, a title or a canonical. They are replaced with
// address.Mask wherever an answer repeats them. An address that is requested although it is masked
// is remembered here as it is, and sent to audited hosts alone. The zero echoes knows nothing.
type echoes struct {
	values []echo // the longest first
	mu     sync.Mutex
	as     map[string]address.Address // by the masked wire form
}

// An echo is one value. alone is set for a word that may stand anywhere ("preview"): it counts only
// as the whole value of a parameter.
type echo struct {
	text  string
	alone bool
}

// spoken are headers that say nothing secret: what they hold stands in addresses and pages anyhow.
var spoken = map[string]bool{"Host": true, "User-Agent": true, "Referer": true, "Origin": true, "From": true, "Via": true,
	"Forwarded": true, "Cache-Control": true, "Pragma": true, "Connection": true, "Dnt": true, "Content-Type": true, "Range": true}

func newEchoes(o *Options) *echoes {
	e := &echoes{as: map[string]address.Address{}}
	if o.User != "" || o.Pass != "" {
		e.pair(o.User, o.Pass)
	}
	for _, h := range o.Headers {
		key := textproto.CanonicalMIMEHeaderKey(h.Key)
		switch {
		case spoken[key] || strings.HasPrefix(key, "Accept") || strings.HasPrefix(key, "X-Forwarded-") || strings.HasPrefix(key, "Sec-"):
		case key == "Cookie":
			e.add(h.Value, false)
			cookies, _ := http.ParseCookie(h.Value)
			for _, c := range cookies {
				e.add(c.Value, plainWord(c.Value))
			}
		default:
			e.header(h.Value)
		}
	}
	slices.SortFunc(e.values, func(a, b echo) int {
		return cmp.Or(cmp.Compare(len(b.text), len(a.text)), strings.Compare(a.text, b.text))
	})
	e.values = slices.Compact(e.values)
	return e
}

// header adds the value of a header, and what follows its scheme: "Bearer abc", "Basic bmFt...".
func (e *echoes) header(value string) {
	e.add(value, false)
	if _, credentials, ok := strings.Cut(value, " "); ok {
		e.add(credentials, false)
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
	e.add(user, plainWord(user))
	e.add(pass, false)
	e.add(both, false)
	e.add(base64.StdEncoding.EncodeToString([]byte(both)), false)
	e.add(base64.RawStdEncoding.EncodeToString([]byte(both)), false)
	e.add(base64.RawURLEncoding.EncodeToString([]byte(both)), false)
}

func (e *echoes) add(text string, alone bool) {
	if len(text) >= leastSecret && text != "true" && text != "false" && text != "https" && text != "http" {
		e.values = append(e.values, echo{text, alone})
	}
}

// plainWord reports whether s is a word as any page may have it.
func plainWord(s string) bool {
	return len(s) < 12 && strings.IndexFunc(s[min(1, len(s)):], func(r rune) bool { return r < 'a' || 'z' < r }) < 0
}

// said returns the values that are to be masked in the answer of an address: all but those that it
// holds itself, which the site lists.
func (e *echoes) said(at string) []echo {
	return slices.DeleteFunc(slices.Clone(e.values), func(v echo) bool {
		return v.alone && strings.Contains(at, v.text) || !v.alone && v.in(at)
	})
}

// hide masks what an answer repeats, and remembers the addresses that it leads to.
func (e *echoes) hide(hop *audit.Hop) {
	if len(e.values) == 0 {
		return
	}
	values, page := e.said(hop.URL), &hop.Page
	at := address.Wire(hop.URL)
	really, _ := e.really(at)
	base, reallyBase := at, really
	if page.CanonicalBase != "" {
		reallyBase = resolved(really, page.CanonicalBase)
		page.CanonicalBase = maskRef(page.CanonicalBase, values)
		base = resolved(at, page.CanonicalBase)
	}
	for _, ref := range [...]*string{&hop.Location, &page.Refresh, &page.RefreshHeader, &page.ScriptTo} {
		e.leads(at, really, ref, values)
	}
	e.leads(base, reallyBase, &page.Canonical, values)
	for _, text := range [...]*string{&page.Title, &page.Heading, &page.Robots, &page.ContentType,
		&hop.Detail} {
		*text = maskText(*text, values)
	}
}

// leads masks a reference of the answer of at, which really is another address, and remembers where
// it really leads.
func (e *echoes) leads(at, really address.Address, ref *string, values []echo) {
	if *ref == "" {
		return
	}
	to := resolved(really, *ref)
	*ref = maskRef(*ref, values)
	masked := resolved(at, *ref)
	if masked == to || masked.IsZero() || to.IsZero() {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.as) < maxEchoes {
		e.as[masked.String()] = to
	}
}

// resolved is address.Resolve, or the zero Address.
func resolved(at address.Address, ref string) address.Address {
	to, _ := address.Resolve(at, ref)
	return to
}

// really returns the address that a masked one stands for. ok is false where that is not known.
func (e *echoes) really(at address.Address) (to address.Address, ok bool) {
	if len(e.values) == 0 || !strings.Contains(at.Target(), address.Mask) {
		return at, true
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if to, ok = e.as[at.String()]; !ok {
		return at, false
	}
	return to, true
}

// maskRef masks values in a reference, but for its host.
func maskRef(ref string, values []echo) string {
	start := 0
	if _, end, _ := authority(ref); end > 0 {
		start = end
	}
	return ref[:start] + masked(ref[start:], values, true)
}

// maskText masks values in a text.
func maskText(text string, values []echo) string { return masked(text, values, false) }

func masked(text string, values []echo, ref bool) string {
	for _, v := range values {
		if v.alone && !ref {
			continue
		}
		for from := 0; from < len(text); {
			start, end := v.find(text, from)
			if start < 0 {
				break
			}
			text = text[:start] + address.Mask + text[end:]
			from = start + len(address.Mask)
		}
	}
	return text
}

func (v echo) in(text string) bool {
	start, _ := v.find(text, 0)
	return start >= 0
}

// find returns where the value begins and ends in a text from a place on, percent-encoded up to
// twice or not; -1 where it is not there.
func (v echo) find(text string, from int) (start, end int) {
	for i := from; i < len(text); i++ {
		if text[i] != v.text[0] && text[i] != '%' && text[i] != '+' {
			continue
		}
		if end := v.at(text, i); end > 0 && v.counts(text, i, end) {
			return i, end
		}
	}
	return -1, -1
}

// counts reports whether text[start:end] is the value, and not part of a longer word.
func (v echo) counts(text string, start, end int) bool {
	switch {
	case v.alone:
		return start > 0 && text[start-1] == '=' && (end == len(text) || strings.IndexByte("&;#", text[end]) >= 0)
	case len(v.text) >= shortSecret:
		return true
	}
	before := start > 0 && wordByte(text[start-1]) && !(start > 2 && text[start-3] == '%')
	return !before && (end == len(text) || !wordByte(text[end]))
}

func wordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// at returns where the value ends that begins at a place of a text; 0 for none.
func (v echo) at(text string, i int) int {
	for j := range len(v.text) {
		n := 0
		for _, form := range [...]string{"%25", "%"} {
			if rest, ok := strings.CutPrefix(text[i:], form); ok && len(rest) >= 2 && hexByte(rest) == int(v.text[j]) {
				n = len(form) + 2
				break
			}
		}
		if n == 0 && i < len(text) && (text[i] == v.text[j] || text[i] == '+' && v.text[j] == ' ') {
			n = 1
		}
		if n == 0 {
			return 0
		}
		i += n
	}
	return i
}

// hexByte returns the byte that two hex digits stand for; -1 for others.
func hexByte(s string) int {
	n := 0
	for i := range 2 {
		at := strings.IndexByte("0123456789abcdef", s[i]|0x20)
		if at < 0 {
			return -1
		}
		n = n<<4 | at
	}
	return n
}
