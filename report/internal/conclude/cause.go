package conclude

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"path"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
	"sitemend/report/messages"
)

// A Lane is the causes for which the same has to be done.
type Lane struct {
	Lane   audit.Lane
	Count  int // URLs
	Title  messages.Sentence
	Causes []Cause
	// Open is how many causes stand unfolded: until 95 % of the URLs are covered; of decisions 12. The
	// others are counted in More; one alone is not folded.
	Open int
	More messages.Sentence // "4 more"; zero where all stand open
}

// A Cause is what is behind many URLs, in words.
type Cause struct {
	Index    int    // in result.Causes: what Result.CauseOf says of a row
	ID       string // the same in every audit that has the cause: "d-temporary-1x4f9z"
	Count    int    // URLs
	Sitemaps int    // files concerned
	Title    messages.Sentence
	Pattern  Pattern
	Ask      messages.Sentence // the question to decide; nil where there is nothing to ask
	Do       messages.Sentence // what to do, in a sentence
	Expert   messages.Sentence // the same, with what Do leaves out
	Who      messages.Sentence // who does it, by their role: "Site owner", "Developer", "Server admin"
	Examples []Example         // up to three
}

// An Example is a URL as listed, where it leads, "" for nowhere, and where it stands:
// "sitemap.xml:12", "" for unknown. Back is set where it is Final that redirects: another encoding,
// to the one that is listed.
type Example struct {
	Listed, Final, At string
	Back              bool
}

// lanes are the causes lane by lane, in the order of the audit.
func (c *concluding) lanes() (out []Lane) {
	for _, lane := range audit.Lanes() {
		key := string(lane)
		if lane == audit.Upload && !c.Writes {
			key = "would"
		}
		l := Lane{Lane: lane, Title: messages.Say("lane-" + key)}
		for i := range c.result.Causes {
			if x := &c.result.Causes[i]; x.Group.Lane() == lane {
				l.Count += x.Count
				l.Causes = append(l.Causes, c.cause(i))
			}
		}
		if l.Count > 0 {
			l.fold()
			out = append(out, l)
		}
	}
	return out
}

// mostDecisions is how many decisions are never folded.
const mostDecisions = 12

// fold decides how many causes stand open.
func (l *Lane) fold() {
	covered := 0
	for l.Open = 0; l.Open < len(l.Causes); l.Open++ {
		if l.Lane == audit.Upload && covered*100 >= l.Count*95 ||
			l.Lane != audit.Upload && l.Open >= mostDecisions {
			break
		}
		covered += l.Causes[l.Open].Count
	}
	if len(l.Causes)-l.Open == 1 {
		l.Open++
	}
	if more := len(l.Causes) - l.Open; more > 0 {
		l.More = messages.Say("more", "n", more)
	}
}

func (c *concluding) cause(i int) Cause {
	x := &c.result.Causes[i]
	out := Cause{Index: i, ID: idOf(x), Count: x.Count, Sitemaps: x.Sitemaps, Title: c.byRule(x, titleOf(x)), Pattern: patternOf(x),
		Do: first(remedy(x)), Expert: remedy(x)}
	role, ask := "operator", asks[cmp.Or(x.Stop, audit.Note(x.Verdict))]
	if x.Stop == audit.Braked {
		ask = asks[audit.Note(x.Verdict)]
	}
	switch lane := x.Group.Lane(); {
	case lane == audit.Upload:
		role = "developer"
	case x.Group == audit.LeftOut:
		role = "owner"
	case lane == audit.Decide && ask != "":
		role, out.Ask = "owner", messages.Say("ask-"+ask)
	}
	out.Who = messages.Say("role-" + role)
	for _, of := range x.Examples {
		e := Example{Listed: messages.Visible(of.Listed), At: c.place(&of), Back: leadsBack(x)}
		if of.Final != of.Listed {
			e.Final = messages.Visible(of.Final)
		}
		out.Examples = append(out.Examples, e)
	}
	return out
}

// asks are the questions to decide, by the rule that keeps URLs, else their verdict.
var asks = map[audit.Note]string{
	audit.Note(audit.NotFound): "gone", audit.Note(audit.Soft404): "gone", audit.Note(audit.Temporary): "temporary", audit.Note(audit.Offsite): "moved",
	audit.Note(audit.Homepage): "successor", audit.Note(audit.Noindex): "noindex", audit.Note(audit.Disallowed): "disallowed",
	audit.Note(audit.Noncanonical): "canonical", audit.Collapsed: "successor", audit.OtherHost: "moved",
}

// remedy says what to do about a cause.
func remedy(x *audit.Cause) messages.Sentence {
	return func(w *messages.Catalogue) string { return w.Remedy(x) }
}

// first is the first sentence of a text: what follows it is for experts.
func first(of messages.Sentence) messages.Sentence {
	return func(w *messages.Catalogue) string {
		text := of.Plain(w)
		for _, stop := range []string{". ", "。"} {
			if begin, _, more := strings.Cut(text, stop); more {
				return begin + strings.TrimSpace(stop)
			}
		}
		return text
	}
}

// place writes where a URL is listed, "sitemap.xml:12"; "" where that is not known.
func (c *concluding) place(at *audit.Example) string {
	name := c.names[at.Sitemap]
	if name == "" || at.Line == 0 {
		return name
	}
	return name + ":" + strconv.Itoa(at.Line)
}

// FileNames are the names of the files for people: the last segment of the path, the whole URL where
// two have the same.
func FileNames(result *audit.Result) []string {
	out, seen := make([]string, len(result.Files)), map[string]int{}
	for i := range result.Files {
		if base := path.Base(result.Files[i].Sitemap.URL); base != "." && base != "/" {
			out[i] = messages.Visible(base)
		}
		seen[out[i]]++
	}
	for i := range out {
		if seen[out[i]] > 1 || out[i] == "" {
			out[i] = messages.Visible(result.Files[i].Sitemap.URL)
		}
	}
	return out
}

// idOf names a cause in links: its lane, what it is, and a hash of its key.
func idOf(x *audit.Cause) string {
	h := fnv.New32a()
	h.Write([]byte(x.Key))
	lane := map[audit.Lane]string{audit.Upload: "u", audit.Decide: "d", audit.Spelling: "s"}[x.Group.Lane()]
	return fmt.Sprintf("%s-%s-%s", cmp.Or(lane, "n"), cmp.Or(string(x.Stop), string(x.Verdict)), strconv.FormatUint(uint64(h.Sum32()), 36))
}

// duplicates reports whether the URLs of a cause are removed because what would be written for them is
// listed already.
func duplicates(x *audit.Cause) bool { return x.Group == audit.Corrected && x.Merged }

// titleOf says in words what a cause is.
func titleOf(x *audit.Cause) messages.Sentence {
	title := messages.Words(func(w *messages.Catalogue) string {
		if why := label(x, "unseen"); why != "" {
			return w.Fault(why)
		}
		if x.Stop != "" && x.Stop != audit.Braked {
			return w.Remark(x.Stop).Name
		}
		if x.Group == audit.Corrected && pattern.Redirects(x.Terms) && x.Verdict != audit.Noncanonical && len(x.Terms) > 0 && !moves(x) {
			return w.Rule(x.Terms)
		}
		return w.Verdict(x.Verdict).Name
	})
	merged := messages.Words(func(w *messages.Catalogue) string { return upperFirst(w.Action(audit.Merge)) })
	switch {
	case duplicates(x) && x.Verdict == audit.Noncanonical:
		return messages.Say("title-status", "what", merged, "status", fewOf(string(x.Verdict), 1))
	case duplicates(x):
		return merged
	case x.Group == audit.TakenOut:
		return messages.Say("title-remove", "what", fewOf(string(x.Verdict), 1))
	case label(x, "unseen") != "":
		return messages.Say("title-unseen", "what", title)
	case label(x, "status") != "":
		return messages.Say("title-status", "what", title, "status", label(x, "status"))
	}
	return title
}

// byRule is the title of a cause with the rule of a build that is behind it.
func (c *concluding) byRule(x *audit.Cause, title messages.Sentence) messages.Sentence {
	if x.By == (answers.RuleAt{}) {
		return title
	}
	at := x.By.File + ":" + strconv.Itoa(x.By.Line)
	if r, ok := c.result.Build.Rule(x.By); ok {
		at += " " + r.Source + " -> " + r.Target
	}
	if x.Group != audit.Corrected || duplicates(x) {
		return messages.Say("line", "what", title, "pattern", at)
	}
	return messages.Code(at)
}

// upperFirst begins a text with a capital letter.
func upperFirst(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}

// label is what a cause's term of a name says; "" where it has none.
func label(x *audit.Cause, name string) string {
	for _, t := range x.Terms {
		if t.Name == name {
			return t.From
		}
	}
	return ""
}

// moves reports whether a rule changes more of a URL than a word can say: the pattern does.
func moves(x *audit.Cause) bool {
	return slices.ContainsFunc(x.Terms, func(t pattern.Term) bool {
		return t.Name == "path" || t.Name == "to-one" || t.Name == "parameter-lifted"
	})
}
