package fetch

import (
	"bytes"
	_ "embed"
	"net/http"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
)

// on restricts a sign to some answers.
type on uint8

const (
	refused on = 1 << iota // the status is one of refusals
	bare                   // the page has neither title nor text: the same script guards ordinary pages
	anything
)

// A sign identifies an answer of one bot protection: what a header begins with, or texts that must
// all stand at the start of the page, or, for "Location", in host and path of the redirect's target.
// Only signs that no ordinary page has are here: many sites have a protection's script or a captcha
// on every page.
type sign struct {
	name   string
	on     on
	header string // "body" for a sign in a body
	text   string
	and    string // "" for no second text
}

//go:embed signs.txt
var signsText string

// Of signs.txt: the signs in headers, and those in bodies by the two bytes that their first text
// begins with. Pages seldom contain any of these, and searching for one sign after the other took
// longer than the rest of reading a page.
var headSigns, bodySigns, signPairs = func() (head []sign, body map[[2]byte][]sign, pairs [1 << 16]bool) {
	body = map[[2]byte][]sign{}
	for line := range strings.Lines(signsText) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) < 3 { // a comment
			continue
		}
		f = append(f, "", "")
		s := sign{name: f[0], header: f[2], text: f[3], and: f[4]}
		for _, word := range strings.Split(f[1], ",") {
			s.on |= map[string]on{"refused": refused, "bare": bare, "any": anything}[word]
		}
		if s.header != "body" {
			head = append(head, s)
			continue
		}
		at := [2]byte([]byte(s.text))
		body[at], pairs[int(at[0])<<8|int(at[1])] = append(body[at], s), true
	}
	return head, body, pairs
}()

// refusals are the statuses with which protections answer. 428 is Akamai's, 566 and 567 EdgeOne's.
var refusals = []int{401, 403, 405, 406, 428, 429, 503, 566, 567}

// challenge returns the name of the bot protection that answered in place of the page, or "" where
// the answer looks like the page itself. body is the start of the page; is says whether the page has
// neither a title nor text without scripts.
func challenge(hop *answers.Hop, h http.Header, body []byte, is on) string {
	is |= anything
	if slices.Contains(refusals, hop.Status) {
		is |= refused
	}
	for i := range headSigns {
		if s := &headSigns[i]; s.on&is != 0 && s.inHead(hop, h) {
			return s.name
		}
	}
	if answers.Redirects(hop.Status) {
		return ""
	}
	for i := 1; i < len(body); i++ {
		if !signPairs[int(body[i-1])<<8|int(body[i])] {
			continue
		}
		for _, s := range bodySigns[[2]byte{body[i-1], body[i]}] {
			if s.on&is != 0 && bytes.HasPrefix(body[i-1:], []byte(s.text)) && bytes.Contains(body, []byte(s.and)) {
				return s.name
			}
		}
	}
	if is&refused != 0 && bytes.Contains(bytes.ToLower(body), []byte("captcha")) {
		return "captcha"
	}
	return ""
}

// inHead reports whether the head of an answer has s. The server that asks for a password is the site's
// own.
func (s *sign) inHead(hop *answers.Hop, h http.Header) bool {
	text, redirects := s.text, answers.Redirects(hop.Status)
	if s.header != "Location" {
		v := first(h, s.header)
		return !redirects && v != "" && len(v) >= len(text) && strings.EqualFold(v[:len(text)], text) && first(h, "Www-Authenticate") == ""
	}
	if !redirects || !strings.Contains(hop.Location, text[:len(text)-1]) {
		return false
	}
	to, err := address.Resolve(address.Wire("http://a.invalid/"), hop.Location)
	return err == nil && strings.Contains(to.Host()+to.Path(), text)
}
