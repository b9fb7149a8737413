package job

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"sitemend/crawler/audit"
	"sitemend/report"
	"sitemend/report/messages"
	"sitemend/storage"
)

// newsKey is the record of a finished audit that holds its News. It is written in the
// transaction in which the audit ends: where the one is, the other is.
const newsKey = "news"

// News is what a finished audit has to say to who reads only what is new. It is bounded however
// much changed.
type News struct {
	ID, Before string // of the audit, and of the last one like it; "" for none
	Started    time.Time
	Ended      time.Time
	Duration   time.Duration // of the audit, in all
	Requests   int
	Entries    int
	Verdicts   map[audit.Verdict]int
	// Trouble says in English why it could not be audited, though the outputs were written; ""
	// where it could.
	Trouble string
	// Worse and Better are what changed since Before; both empty where there is none. An address
	// that Before could not see is compared with what an audit before it saw there.
	Worse, Better Turn
	// Applied is how many corrections of the last audit like it the sitemaps have now
	// (audit.Since.Applied). None of them is in Better.
	Applied int
	// Back is what audits took out, answers 200 again and is in no sitemap.
	Back audit.CameBackList
	// Causes are the largest of the audit, Changed those that grew and those that shrank most since
	// Before.
	Causes, Changed []NewsCause
	// Beside says in each language what changed since Before beside the entries, a line each
	// (report.DiffWords.Beside): of the faults of files and the links of pages with Spec.Watched.
	Beside map[string][]string
}

// A Turn is what got worse, or better.
type Turn struct {
	Addresses int
	Lists     int                      // addresses that sitemaps name beside their entries
	Errors    int                      // places of errors in the sitemaps that are new, or were mended
	Left      int                      // addresses that were fine and left sitemaps with much else (audit.Shrunk); of Worse alone
	Back      int                      // addresses that came back (News.Back) and had not when that was looked at last; of Worse alone
	Files     int                      // sitemaps that cannot be read (audit.FileChange.NewlyUnread); of Worse alone
	Kinds     map[audit.ChangeKind]int // of the addresses, each by its most telling kind
	Problems  map[audit.Verdict]int    // problems that were not seen there last, by verdict; of Worse alone
	First     []NewsChange             // the gravest
	Parts     map[string]string        // Kinds in words, in each language
}

// Any reports whether anything turned.
func (t *Turn) Any() bool { return t.Addresses+t.Files+t.Lists+t.Errors+t.Left+t.Back > 0 }

// A NewsChange is one address, or one sitemap, with what was seen then and now in each language.
// What a site sent is in it as the site sent it.
type NewsChange struct {
	Address   string
	Was, Is   audit.Verdict // "" where it was not listed
	Then, Now map[string]string
}

// A NewsCause is a cause in words, in each language.
type NewsCause struct {
	Verdict audit.Verdict
	Words   map[string]string
	Then    int // entries
	Now     int
	// NotCompared counts the addresses of the cause beside Then and Now that were not compared.
	NotCompared int
}

// How many of each News has at most.
const (
	newsFirst  = 5
	newsCauses = 5
	newsBeside = 30 // lines
)

// compare notes what changed since the last audit, where d compares with what was seen last.
func (n *News) compare(d *audit.Diff) {
	n.Before = d.Old.ID
	words := map[string]*report.DiffWords{}
	for _, lang := range messages.Langs() {
		words[lang] = report.NewDiffWords(d, lang)
	}
	n.Worse, n.Better = turnOf(d, audit.Worse, words), turnOf(d, audit.Better, words)
	n.Worse.Problems = map[audit.Verdict]int{}
	for v, count := range d.NewVerdicts {
		if v.Problem() && count > 0 {
			n.Worse.Problems[v] = count
		}
	}
	n.Worse.Left = d.Since.Lost
	n.Worse.files(d, words)
	n.beside(d, words)
	for _, grown := range []bool{true, false} {
		causes := slices.DeleteFunc(slices.Clone(d.Causes), func(c audit.CauseChange) bool { return c.Old == c.New || c.New > c.Old != grown })
		for _, c := range report.MostChanged(causes, newsCauses) {
			n.Changed = append(n.Changed, NewsCause{c.Verdict, inEach(words, func(w *report.DiffWords) string { return w.Cause(&c) }), c.Old, c.New, c.Open()})
		}
	}
}

// beside notes what changed beside the entries.
func (n *News) beside(d *audit.Diff, words map[string]*report.DiffWords) {
	n.Beside = map[string][]string{}
	for lang, w := range words {
		if lines := w.Beside(); len(lines) > 0 {
			n.Beside[lang] = lines[:min(newsBeside, len(lines))]
		}
	}
	for i := range d.Also {
		x := &d.Also[i]
		if x.Diff == nil {
			continue
		}
		in := map[string]*report.DiffWords{}
		for lang, w := range words {
			in[lang] = w.In(x)
		}
		for e, t := range map[audit.Effect]*Turn{audit.Worse: &n.Worse, audit.Better: &n.Better} {
			list := turnOf(x.Diff, e, in)
			t.Lists += list.Addresses
			t.First = append(t.First, list.First...)
			t.First = t.First[:min(newsFirst, len(t.First))]
		}
	}
	for i := range d.Faults {
		n.Worse.Errors += d.Faults[i].NewErrors
		n.Better.Errors += d.Faults[i].MendedErrors
	}
}

// turnOf returns what changed with an effect.
func turnOf(d *audit.Diff, e audit.Effect, words map[string]*report.DiffWords) Turn {
	first := d.First[e]
	t := Turn{Addresses: d.Effects[e], Kinds: d.Parts[e], Parts: inEach(words, func(w *report.DiffWords) string { return w.Parts(e) })}
	for i := range first[:min(newsFirst, len(first))] {
		c := &first[i]
		x := NewsChange{Address: c.Address, Then: map[string]string{}, Now: map[string]string{}}
		if c.Old != nil {
			x.Was = c.Old.Verdict
		}
		if c.New != nil {
			x.Is = c.New.Verdict
		}
		for lang, w := range words {
			x.Then[lang], x.Now[lang] = w.Sides(c)
		}
		t.First = append(t.First, x)
	}
	return t
}

// files adds the sitemaps that cannot be read, and those that much left, before the addresses.
func (t *Turn) files(d *audit.Diff, words map[string]*report.DiffWords) {
	var first []NewsChange
	for i := range d.Files {
		f := &d.Files[i]
		switch {
		case f.NewlyUnread():
			t.Files++
		case !slices.ContainsFunc(d.Shrunk, func(s audit.Shrunk) bool { return s.URL == f.URL }):
			continue
		}
		if len(first) < newsFirst {
			x := NewsChange{Address: f.URL, Then: map[string]string{}, Now: map[string]string{}}
			for lang, w := range words {
				x.Then[lang], x.Now[lang] = w.Tallies(f)
			}
			first = append(first, x)
		}
	}
	t.First = append(first, t.First...)
	t.First = t.First[:min(newsFirst, len(t.First))]
}

func inEach(words map[string]*report.DiffWords, say func(*report.DiffWords) string) map[string]string {
	said := map[string]string{}
	for lang, w := range words {
		said[lang] = say(w)
	}
	return said
}

// back notes what came back, and as worse what had not come back in the last audit: somebody has to list it
// again.
func (n *News) back(older *storage.Audit, list audit.CameBackList) error {
	n.Back = list
	before, _, err := newsOf(older)
	if err != nil || list.Unlisted == 0 {
		return err
	}
	var first []NewsChange
	fresh := 0
	for _, x := range list.Addresses {
		if slices.ContainsFunc(before.Back.Addresses, func(was audit.CameBackAt) bool { return was.Loc == x.Loc }) {
			continue
		}
		if fresh++; fresh <= newsFirst {
			c := NewsChange{Address: x.Loc, Is: audit.OK, Then: map[string]string{}, Now: map[string]string{}}
			for _, lang := range messages.Langs() {
				words := messages.Of(lang).Watch()
				c.Then[lang], c.Now[lang] = words.Text("back-then"), words.Text("back-now")
			}
			first = append(first, c)
		}
	}
	n.Worse.Back = max(fresh, list.Unlisted-before.Back.Unlisted)
	n.Worse.First = append(n.Worse.First, first...)
	n.Worse.First = n.Worse.First[:min(newsFirst, len(n.Worse.First))]
	return nil
}

// keepNews remembers the news of an audit that is about to end.
func (j *job) keepNews(ctx context.Context, a *storage.Audit, out *Outcome) error {
	t := out.Result
	n := &j.news
	n.ID, n.Started, n.Ended, n.Duration = a.ID(), t.Info.Started, t.Info.Ended, t.Info.Duration
	n.Requests, n.Entries, n.Verdicts = t.Info.Requests, t.Counts.Entries, t.Counts.Verdicts
	for _, look := range []func() error{out.faults, func() error { return unseen(ctx, t) }} {
		if err := look(); err != nil && n.Trouble == "" {
			n.Trouble = err.Error()
		}
	}
	for i := range t.Causes[:min(newsCauses, len(t.Causes))] {
		c := &t.Causes[i]
		words := map[string]string{}
		for _, lang := range messages.Langs() {
			words[lang] = report.CauseLine(c, lang)
		}
		n.Causes = append(n.Causes, NewsCause{Verdict: c.Verdict, Words: words, Now: c.Count})
	}
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return a.Put(newsKey, text)
}

// NewsOf returns the news of a finished audit; ok is false where it has none, for it was stopped,
// or made by a version that kept none.
func NewsOf(store *storage.Store, id string) (n News, ok bool, err error) {
	a, err := store.Audit(id)
	if err != nil {
		return n, false, err
	}
	defer a.Close()
	return newsOf(a)
}

func newsOf(a *storage.Audit) (n News, ok bool, err error) {
	text, ok, err := a.Get(newsKey)
	if err != nil || !ok {
		return n, false, err
	}
	if err := json.Unmarshal(text, &n); err != nil {
		return n, false, audit.Damaged("the news of audit "+a.ID(), err)
	}
	return n, true, nil
}
