package conclude

import (
	"cmp"
	"strconv"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
	"sitemend/report/command"
	"sitemend/report/messages"
)

// An Alarm is what to know before any number, and the command that follows from it, "" for none.
type Alarm struct {
	Key     string // "stopped", "braked", "unread" ...; "" for none
	Said    messages.Sentence
	Command string
	Leads   bool // it is the headline: no number of clean URLs means anything
	do      messages.Sentence
}

// alarm is the first thing that holds of those that come before the numbers.
func (c *concluding) alarm() Alarm {
	r, info := c.result, &c.result.Info
	of := func(key, command string, pairs ...any) Alarm {
		return Alarm{Key: key, Said: messages.Say("alarm-"+key, pairs...), Command: command}
	}
	leading := func(a Alarm) Alarm {
		a.Leads = true
		return a
	}
	switch brake := c.brake(); {
	case info.Stopped():
		return leading(of("stopped", command.Audit(info, ""), "n", c.Crawled(), "of", c.Entries))
	case brake.Key != "":
		return brake
	case c.uncrawled():
		said := messages.Join("between", c.Faults...)
		c.Faults = nil
		return leading(of("uncrawled", command.Audit(info, "", "--sample", "--no-fetch"), "what", said))
	case r.Unread() > 0:
		s := c.unread()[0]
		f, _ := s.Error()
		a := of("unread", "", "n", r.Unread(), "of", r.Sitemaps(), "what", s.URL, "why", faultText(f))
		a.Leads = c.Entries == 0
		return a
	case len(c.inPart) > 0:
		return of("in-part", "", "n", len(c.inPart), "of", r.Sitemaps(), "what", r.Files[c.inPart[0]].Sitemap.URL)
	case len(info.Outdated) > 0:
		return of("outdated", command.Audit(info, ""), "n", len(info.Outdated))
	case c.Unseen > 0 && (c.Checked() == 0 || 2*c.Unseen > c.Crawled()):
		return leading(c.unseen())
	case r.Counts.NeedScript():
		return leading(of("script", "", "n", r.Counts.Notes[audit.NeedsJavaScript]))
	case len(info.Credentials()) > 0 && c.Checked() > 0:
		return of("with", command.Audit(info, "", "--user", "--header"), "what", info.Credentials()[0])
	case c.Unseen*10 >= c.Entries && c.Unseen > 0:
		return c.unseen()
	}
	return Alarm{}
}

// unseen says why URLs could not be checked, and how another audit may see most of them.
func (c *concluding) unseen() Alarm {
	by, info := c.Unknown.By, &c.result.Info
	if len(by) > 1 && by[0].Key == string(answers.FaultAbandoned) { // that follows from the others
		by = by[1:]
	}
	why, whys := "", []messages.Sentence(nil)
	for _, p := range by[:min(Evidences, len(by))] {
		why = cmp.Or(why, p.Key)
		whys = append(whys, messages.Words(func(w *messages.Catalogue) string { return w.Fault(p.Key) }))
	}
	a := Alarm{Key: "unseen", Said: messages.Say("alarm-unseen", "n", c.Unseen, "of", c.Entries, "what", messages.Join("between", whys...)),
		do: first(remedy(&audit.Cause{Verdict: audit.Unverified, Group: audit.NotChecked, Terms: []pattern.Term{{Name: "unseen", From: why}}}))}
	status, err := strconv.Atoi(why)
	switch {
	case status == 401:
		a.Command = command.Audit(info, "--user=NAME:PASS")
	case status == 429 || status == 503 || why == string(answers.FaultTimeout):
		a.Command = command.Audit(info, "--rate=1")
	case (status == 403 || err != nil && messages.Of("en").Fault(why) == why) && info.Identity != "browser":
		a.Command = command.Audit(info, "--as=browser")
	}
	return a
}

// brake is the question that is the first to decide where --max-drop kept entries in the sitemap that would be
// removed otherwise, of all files together; its command removes them without another crawl, and is "" where
// nothing would be left of any file.
func (c *concluding) brake() Alarm {
	drops, of, files, lifts := map[string]int{}, 0, 0, false
	for i := range c.result.Files {
		f := &c.result.Files[i]
		if len(f.Braked) == 0 {
			continue
		}
		for v, n := range f.Braked {
			drops[string(v)] += n
		}
		of, files, lifts = of+f.Counts.Entries, files+1, lifts || !f.AllBraked
	}
	if files == 0 || c.result.Info.Partial || c.result.Info.NoFetch {
		return Alarm{}
	}
	kept, what := numbersOf(drops), []messages.Sentence(nil)
	for _, x := range kept.By {
		what = append(what, fewOf(x.Key, 1))
	}
	a := Alarm{Key: "braked", Said: messages.Say("alarm-braked", "k", kept.N, "n", of, "f", files, "what", messages.Join("between", what...))}
	if lifts {
		a.Command = cmp.Or(c.again, "sitemend report") + " --max-drop 100%"
	}
	return a
}

// unread are the sitemaps that could not be read.
func (c *concluding) unread() (out []*audit.Sitemap) {
	for i := range c.result.Files {
		if s := &c.result.Files[i].Sitemap; s.Unread() {
			out = append(out, s)
		}
	}
	return out
}

// faultText is the sentence of a sitemap's fault.
func faultText(f audit.SitemapFault) messages.Sentence {
	return func(c *messages.Catalogue) string {
		_, text := c.SitemapFault(f)
		return text
	}
}
