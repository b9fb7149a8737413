package conclude

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
	"sitemend/report/internal/plain"
	"sitemend/report/messages"
)

// A Cause is what is behind many URLs, in words.
type Cause struct {
	Index     int    // in result.Causes: what Result.CauseOf says of a row
	ID        string // the same in every audit that has the cause: "d-temporary-1x4f9z"
	Count     int    // URLs
	Sitemaps  int    // files concerned
	Title     Sentence
	Pattern   Pattern
	Ask       Sentence   // the question to decide; zero where there is nothing to ask
	Do        []Sentence // what to do
	Who       Sentence   // who does it, by their role: "Site owner", "Developer", "Server admin"
	Examples  []Example  // up to three
	Generator string     // what wrote the sitemaps concerned; "" for unknown
	// Files are those of most URLs, at most audit.MostFiles of Sitemaps.
	Files []FileCount
}

// An Example is a URL as listed, where it leads, "" for nowhere, and where it stands:
// "sitemap.xml:12", "" for unknown. Back is set where it is Final that redirects: another encoding,
// to the one that is listed.
type Example struct {
	Listed, Final, At string
	Back              bool
}

// A FileCount is how many URLs of a cause a sitemap has.
type FileCount struct {
	Name  string // as FileNames has it
	Count int
}

// named is what a cause is called wherever it is reported.
func named(x *audit.Cause) Cause {
	return Cause{Count: x.Count, Title: titleOf(x), Pattern: patternOf(x, common)}
}

func (c *concluding) cause(i int) Cause {
	x := &c.result.Causes[i]
	out := named(x)
	out.Index, out.ID, out.Sitemaps, out.Generator = i, idOf(x), x.Sitemaps, c.result.Generator(x)
	c.byRule(x, &out)
	c.advise(x, &out)
	for j, loc := range x.Examples {
		e := Example{Listed: visible(loc), Back: leadsBack(x)}
		if j < len(x.Finals) && x.Finals[j] != loc {
			e.Final = visible(x.Finals[j])
		}
		if j < len(x.Places) {
			e.At = c.place(x.Places[j])
		}
		out.Examples = append(out.Examples, e)
	}
	for _, f := range x.Most {
		if name := c.names[f.Sitemap]; name != "" {
			out.Files = append(out.Files, FileCount{name, f.Count})
		}
	}
	return out
}

// advise says what to do about a cause, and who does it.
func (c *concluding) advise(x *audit.Cause, out *Cause) {
	role := "operator"
	switch lane := x.Group.Lane(); {
	case lane == audit.Upload:
		role, out.Do = "developer", []Sentence{say(stays(x))}
	case asked(x) != "":
		role, out.Ask = "owner", say("ask-"+asked(x))
		fallthrough
	default:
		if out.Ask.IsZero() && lane == audit.Decide && x.Verdict.Facts().Who == "generator" {
			role = "developer"
		}
		if out.Do = repairs(x); lane == audit.Spelling {
			out.Do = []Sentence{say("do-spelling")}
		}
	}
	out.Who = say("role-" + role)
}

// A flag in parentheses, and a sentence, or a part up to a semicolon, that names one outside of them.
var (
	flagBeside = regexp.MustCompile(`\s?\([^()]*--[^()]*\)`)
	flagWithin = regexp.MustCompile(`[^.;。]*--[^.;。]*([.;。]\s?|$)`)
)

// repairs says what to do about a cause that the upload does not fix: for what could not be seen by the
// reason of that, else by what keeps the URLs. Flags are the expert's.
func repairs(x *audit.Cause) []Sentence {
	return []Sentence{say("as-it-is", "text", word(func(w *messages.Catalogue) string {
		do := w.Do(messages.Decision{Verdict: x.Verdict, Action: audit.Keep, Stop: x.Stop})
		if r := w.Remedies(x, ""); x.Group.Lane() == audit.Unseen && len(r) > 0 {
			do = r[0]
		}
		do = flagBeside.ReplaceAllString(strings.ReplaceAll(do, "`", ""), "")
		short, cut := strings.CutSuffix(strings.TrimSpace(flagWithin.ReplaceAllString(do, "")), ";")
		if cut {
			short += "."
		}
		return cmp.Or(short, do) // nothing else may be left to say
	}))}
}

// place writes where a URL is listed, "sitemap.xml:12"; "" where that is not known.
func (c *concluding) place(at audit.Place) string {
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
			out[i] = plain.Visible(base)
		}
		seen[out[i]]++
	}
	for i := range out {
		if seen[out[i]] > 1 || out[i] == "" {
			out[i] = plain.Visible(result.Files[i].Sitemap.URL)
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
func duplicates(x *audit.Cause) bool { return x.Group == audit.Corrected && x.Trait == audit.Repeated }

// titleOf says in words what a cause is.
func titleOf(x *audit.Cause) Sentence {
	verdict := say("as-it-is", "text", word(func(w *messages.Catalogue) string { return w.Verdict(x.Verdict).Name }))
	toMissing := x.Trait == audit.ToMissing
	switch why := label(x, "unseen"); {
	case duplicates(x):
		return say("title-duplicate")
	case toMissing && x.Group == audit.TakenOut:
		return say("title-remove", "what", say("title-to-missing"))
	case toMissing:
		return say("title-to-missing")
	case x.Group == audit.TakenOut:
		return say("title-remove", "what", verdict)
	case x.Stop != "" && x.Stop != audit.Braked && has("title-"+stopKind(x.Stop)):
		return chained(x, say("title-"+stopKind(x.Stop)))
	case x.Stop != "" && x.Stop != audit.Braked:
		return say("as-it-is", "text", word(func(w *messages.Catalogue) string { return strings.TrimRight(w.Note(x.Stop), ".。") }))
	case x.Verdict == audit.Homepage && ofRoots(x): // which is not gone
		return say("title-" + string(audit.Locale))
	case why == string(audit.Unsteady):
		return say("as-it-is", "text", word(func(w *messages.Catalogue) string { return w.Text("brief-unsteady") }))
	case why != "":
		return say("title-unseen", "what", word(func(w *messages.Catalogue) string { return w.Fault(audit.Fault(why)) }))
	case x.Group == audit.Corrected && x.Redirects() && x.Verdict != audit.Noncanonical && len(x.Terms) > 0 && !moves(x):
		return chained(x, say("as-it-is", "text", word(func(w *messages.Catalogue) string { return w.Rule(x.Terms) })))
	case x.Verdict == audit.Error && len(x.Answers) > 0:
		return say("title-status", "what", verdict, "status", statuses(x))
	}
	return chained(x, verdict)
}

// chained adds to what says a cause how long its chains are.
func chained(x *audit.Cause, what Sentence) Sentence {
	if x.Trait != audit.Chained {
		return what
	}
	return say("title-chain", "what", what, "n", x.MostHops)
}

// asked is the key of the question to decide; "" where there is none.
func asked(x *audit.Cause) string {
	kind := strings.TrimPrefix(string(x.Stop), "target-")
	switch {
	case x.Group.Lane() != audit.Decide:
		return ""
	case x.Trait == audit.ToMissing:
		return "collapsed"
	case x.Verdict == audit.Homepage && x.Stop == "" && ofRoots(x):
		return ""
	case x.Stop == "" || x.Stop == audit.Braked:
		kind = string(x.Verdict)
	}
	switch kind {
	case "homepage":
		kind = "collapsed"
	case "other-host":
		kind = "offsite"
	}
	if has("ask-" + kind) {
		return kind
	}
	return ""
}

// stopKind is the key of what keeps URLs: what new URLs answer that do not answer 200 is one.
func stopKind(n audit.Note) string {
	if strings.HasPrefix(string(n), "target-") && !has("title-"+string(n)) {
		return "target"
	}
	return string(n)
}

// ofRoots reports whether the URLs of a cause are home pages themselves, which redirect to that of a
// language.
func ofRoots(x *audit.Cause) bool {
	for _, loc := range x.Examples {
		if wireOf(loc).Target() != "/" {
			return false
		}
	}
	return len(x.Examples) > 0
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

// faultText is the sentence of a sitemap's fault, for a sentence that has a stop of its own.
func faultText(f audit.SitemapFault) word {
	return func(c *messages.Catalogue) string {
		_, text := c.SitemapFault(f)
		return strings.TrimRight(text, ".。")
	}
}

// has reports whether the catalogue has words for key.
func has(key string) bool { _, ok := messages.Conclude()["en"][key]; return ok }

// statuses are the answers of a cause's rows, those of most rows first: "404, 410".
func statuses(x *audit.Cause) string {
	all := slices.SortedFunc(maps.Keys(x.Answers), func(a, b int) int { return cmp.Or(x.Answers[b]-x.Answers[a], a-b) })
	var out []string
	for _, s := range all[:min(3, len(all))] {
		out = append(out, strconv.Itoa(s))
	}
	return strings.Join(out, ", ")
}

// moves reports whether a rule changes more of a URL than a word can say: the pattern does.
func moves(x *audit.Cause) bool {
	return slices.ContainsFunc(x.Terms, func(t pattern.Term) bool {
		return t.Name == "path" || t.Name == "to-one" || t.Name == "parameter-lifted"
	})
}

// stays is the key of what to change so that the upload stays right.
func stays(x *audit.Cause) string {
	switch {
	case x.By != (audit.RuleAt{}):
		return "stay-by-rule"
	case x.Group == audit.TakenOut && x.Trait == audit.ToMissing:
		return "stay-to-missing"
	case x.Group == audit.TakenOut && has("stay-"+string(x.Verdict)):
		return "stay-" + string(x.Verdict)
	case x.Group == audit.TakenOut:
		return "stay-removed"
	case duplicates(x):
		return "stay-repeated"
	case x.Verdict == audit.Noncanonical:
		return "stay-noncanonical"
	}
	for _, t := range x.Terms {
		if k := messages.RemedyOf(t); k != "" && has("stay-"+k) {
			return "stay-" + k
		}
	}
	return "stay-other"
}
