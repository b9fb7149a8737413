package conclude

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/command"
	"sitemend/report/internal/plain"
	"sitemend/report/messages"
)

// A Brief is an audit in numbers and names, for whoever reads one screen of it. Its numbers add
// up: Clean + Fixed + Decide.N + Unknown = URLs, and Fixed = Replaced + Removed.N.
type Brief struct {
	Hosts    []string // as people read them, each once, in the order of the targets
	Sitemaps int
	URLs     int
	Clean    int // Encoding of them redirect in another encoding, or are answered otherwise
	Encoding int
	Replaced int
	Removed  Numbers // by "duplicate" or the verdict
	Decide   Numbers // by the rule that keeps the URL, else the verdict
	Unseen   Numbers // could not be checked, by audit.Counts.Unseen
	LeftOut  int     // were not crawled
	After    After
	// Writes is set where corrected sitemaps are written: else Replaced and Removed would be.
	Writes  bool
	Files   int    // corrected sitemaps to upload
	MovesTo string // host where some of them belong from now on; "" for none
	Moving  int    // how many do
	Copies  int    // corrected copies of sitemaps that were read only in part: not to be uploaded
	Names   string // of these, of many the first
	Errors  int    // in the sitemap files, without those that the upload mends
	Alarm   Alarm
	Asked   *Asked // what access logs say of Googlebot; nil without them
	Map     *Met   // the map of a migration; nil without one
	Console *Met   // addresses of Search Console that need nothing; nil without an export
}

// Fixed is how many URLs the corrected sitemaps settle.
func (b *Brief) Fixed() int { return b.Replaced + b.Removed.N }

// Unknown is how many URLs nothing is known of.
func (b *Brief) Unknown() int { return b.Unseen.N + b.LeftOut }

// Numbers are numbers by a key, the largest first.
type Numbers struct {
	N  int
	By []Number
}

// A Number is how many URLs have a key.
type Number struct {
	Key string
	N   int
}

// After is what the corrected sitemaps list, where any is to be uploaded.
type After struct{ Clean, URLs int }

// Met is how many of so many addresses are as they should be.
type Met struct{ K, N int }

// Asked is how many listed URLs Googlebot asked for in another encoding, with the characters
// concerned, and how many of these it was redirected back from.
type Asked struct {
	URLs, Otherwise, Back int
	Kinds                 []string
}

// An Alarm is what to know before any number, and the command that follows from it, "" for none.
type Alarm struct {
	Key     string // "stopped", "braked", "unread" ...
	Said    Sentence
	Command string
}

// BriefOf makes the Brief of an audit.
func BriefOf(result *audit.Result, o Options) *Brief {
	c := prepared(result, o)
	n := &result.Counts
	b := &Brief{Sitemaps: result.Sitemaps(), URLs: c.now.Entries, Clean: c.now.Clean, Encoding: c.now.Spelt,
		Replaced: n.Actions[audit.Replace], LeftOut: c.now.LeftOut, Writes: result.Writes()}
	for _, t := range result.Info.Targets {
		if host := hostShown(t); !slices.Contains(b.Hosts, host) {
			b.Hosts = append(b.Hosts, host)
		}
	}
	removed, decide := map[string]int{"duplicate": n.Actions[audit.Merge]}, map[string]int{}
	maps.Copy(removed, n.Groups[audit.TakenOut])
	for i := range result.Causes {
		if x := &result.Causes[i]; x.Group == audit.NeedsDecision {
			decide[briefKey(x)] += x.Count
		}
	}
	if len(decide) == 0 {
		decide = n.Groups[audit.NeedsDecision]
	}
	b.Removed, b.Decide, b.Unseen = numbersOf(removed), numbersOf(decide), numbersOf(n.Unseen)
	b.Decide.N, b.Unseen.N = c.now.Decide, c.now.Unseen
	b.uploads(c)
	b.besides(result)
	b.Alarm = c.alarm()
	return b
}

// uploads says what is to be uploaded, and what it comes to.
func (b *Brief) uploads(c *concluding) {
	if !b.Writes {
		return
	}
	b.Names, b.Copies = c.partCopies()
	b.Files = c.copiesToUpload()
	for _, i := range c.uploads {
		if f := &c.result.Files[i]; f.Moved {
			b.Moving++
			b.MovesTo = hostShown(f.BelongsAt)
		}
	}
	if b.Files > 0 {
		b.After = After{c.result.Proof.Direct, c.result.Proof.Entries}
	}
}

// besides says what was asked for beside the sitemaps.
func (b *Brief) besides(result *audit.Result) {
	for i := range result.Files {
		for _, f := range result.Files[i].Sitemap.Faults {
			if f.Severity == "error" {
				b.Errors += f.Places()
				if b.Files > 0 {
					b.Errors -= f.Mended
				}
			}
		}
	}
	if l := result.Logs; l != nil {
		b.Asked = &Asked{URLs: l.Sum.Entries - l.Sum.Never, Otherwise: l.Sum.Otherwise, Back: l.Sum.Back.Entries, Kinds: l.Sum.Kinds()}
		if b.Asked.Back > 0 {
			b.Asked.Kinds = l.Sum.Back.Kinds()
		}
	}
	if x := result.Expected; x != nil && x.Addresses > 0 {
		b.Map = &Met{x.Met, x.Addresses}
	}
	if x := result.SearchConsole; x != nil {
		b.Console = &Met{x.Upshots[audit.UpshotNothing], x.Addresses}
	}
}

// alarm is the first thing that holds of those that come before the numbers.
func (c *concluding) alarm() Alarm {
	info, unseen := &c.result.Info, c.now.Unseen
	switch brake := c.brake(); {
	case info.Stopped():
		return c.alarmOf("stopped", command.Audit(info, nil), c.now.Crawled(), c.now.Entries, "")
	case !brake.said.IsZero():
		return Alarm{Key: "braked", Said: brake.said, Command: brake.command}
	case c.result.Unread() > 0:
		return c.alarmOf("unread", "", c.result.Unread(), c.result.Sitemaps(), plain.Visible(c.unread()[0].URL))
	case len(info.Outdated) > 0:
		return c.alarmOf("outdated", command.Audit(info, nil), len(info.Outdated), 0, "")
	case unseen > 0 && c.now.MostlyUnseen():
		return c.unseenAlarm()
	case c.offHost():
		return c.alarmOf("elsewhere", "", 0, 0, "")
	case len(info.Credentials()) > 0 && c.now.Checked() > 0:
		return c.alarmOf("with", "", 0, 0, info.Credentials()[0])
	case unseen > 0 && unseen*10 >= c.now.Entries:
		return c.unseenAlarm()
	case c.result.Counts.NeedScript():
		return c.alarmOf("script", "", c.result.Counts.Notes[audit.NeedsJavaScript], 0, "")
	}
	return Alarm{}
}

// alarmOf is an alarm in the words of its key; n, of and what are filled in.
func (c *concluding) alarmOf(key, command string, n, of int, what string) Alarm {
	said := word(func(w *messages.Catalogue) string {
		what := what
		switch {
		case what == string(audit.Unsteady):
			what = w.Text("brief-unsteady")
		case strings.HasPrefix(key, "unseen"):
			what = w.Fault(audit.Fault(what))
		}
		return w.Text("brief-"+key, "n", messages.Number(n), "of", messages.Number(of), "what", what)
	})
	return Alarm{Key: key, Said: say("as-it-is", "text", said), Command: command}
}

// fact is what an alarm says, without the words that lead to its command.
func (a *Alarm) fact() Sentence {
	return say("as-it-is", "text", word(func(w *messages.Catalogue) string {
		said := a.Said.In(w)
		for _, stop := range []string{". ", "。"} {
			if at := strings.LastIndex(said, stop); at >= 0 && strings.HasSuffix(said, ":") {
				return said[:at+len(strings.TrimSpace(stop))]
			}
		}
		return said
	}))
}

// unseenAlarm says why most of what could not be checked could not, and how another audit may see it.
func (c *concluding) unseenAlarm() Alarm {
	by := numbersOf(c.result.Counts.Unseen).By
	if len(by) > 1 && by[0].Key == string(audit.FaultAbandoned) { // that follows from the others
		by = by[1:]
	}
	if len(by) == 0 {
		return Alarm{}
	}
	why, n, info := by[0].Key, by[0].N, &c.result.Info
	status, refused := strconv.Atoi(why)
	robots := audit.RobotsStatus(why)
	rate := info.Slower()
	key, flags := "unseen", []string(nil)
	switch {
	case status == 401:
		key, flags = "unseen-401", []string{"--user=NAME:PASS"}
	case robots > 0:
		key = "unseen-robots"
	case status == 429 || status == 503 || why == string(audit.FaultTimeout):
		flags = []string{"--rate=" + rate}
	case refused == nil && status != 407 || messages.Of("en").Fault(audit.Fault(why)) == why && why != string(audit.Unsteady):
		key = "unseen-refused"
		if info.Identity != "browser" {
			flags = []string{"--as=browser"}
		}
	}
	a := c.alarmOf(key, "", n, c.now.Entries, why)
	if flags != nil {
		a.Command = command.Audit(info, flags)
	}
	return a
}

// briefKey is what a cause that needs a decision is called in a few words: the rule that keeps its
// URLs from being edited, else their verdict.
func briefKey(x *audit.Cause) string {
	switch {
	case x.Stop == "":
		return string(x.Verdict)
	case strings.HasPrefix(string(x.Stop), "target-"):
		return "target"
	case slices.Contains(writeNotes, x.Stop):
		return string(x.Stop)
	}
	return "held"
}

// writeNotes are the rules of what may be written that have a name of their own in a Brief.
var writeNotes = []audit.Note{audit.ToHTTP, audit.OtherHost, audit.NotPage, audit.Gate, audit.Session, audit.Locale, audit.Collapsed,
	audit.Varies, audit.MergeWouldLose, audit.Braked, audit.Unsteady}

// numbersOf sorts numbers, the largest first; those that are 0 are left out.
func numbersOf(counts map[string]int) (p Numbers) {
	for key, n := range counts {
		if n > 0 {
			p.N += n
			p.By = append(p.By, Number{key, n})
		}
	}
	slices.SortFunc(p.By, func(a, b Number) int { return cmp.Or(b.N-a.N, strings.Compare(a.Key, b.Key)) })
	return p
}

// hostShown is the host of a target as people read it; of a file its name.
func hostShown(target string) string {
	if u, err := url.Parse(target); err == nil && u.Host != "" {
		return plain.Visible(address.ToUnicodeHost(u.Host))
	}
	return plain.Visible(target)
}
