package audit

import (
	"regexp"
	"strings"
	"time"

	"sitemend/crawler/address"
)

// Nofollow reports whether the page's robots directives say that none of its links is to be
// followed: nofollow, or none.
func (p *Page) Nofollow() bool {
	for d := range strings.SplitSeq(p.Robots, ",") {
		if d = strings.TrimSpace(d); strings.EqualFold(d, "nofollow") || strings.EqualFold(d, "none") {
			return true
		}
	}
	return false
}

// noindex reports whether an answer keeps its page out of the index: by noindex, by none, which
// means noindex and nofollow, or by a day that has passed (Search docs, "robots-meta-tag").
func noindex(h *Hop) bool { return h.Page.Noindex() || h.Page.expired(h.At) }

// Noindex reports whether the page's robots directives say noindex, or none.
func (p *Page) Noindex() bool {
	for d := range strings.SplitSeq(p.Robots, ",") {
		if d = strings.TrimSpace(d); strings.EqualFold(d, "noindex") || strings.EqualFold(d, "none") {
			return true
		}
	}
	return false
}

// lastDay matches unavailable_after with a date of RFC 822, RFC 850 or ISO 8601, and takes the day.
var lastDay = regexp.MustCompile(`(?i)(?:^|,) *unavailable_after *: *(?:[a-z]+,? +)?` +
	`(\d{1,2}[ -][a-z]{3,9}[ -](?:\d{4}|\d\d)|\d{4}-\d\d-\d\d|\d{8})` +
	`(?:[t ] *\d\d:?\d\d[\d:.]* *(?:[a-z]{1,5}|[+-]\d\d:?\d\d)?)? *(?:,|$)`)

// expired reports whether the robots directives of a page gave a day after which it is not to be
// found any more, and that was over everywhere at a time. One that cannot be read says nothing.
func (p *Page) expired(at time.Time) bool {
	if len(p.Robots) < len("unavailable_after") {
		return false
	}
	for _, m := range lastDay.FindAllStringSubmatch(p.Robots, -1) {
		said := m[1]
		if strings.ContainsAny(said, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") {
			said = strings.ReplaceAll(said, "-", " ")
		}
		for _, layout := range []string{"2 Jan 2006", "2 January 2006", "2 Jan 06", time.DateOnly, "20060102"} {
			if day, err := time.Parse(layout, said); err == nil && day.Add(48*time.Hour).Before(at) {
				return true
			}
		}
	}
	return false
}

// canonical returns the address that a page names as its canonical; zero where
// it names none, or none that could be asked.
func canonical(at address.Address, p *Page) address.Address {
	if p.Canonical == "" {
		return address.Address{}
	}
	c, err := address.Resolve(p.base(at), p.Canonical)
	if err != nil {
		return address.Address{}
	}
	return c
}

// CanonicalURL returns the canonical that the page at an address names, resolved
// to its wire form; "" where it names none, or none that could be asked.
func (p *Page) CanonicalURL(at string) string {
	return canonical(address.Wire(at), p).String()
}
