package report

import (
	"unicode/utf8"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// jsonRows write entries.jsonl: one JSON object a line for each entry, in
// sitemap order. Its keys, in this order; a key that is absent means not known
// or not applicable, save for the arrays, which are always there:
//
//	loc              the listed address, entities resolved, else as written
//	loc_raw          its bytes in base64, where they are not UTF-8
//	sitemap, line    where it is listed; line of the <loc> tag, from 1
//	verdict, reasons reasons are sorted
//	trail            the hops from the listed address, in order: url (wire form),
//	                 status, location (the header as received; where it is not
//	                 UTF-8, bytes from 0x80 as %XX and location_raw in base64),
//	                 kind and permanent on steps that led on, ms (milliseconds,
//	                 where something was sent), fault (why there was no answer),
//	                 challenge (the bot protection that answered in place of the
//	                 page: "Cloudflare", "Akamai", "captcha", ...),
//	                 rule (--site: file and line of the rule that answered).
//	                 An address that robots.txt forbids ends it with its url alone
//	other_spelling   url and trail of the second spelling, where it was asked
//	final, status    the end of the trail; no final for loop, too-many-redirects,
//	                 disallowed and invalid
//	page             title, canonical (wire form, as written where it is no
//	                 http(s) address), robots, content_type of a final 200
//	fix              action, loc with replace and merge, policy, why
//	notes            sorted
//	search_console   what Search Console would call it, in English
//	checked_at       RFC 3339, UTC
//	google           what Google's index says of the address, where it was asked: as in google.csv, with
//	                 property and asked_at
//	googlebot        what access logs say Googlebot asked for (--access-log), of the first entry that lists an
//	                 address: as_listed (requests, first, last, statuses, octets) and other, a list of the same
//	                 with url and differs_in; bingbot likewise
//	expect           what the map of --expect says of the address: line, to ("": it must be gone),
//	                 met, why (as in expectations.csv)
//
// Behind the entries stands a line for each address that sitemaps name and do not list (--also). It
// is no entry, and has in place of sitemap and line:
//
//	list             alternates, images or videos
//	of               which entries name it: entries, how many, and first, up to five of them with loc,
//	                 sitemap and line
//
// Behind these stands a line for each old address of the map of --expect, in its order, with list
// ("expect"), the keys from verdict to checked_at, and expect; fix is what would become of an entry
// of that address, and nothing is written for it. An address that a sitemap lists, too, has a line
// as its entry beside it.
var jsonRows = rowWriter{line: func(b []byte, _ *messages.Catalogue, f *audit.File, r *audit.Row) []byte { return jsonLine(b, f, r) }}

func jsonLine(b []byte, f *audit.File, r *audit.Row) []byte {
	o := object(append(b, '{'))
	o.text("loc", r.Entry.Loc)
	if !utf8.ValidString(r.Entry.Loc) {
		o.base64("loc_raw", r.Entry.Loc)
	}
	o.text("sitemap", f.Sitemap.URL)
	o.number("line", r.Entry.Line)
	jsonJudged(&o, r)
	jsonInspection(&o, r)
	jsonCrawled(&o, r)
	jsonExpect(&o, r)
	return append(o, '}', '\n')
}

// jsonJudged adds what an address is: the keys from verdict to checked_at.
func jsonJudged(o *object, r *audit.Row) {
	o.text("verdict", string(r.Verdict))
	list(o, "reasons", r.Reasons)
	jsonTrail(o, &r.Trail)
	if r.Other != nil && len(r.Other.Steps) > 0 {
		o.key("other_spelling")
		*o = append(*o, '{')
		o.text("url", r.Other.Steps[0].Hop.URL)
		jsonTrail(o, r.Other)
		*o = append(*o, '}')
	}
	if hasFinal(r) {
		o.text("final", r.Final.String())
	}
	if r.Status != 0 {
		o.number("status", r.Status)
	}
	jsonPage(o, r)
	jsonFix(o, &r.Fix)
	list(o, "notes", r.Notes)
	o.textIf("search_console", SearchConsole(r))
	o.textIf("checked_at", when(r.CheckedAt))
}

func jsonTrail(o *object, t *audit.Trail) {
	o.key("trail")
	*o = append(*o, '[')
	for i := range t.Steps {
		if i > 0 {
			*o = append(*o, ',')
		}
		*o = append(*o, '{')
		jsonStep(o, &t.Steps[i])
		*o = append(*o, '}')
	}
	*o = append(*o, ']')
}

func jsonStep(o *object, s *audit.Step) {
	h := &s.Hop
	o.text("url", h.URL)
	if h.Status != 0 {
		o.number("status", h.Status)
	}
	if h.Location != "" {
		if utf8.ValidString(h.Location) {
			o.text("location", h.Location)
		} else {
			o.text("location", escapeHigh(h.Location))
			o.base64("location_raw", h.Location)
		}
	}
	if s.Kind != "" {
		o.text("kind", string(s.Kind))
		o.truth("permanent", s.Permanent)
	}
	if h.Status != 0 || h.MS > 0 {
		o.number("ms", h.MS)
	}
	if h.Fault != audit.FaultForbidden {
		o.textIf("fault", string(h.Fault))
	}
	o.textIf("challenge", h.Challenge)
	if h.Rule != (audit.RuleAt{}) {
		o.key("rule")
		*o = append(*o, '{')
		o.text("file", h.Rule.File)
		o.number("line", h.Rule.Line)
		*o = append(*o, '}')
	}
}

func jsonPage(o *object, r *audit.Row) {
	p := ended(r)
	if p == nil {
		return
	}
	page := object{'{'}
	page.textIf("title", p.Title)
	page.textIf("canonical", canonical(r, p))
	page.textIf("robots", p.Robots)
	page.textIf("content_type", p.ContentType)
	if len(page) == 1 {
		return
	}
	o.key("page")
	*o = append(append(*o, page...), '}')
}

func jsonFix(o *object, f *audit.Fix) {
	o.key("fix")
	*o = append(*o, '{')
	o.text("action", string(f.Action))
	o.textIf("loc", f.Loc)
	o.text("policy", f.Policy)
	o.text("why", messages.StableWhy(f.Why))
	*o = append(*o, '}')
}

// escapeHigh writes each byte from 0x80 as %XX in upper case, as Chromium does
// with a Location that is not UTF-8.
func escapeHigh(s string) string {
	const upper = "0123456789ABCDEF"
	b := make([]byte, 0, len(s)+16)
	for i := 0; i < len(s); i++ {
		if s[i] < 0x80 {
			b = append(b, s[i])
			continue
		}
		b = append(b, '%', upper[s[i]>>4], upper[s[i]&15])
	}
	return string(b)
}
