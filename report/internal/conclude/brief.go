package conclude

import (
	"cmp"
	"maps"
	"net/url"
	"slices"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/report/command"
	"sitemend/report/internal/plain"
)

// A Brief is an audit in numbers and names, for whoever reads one screen of it. Its numbers add
// up: Clean + Fixed + Decide.N + Unknown = URLs, and Fixed = Replaced + Removed.N.
type Brief struct {
	Hosts    []string // as people read them, each once, in the order of the targets
	Sitemaps int
	Unread   int // sitemaps, of Sitemaps
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

// An Alarm is what to know before any number: a key for its words, what is filled in, and the
// command that follows from it, "" for none.
type Alarm struct {
	Key     string
	N, Of   int
	What    string // a URL, a host or a flag
	Said    Sentence
	Command string
}

// BriefOf makes the Brief of an audit.
func BriefOf(result *audit.Result, o Options) *Brief {
	c := prepared(result, o)
	n := &result.Counts
	b := &Brief{Sitemaps: result.Sitemaps(), Unread: result.Unread(), URLs: c.now.Entries, Clean: c.now.Clean, Encoding: c.now.Spelt,
		Replaced: n.Actions[audit.Replace], LeftOut: c.now.LeftOut, Writes: result.Writes()}
	for _, t := range result.Info.Targets {
		b.Hosts = append(b.Hosts, hostShown(t))
	}
	b.Hosts = compact(b.Hosts)
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
	b.Alarm = c.briefAlarm(b)
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
	b.Errors = errorsLeft(result, b.Files > 0)
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

// errorsLeft is how many places of the sitemap files have an error, after the upload where there is one.
func errorsLeft(result *audit.Result, upload bool) (n int) {
	for i := range result.Files {
		for _, f := range result.Files[i].Sitemap.Faults {
			if f.Severity != "error" {
				continue
			}
			n += f.Places()
			if upload {
				n -= f.Mended
			}
		}
	}
	return n
}

// briefAlarm is the first thing that holds of those that come before the numbers.
func (c *concluding) briefAlarm(b *Brief) Alarm {
	info := &c.result.Info
	switch brake := c.brake(); {
	case info.Stopped():
		return Alarm{Key: "stopped", N: b.URLs - b.LeftOut, Of: b.URLs, Command: command.Audit(info, nil)}
	case !brake.isZero():
		return Alarm{Key: "braked", Said: brake.said, Command: brake.command}
	case b.Unread > 0:
		return Alarm{Key: "unread", N: b.Unread, Of: b.Sitemaps, What: c.unreadFirst()}
	case len(info.Outdated) > 0:
		return Alarm{Key: "outdated", N: len(info.Outdated), Command: command.Audit(info, nil)}
	case b.Unseen.N > 0 && c.now.MostlyUnseen():
		return c.letInAlarm(b)
	case c.offHost():
		return Alarm{Key: "elsewhere"}
	case len(info.Credentials()) > 0:
		return Alarm{Key: "with", What: info.Credentials()[0]}
	case b.Unseen.N*10 >= b.URLs && b.Unseen.N > 0:
		return c.letInAlarm(b)
	case c.result.Counts.NeedScript():
		return Alarm{Key: "script", N: c.result.Counts.Notes[audit.NeedsJavaScript]}
	}
	return Alarm{}
}

// letInAlarm says how to be let in, by what refused most of the URLs.
func (c *concluding) letInAlarm(b *Brief) Alarm {
	why := b.Unseen.By[0].Key
	a := Alarm{N: b.Unseen.By[0].N, Of: b.URLs, What: why}
	switch kind := unseenKind(why); {
	case kind == "unseen-401":
		a.Key, a.Command = "unseen-401", command.Audit(&c.result.Info, []string{"--user=NAME:PASS"})
	case kind == "unseen-robots" || kind == "unseen-robots-slow":
		a.Key = "unseen-robots"
	case kind == "unseen-refused" || why == "403":
		a.Key, a.Command = "unseen-refused", command.Audit(&c.result.Info, []string{"--as=browser"})
	default:
		a.Key = "unseen"
		if flag := c.retry(kind); flag != "" {
			a.Command = command.Audit(&c.result.Info, []string{flag})
		}
	}
	return a
}

// unreadFirst is the address of the first sitemap that could not be read.
func (c *concluding) unreadFirst() string {
	for i := range c.result.Files {
		if s := &c.result.Files[i].Sitemap; s.Unread() {
			return plain.Visible(s.URL)
		}
	}
	return ""
}

// briefKey is what a cause that needs a decision is called in a few words: the rule that keeps its
// URLs from being edited, else their verdict.
func briefKey(x *audit.Cause) string {
	if x.Stop == "" {
		return string(x.Verdict)
	}
	if strings.HasPrefix(string(x.Stop), "target-") {
		return "target"
	}
	if slices.Contains(writeNotes, x.Stop) {
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

// compact leaves out what was there before.
func compact(names []string) (out []string) {
	for _, name := range names {
		if !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}
