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
)

// An ActionKind is what an action is about, in one word.
type ActionKind string

// The kinds of actions.
const (
	DoUpload   ActionKind = "upload"
	DoWrite    ActionKind = "write" // the corrected files first, where none was written, and upload them
	DoDecide   ActionKind = "decide"
	DoResubmit ActionKind = "resubmit"
	DoLeave    ActionKind = "leave"  // the sitemap is right
	DoLook     ActionKind = "look"   // see what Google sees
	DoServer   ActionKind = "server" // answer both encodings with 200
	DoAudit    ActionKind = "audit"  // audit again, as the alarm says
	DoRepair   ActionKind = "repair" // a sitemap that could not be read, or not to its end
	DoFiles    ActionKind = "files"  // errors of the files
	DoExpected ActionKind = "expected"
	DoReported ActionKind = "reported"
)

// An Action is one thing to do.
type Action struct {
	Kind        ActionKind
	Title, Text Sentence
	Who         Sentence // who does it, by their role
	// Button leads to Target: a place of the report ("#causes"), an address, or "copy:" with a command
	// to copy. Both are empty where there is none. Filled is set on one at most.
	Button   Sentence
	Target   string
	Filled   bool
	Evidence []Evidence
	Note     Sentence // what to look at first
	Command  string   // does what is decided without another crawl; "" for none
}

// An Evidence is a line under an action: a number, 0 for none, and what it counts.
type Evidence struct {
	Count int
	Text  Sentence
}

// Where buttons lead.
const (
	searchConsole = "https://search.google.com/search-console/sitemaps"
	inspection    = "https://search.google.com/search-console/inspect"
	copied        = "copy:"
)

// evidences is how many lines stand under an action, with the one that adds up the rest.
const evidences = 4

// actions are what to do now, at most three, the most urgent first.
func (c *concluding) actions(lanes []Lane) (out []Action) {
	braked := !c.brake().said.IsZero()
	decide := c.decide(lanes)
	all := []*Action{c.restore(), c.alarmed(), c.files(), c.upload(), decide, c.server(), c.resubmit(), c.leave(), c.expectedRedirects(), c.reported(), c.look()}
	if braked {
		all = slices.Insert(slices.Delete(all, 4, 5), 0, decide)
	}
	for _, a := range all {
		if a != nil && len(out) < 3 {
			a.Who, a.Evidence = say("role-"+roles[a.Kind]), fewest(a.Evidence)
			a.Filled = strings.HasPrefix(a.Target, "#") && !slices.ContainsFunc(out, func(b Action) bool { return b.Filled })
			out = append(out, *a)
		}
	}
	at := slices.IndexFunc(out, func(a Action) bool { return a.Kind == DoUpload })
	if at >= 0 && !slices.ContainsFunc(out, func(a Action) bool { return a.Kind == DoResubmit }) { // the fourth
		out[at].Text = lines(out[at].Text, say("a-upload-then"))
	}
	return out
}

// mostUnseen is the cause for which most URLs could not be checked, of those that follow from no other
// one if there is one; nil for none.
func (c *concluding) mostUnseen() (out *audit.Cause) {
	for i := range c.result.Causes {
		x := &c.result.Causes[i]
		if x.Group.Lane() != audit.Unseen {
			continue
		}
		if label(x, "unseen") != string(audit.FaultAbandoned) {
			return x
		}
		out = cmp.Or(out, x)
	}
	return out
}

// act is an action in the words of a key, with the words of its button and where that leads.
func act(kind ActionKind, key string, n int, button, target string) *Action {
	a := &Action{Kind: kind, Title: say("a-"+key, "n", n), Text: say("a-"+key+"-text", "n", n), Target: target}
	if button != "" {
		a.Button = say("a-" + button)
	}
	return a
}

// roles are who does what an action asks for.
var roles = map[ActionKind]string{DoUpload: "webmaster", DoWrite: "webmaster", DoDecide: "owner", DoResubmit: "webmaster", DoLeave: "webmaster", DoLook: "webmaster",
	DoServer: "operator", DoAudit: "auditor", DoRepair: "webmaster", DoFiles: "developer", DoExpected: "operator", DoReported: "webmaster"}

// alarmed is what the alarm asks for: to audit again so that it sees more, or to correct what keeps it from
// that.
func (c *concluding) alarmed() *Action {
	a := c.alarm()
	if c.state == Script {
		return nil
	}
	kind := DoAudit
	switch a.Key {
	case "", "braked":
		return nil
	case "elsewhere", "unread":
		kind = DoRepair
	case "with":
		a.Command = command.Audit(&c.result.Info, nil, "user", "header")
	}
	if strings.HasPrefix(a.Key, "unseen") {
		a.Key = "unseen"
	}
	out := act(kind, a.Key, c.now.Unseen, "", "")
	if a.Command != "" {
		out.Button, out.Target = say("a-copy"), copied+a.Command
	}
	if at := c.mostUnseen(); a.Key == "unseen" && at != nil {
		out.Text = repairs(at)[0]
	}
	if a.Key == "unread" {
		for _, s := range c.unread() {
			out.Evidence = append(out.Evidence, Evidence{0, verbatim(address.Shown(s.URL))})
		}
	}
	return out
}

// files is to repair what is wrong with the files, and to audit all URLs where only files were read.
func (c *concluding) files() *Action {
	switch left := c.faults - c.mended; {
	case c.state != FilesOnly && c.state != FileFaults && !(c.unwritten() && c.state == Mixed):
		return nil
	case c.state != Mixed && left > 0:
		return act(DoFiles, "files", left, "files-open", "#faults")
	case c.now.LeftOut > 0:
		return act(DoAudit, "whole", 0, "copy", copied+command.Audit(&c.result.Info, nil, "sample", "no-fetch"))
	}
	return nil
}

// upload is the upload of the corrected files.
func (c *concluding) upload() *Action {
	n := c.copiesToUpload()
	if n == 0 || c.unwritten() || c.state == Stopped {
		return nil
	}
	changes, children, removed := 0, 0, 0
	a := &Action{Kind: DoUpload, Title: say("a-upload", "n", n), Button: say("a-upload-open"), Target: "#files"}
	for _, i := range c.uploads {
		f := &c.result.Files[i]
		k := f.Counts.Total(audit.Corrected) + f.Counts.Total(audit.TakenOut)
		changes, removed, children = changes+k, removed+f.Counts.Total(audit.TakenOut), children+f.ChildrenOut()
		a.Evidence = append(a.Evidence, Evidence{k, copiesOf(f)})
	}
	slices.SortStableFunc(a.Evidence, func(x, y Evidence) int { return cmp.Compare(y.Count, x.Count) })
	a.Text = say("a-upload-text", "n", changes)
	if changes == 0 {
		a.Text = say("a-upload-links")
	}
	switch twins := c.twins(); { // one caution, the gravest
	case c.broken():
		a.Note = say("a-upload-broken")
	case n > len(c.uploads):
		a.Note = say("a-upload-parts")
	case twins > 0:
		a.Note = say("a-upload-twins", "n", twins)
	case c.result.Counts.Removed(audit.Noindex) > 0:
		a.Note = say("a-upload-noindex", "n", c.result.Counts.Removed(audit.Noindex))
	case removed > 0:
		a.Note = say("a-upload-removed", "n", removed)
	case children > 0:
		a.Note = say("a-upload-children", "n", children)
	}
	if c.result.NoFiles {
		a.Kind, a.Title, a.Button, a.Target = DoWrite, say("a-write", "n", n), say("a-copy"), copied+c.again()
	}
	return a
}

// copiesToUpload is how many files are uploaded: one that was divided is an index and its parts.
func (c *concluding) copiesToUpload() (n int) {
	for _, i := range c.uploads {
		n += len(c.result.Files[i].Written())
	}
	return n
}

// copiesOf names the copies of a file: of many parts the first and the last.
func copiesOf(f *audit.File) Sentence {
	names := f.Written()
	for i, name := range names {
		names[i] = path.Base(name)
	}
	if len(names) > evidences {
		names = append(names[:2:2], "… "+names[len(names)-1])
	}
	return verbatim(strings.Join(names, ", "))
}

// twins is how many URLs of the files to be uploaded, which stay where they are, are written on the
// http, https, www or apex twin of their host: in these files Google may not accept them. 0 where the
// files are on several origins.
func (c *concluding) twins() (n int) {
	var at address.Address
	for _, i := range c.uploads {
		f := &c.result.Files[i]
		base := address.Wire(f.Sitemap.AnsweredAt)
		if f.Moved || !at.IsZero() && base.Origin() != at.Origin() {
			return 0
		}
		at = base
	}
	for i := range c.result.Causes {
		x := &c.result.Causes[i]
		if x.Group != audit.Corrected || len(x.Examples) == 0 || len(x.Finals) == 0 || at.IsZero() {
			continue
		}
		if to := address.Wire(x.Finals[0]); to.SameTwin(at) && to.Origin() != at.Origin() && address.Wire(x.Examples[0]).Origin() == at.Origin() {
			n += x.Count
		}
	}
	return n
}

// broken reports whether a file that is to be uploaded has a parsing error as the original had.
func (c *concluding) broken() bool {
	return slices.ContainsFunc(c.uploads, func(i int) bool {
		return slices.ContainsFunc(c.result.Files[i].Sitemap.Faults, func(f audit.SitemapFault) bool {
			return f.Severity == "error" && f.Name == "Parsing error" && f.Places() > f.Mended
		})
	})
}

// decide is what has to be decided.
func (c *concluding) decide(lanes []Lane) *Action {
	at := slices.IndexFunc(lanes, func(l Lane) bool { return l.Lane == audit.Decide })
	if at < 0 || c.state == Stopped {
		return nil
	}
	l := &lanes[at]
	a := act(DoDecide, "decide", l.Count, "decide-open", "#decide")
	if b := c.brake(); !b.said.IsZero() {
		a.Text, a.Command = b.said, b.command
	}
	for i := range l.Causes {
		a.Evidence = append(a.Evidence, Evidence{l.Causes[i].Count, l.Causes[i].Title})
	}
	return a
}

// resubmit is to submit the sitemaps again, where a file changed.
func (c *concluding) resubmit() *Action {
	if len(c.uploads) == 0 || c.unwritten() || c.state == Stopped {
		return nil
	}
	a := act(DoResubmit, "resubmit", 0, "open-console", searchConsole)
	if slices.ContainsFunc(c.uploads, func(i int) bool { return c.result.Files[i].Moved }) {
		a.Text = say("a-resubmit-moved")
	}
	for _, v := range audit.Verdicts() { // nobody waits for a reason to fade that Google does not give
		if v.Redirects() && c.result.Counts.Groups[audit.Corrected][string(v)]+c.result.Counts.Groups[audit.TakenOut][string(v)] > 0 {
			a.Note = say("a-resubmit-note")
		}
	}
	for _, url := range c.submitted() {
		a.Evidence = append(a.Evidence, Evidence{0, verbatim(url)})
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
		for up := at[f.Sitemap.Parent]; up != nil && !f.Moved && up.Sitemap.N < f.Sitemap.N; up = at[f.Sitemap.Parent] {
			f = up
		}
		url := cmp.Or(f.BelongsAt, f.Sitemap.AnsweredAt)
		if url != "" && !slices.Contains(out, url) && len(out) < evidences {
			out = append(out, url)
		}
	}
	return out
}

// affected reports whether access logs or Search Console show that Googlebot asks for clean URLs in
// another encoding.
func (c *concluding) affected() bool {
	l, sc := c.result.Logs, c.result.SearchConsole
	return c.now.Spelt > 0 && l != nil && l.Sum.Back.Requests > 0 || sc != nil && sc.Upshots[audit.UpshotServer] > 0
}

// server is to answer both encodings, where Googlebot is affected.
func (c *concluding) server() *Action {
	if !c.affected() || c.state == NotSeen {
		return nil
	}
	a := act(DoServer, "server", 0, "server-open", "#server")
	if l := c.result.Logs; l != nil && l.Sum.Back.Requests > 0 {
		a.Evidence = append(a.Evidence, Evidence{int(l.Sum.Back.Requests), say("a-server-asked")})
	}
	if sc := c.result.SearchConsole; sc != nil && sc.Upshots[audit.UpshotServer] > 0 {
		a.Evidence = append(a.Evidence, Evidence{sc.Upshots[audit.UpshotServer], say("a-server-reported")})
	}
	return a
}

// leave is to leave URLs as they are that are redirected only in another encoding; a tenth of them is
// not left unexplained.
func (c *concluding) leave() *Action {
	if c.now.Spelt == 0 || c.affected() || c.state == NotSeen {
		return nil
	}
	return act(DoLeave, "leave", c.now.Spelt, "leave-open", "#other-spelling")
}

// look is to ask Google what it sees: where the audit could not, and whether another encoding matters.
func (c *concluding) look() *Action {
	switch {
	case c.state == NotSeen, c.state == Script:
		return act(DoLook, "google", 0, "open-console", inspection)
	case c.state == OtherSpelling && !c.affected():
		return act(DoLook, "look", 0, "open-console", searchConsole)
	}
	return nil
}

// restore is to put back the whole of a sitemap of which the end was not read: its corrected copy ends
// where it does, and must not be uploaded.
func (c *concluding) restore() *Action {
	if len(c.inPart) == 0 {
		return nil
	}
	a := act(DoRepair, "restore", len(c.inPart), "", "")
	if names, n := c.partCopies(); n > 0 && !c.unwritten() {
		a.Note = say("a-restore-copy", "files", verbatim(names))
	}
	for _, i := range c.inPart {
		a.Evidence = append(a.Evidence, Evidence{0, verbatim(address.Shown(c.result.Files[i].Sitemap.URL))})
	}
	return a
}

// partCopies names the files that were read only in part and of which a corrected copy was written, of
// many the first ones, and returns how many there are.
func (c *concluding) partCopies() (names string, n int) {
	var first []string
	for _, i := range c.inPart {
		if f := &c.result.Files[i]; f.Changed {
			if n++; n <= evidences {
				first = append(first, c.names[f.Sitemap.N])
			} else if n == evidences+1 {
				first = append(first, "…")
			}
		}
	}
	return strings.Join(first, ", "), n
}

// expectedRedirects is to lead the old URLs of a map where it says.
func (c *concluding) expectedRedirects() *Action {
	x := ExpectedOf(c.result)
	if x == nil || c.result.Expected.Unmet() == 0 {
		return nil
	}
	a := act(DoExpected, "expect", c.result.Expected.Unmet(), "expect-open", "#expected")
	if list := c.result.Expected; list.Why[audit.UnmetNotFound]+list.Why[audit.UnmetNoRedirect] > 0 {
		file := "FILE"
		if list.Name != "" && list.Name != "-" {
			file = command.Word(filepath.Base(list.Name))
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
	if c.state != ReportedOnly {
		return nil
	}
	var open []Evidence
	n := 0
	for _, e := range ReportedOf(c.result).Ends {
		if e.Upshot != audit.UpshotNothing && e.Upshot != audit.UpshotFixed {
			n, open = n+e.Count, append(open, Evidence{e.Count, e.Title})
		}
	}
	if n == 0 {
		return nil
	}
	a := act(DoReported, "reported", n, "expect-open", "#reported")
	a.Evidence = open
	return a
}

// fewest adds up the evidence that has no room under an action.
func fewest(all []Evidence) []Evidence {
	if len(all) <= evidences {
		return all
	}
	rest := 0
	for _, e := range all[evidences-1:] {
		rest += e.Count
	}
	return append(all[:evidences-1:evidences-1], Evidence{rest, say("a-more", "n", len(all)-evidences+1)})
}
