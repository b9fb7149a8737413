package conclude

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/command"
	"sitemend/report/messages"
)

// An Action is one thing to do.
type Action struct {
	Kind        string // "upload", "decide", "audit" ...: the key of its words is "a-" and that
	Title, Text messages.Sentence
	// Button leads to Target, a place of the report ("#causes") or an address, or copies the command
	// Copy. All are empty where there is none. Filled is set on one at most.
	Button   messages.Sentence
	Target   string
	Copy     string
	Filled   bool
	Evidence []Evidence
	Note     messages.Sentence // what to look at first
	Command  string            // does what is decided without another crawl; "" for none
}

// An Evidence is a line under an action: a number, 0 for none, and what it counts.
type Evidence struct {
	Count int
	Text  messages.Sentence
}

// Where buttons lead.
const (
	searchConsole = "https://search.google.com/search-console/sitemaps"
	inspection    = "https://search.google.com/search-console/inspect"
)

// Evidences is how many lines stand under an action, with the one that adds up the rest.
const Evidences = 4

// actions are what to do now, at most three, the most urgent first.
func (c *concluding) actions() (out []Action) {
	all := []func() *Action{c.alarmed, c.upload, c.decide, c.resubmit, c.encoding, c.expectedRedirects, c.reported, c.files, c.look}
	if c.Alarm.Key == "braked" {
		all = slices.Insert(all, 0, c.decide)
	}
	for _, of := range all {
		a := of()
		if a == nil || len(out) == 3 || slices.ContainsFunc(out, func(b Action) bool { return a.Kind == b.Kind }) || c.Alarm.Key == "stopped" && len(out) == 1 {
			continue
		}
		a.Evidence = fewest(a.Evidence)
		a.Filled = strings.HasPrefix(a.Target, "#") && !slices.ContainsFunc(out, func(b Action) bool { return b.Filled })
		out = append(out, *a)
	}
	return out
}

// act is an action whose words have the key of its kind; its target says what its button is called.
func act(kind string, n int, target string) *Action {
	a := &Action{Kind: kind, Title: messages.Say("a-"+kind, "n", n), Target: target}
	if part, ok := strings.CutPrefix(target, "#"); ok { // a button is called what it leads to
		a.Button = messages.Say(cmp.Or(map[string]string{"decide": "lane-decide", "other-spelling": "causes"}[part], part))
	} else if target != "" {
		a.Button = messages.Say("a-open-console")
	}
	return a
}

// alarmed is what the alarm asks for: to audit again so that it sees more, or to repair what keeps it from that.
func (c *concluding) alarmed() (a *Action) {
	alarm := &c.Alarm
	switch alarm.Key {
	case "unread", "in-part":
		a = act("repair", len(c.unread())+len(c.inPart), "")
		a.Text = messages.Say("a-in-part-text")
		for _, s := range c.unread() {
			a.Evidence = append(a.Evidence, Evidence{0, messages.Code(address.Shown(s.URL))})
		}
		for _, i := range c.inPart {
			a.Evidence = append(a.Evidence, Evidence{0, messages.Code(address.Shown(c.result.Files[i].Sitemap.URL))})
		}
		if c.Copies != "" {
			a.Note = messages.Say("a-in-part-copy", "files", messages.Verbatim(c.Copies))
		}
	case "", "braked", "script":
		return nil
	default:
		a = act("audit", 0, "")
		if a.Text, a.Copy = alarm.do, alarm.Command; a.Copy != "" {
			a.Button = messages.Say("a-copy")
		}
	}
	return a
}

// upload is the upload of the corrected files.
func (c *concluding) upload() *Action {
	if c.Files == 0 {
		return nil
	}
	a, changes, removed := act("upload", c.Files, "#files"), 0, 0
	for _, i := range c.uploads {
		f := &c.result.Files[i]
		k := f.Counts.Total(audit.Corrected) + f.Counts.Total(audit.TakenOut)
		changes, removed = changes+k, removed+f.Counts.Total(audit.TakenOut)
		a.Evidence = append(a.Evidence, Evidence{k, messages.Code(path.Base(f.Name))})
	}
	slices.SortStableFunc(a.Evidence, func(x, y Evidence) int { return cmp.Compare(y.Count, x.Count) })
	if changes > 0 { // else the headline says what for
		a.Text = messages.Say("a-upload-text", "n", changes)
	}
	if n := c.result.Counts.Groups[audit.TakenOut][string(audit.Noindex)]; n > 0 {
		a.Note = messages.Say("a-upload-noindex", "n", n)
	} else if removed > 0 {
		a.Note = messages.Say("a-upload-removed", "n", removed)
	}
	return a
}

// decide is what has to be decided.
func (c *concluding) decide() *Action {
	at := slices.IndexFunc(c.Lanes, func(l Lane) bool { return l.Lane == audit.Decide })
	if at < 0 {
		return nil
	}
	l := &c.Lanes[at]
	a := act("decide", l.Count, "#decide")
	a.Text = messages.Say("a-decide-text", "n", l.Count)
	if c.Alarm.Key == "braked" {
		a.Text, a.Command = c.Alarm.Said, c.Alarm.Command
	}
	for _, x := range c.Decided.By {
		a.Evidence = append(a.Evidence, Evidence{x.N, fewOf(x.Key, x.N)})
	}
	return a
}

// resubmit is to submit the sitemaps again, where a file changed.
func (c *concluding) resubmit() *Action {
	if c.Files == 0 {
		return nil
	}
	a := act("resubmit", 0, searchConsole)
	if a.Text = messages.Say("a-resubmit-text"); c.Moving > 0 {
		a.Text = messages.Say("a-resubmit-moved")
	}
	for _, url := range c.submitted() {
		a.Evidence = append(a.Evidence, Evidence{0, messages.Code(url)})
	}
	return a
}

// submitted are the addresses to submit, the first ones: of each file that is edited the index on top
// of it, or where it belongs itself.
func (c *concluding) submitted() (out []string) {
	at := map[int]*audit.File{}
	for i := range c.result.Files {
		at[c.result.Files[i].Sitemap.N] = &c.result.Files[i]
	}
	for _, i := range c.uploads {
		f := &c.result.Files[i]
		for up := at[f.Sitemap.Parent]; up != nil && !f.Moved() && up.Sitemap.N < f.Sitemap.N; up = at[f.Sitemap.Parent] {
			f = up
		}
		url := cmp.Or(f.BelongsAt, f.Sitemap.AnsweredAt)
		if url != "" && !slices.Contains(out, url) && len(out) < Evidences {
			out = append(out, url)
		}
	}
	return out
}

// encoding is to answer both encodings of clean URLs; access logs or Search Console show whether Googlebot
// asks for the other one.
func (c *concluding) encoding() *Action {
	if c.Spelt == 0 {
		return nil
	}
	a := act("encoding", 0, "#other-spelling")
	a.Text = messages.Say("a-encoding-text")
	if l := c.result.Logs; l != nil && l.Sum.Back.Requests > 0 {
		a.Evidence = append(a.Evidence, Evidence{int(l.Sum.Back.Requests), messages.Say("a-encoding-asked")})
	}
	if sc := c.result.SearchConsole; sc != nil && sc.Upshots[audit.UpshotServer] > 0 {
		a.Evidence = append(a.Evidence, Evidence{sc.Upshots[audit.UpshotServer], messages.Say("a-encoding-reported")})
	}
	return a
}

// look is to ask Google what it sees, where the audit could not.
func (c *concluding) look() *Action {
	if c.Alarm.Key != "unseen" && c.Alarm.Key != "script" {
		return nil
	}
	a := act("look", 0, inspection)
	a.Text = messages.Say("a-look-text")
	return a
}

// files is to correct errors of the files, where that is all that is left.
func (c *concluding) files() *Action {
	if c.Errors == 0 {
		return nil
	}
	return act("files", c.Errors, "#faults")
}

// expectedRedirects is to lead the old URLs of a map where it says.
func (c *concluding) expectedRedirects() *Action {
	x := ExpectedOf(c.result)
	if x == nil || c.result.Expected.Unmet() == 0 {
		return nil
	}
	list := c.result.Expected
	a := act("expected", list.Unmet(), "#expected")
	a.Text = messages.Say("a-expected-text")
	if list.Why[audit.UnmetNotFound]+list.Why[audit.UnmetNoRedirect] > 0 {
		file := "FILE"
		if list.List.URL != "" && list.List.URL != "-" {
			file = command.Word(filepath.Base(list.List.URL))
		}
		a.Command = "sitemend rules " + file + " --for FORMAT"
	}
	for _, e := range x.Ends {
		a.Evidence = append(a.Evidence, Evidence{e.Count, e.Title})
	}
	return a
}

// reported is to look at what Google reports, where nothing but an export was audited.
func (c *concluding) reported() *Action {
	if c.Entries > 0 || c.result.SearchConsole == nil {
		return nil
	}
	a, n := act("reported", 0, "#reported"), 0
	for _, e := range ReportedOf(c.result).Ends {
		if e.ID != string(audit.UpshotNothing) && e.Kind != "fix" {
			n += e.Count
			a.Evidence = append(a.Evidence, Evidence{e.Count, e.Title})
		}
	}
	if n == 0 {
		return nil
	}
	a.Title = messages.Say("a-reported", "n", n)
	return a
}

// fewest adds up the evidence that has no room under an action.
func fewest(all []Evidence) []Evidence {
	if len(all) <= Evidences {
		return all
	}
	sum := 0
	for _, e := range all[Evidences-1:] {
		sum += e.Count
	}
	return append(all[:Evidences-1:Evidences-1], Evidence{0, messages.Say("more", "n", cmp.Or(sum, len(all)-Evidences+1))})
}
