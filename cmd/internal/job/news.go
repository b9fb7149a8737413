package job

import (
	"encoding/json"
	"time"

	"sitemend/crawler/audit"
	"sitemend/crawler/diff"
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
	Ended      time.Time
	Duration   time.Duration // of the audit, in all
	Requests   int
	Entries    int
	Verdicts   map[audit.Verdict]int
	// Trouble says in English why it could not be audited, though the outputs were written; ""
	// where it could.
	Trouble string
	// Worse and Better are what changed since Before; both empty where there is none.
	Worse, Better Turn
}

// A Turn is what got worse, or better.
type Turn struct {
	Addresses int                   // with a problem that Before did not have there, or without one that it had
	Sitemaps  int                   // of which less can be read than before; of Worse alone
	Errors    int                   // places of errors in the sitemaps that are new, or gone
	Problems  map[audit.Verdict]int // Addresses by verdict; of Worse alone
	First     []NewsChange
}

// Any reports whether anything turned.
func (t *Turn) Any() bool { return t.Addresses+t.Sitemaps+t.Errors > 0 }

// A NewsChange is one address, or one sitemap, with what was seen then and now in each language.
// What a site sent is in it as the site sent it.
type NewsChange struct {
	Address   string
	Was, Is   audit.Verdict // "" where it was not listed
	Then, Now map[string]string
}

// newsFirst is how many changes a Turn has at most.
const newsFirst = 5

// compare notes what changed since the last audit.
func (n *News) compare(d *diff.Result) {
	n.Before = d.Old.ID
	words := map[string]*report.DiffWords{}
	for _, lang := range messages.Langs() {
		words[lang] = report.NewDiffWords(d, lang)
	}
	n.Worse = Turn{Addresses: d.Problems(), Sitemaps: d.Lost(), Problems: map[audit.Verdict]int{}}
	n.Better = Turn{Addresses: d.Counts[diff.Fixed]}
	for i := range d.Sitemaps {
		c := &d.Sitemaps[i]
		added, gone := c.Errors()
		x := NewsChange{Address: c.URL, Then: map[string]string{}, Now: map[string]string{}}
		for lang, w := range words {
			x.Then[lang], x.Now[lang] = w.Sitemap(c)
		}
		if !c.Lost() { // else that says it
			n.Worse.Errors += added
		}
		n.Better.Errors += gone
		if c.Lost() || added > 0 {
			n.Worse.add(x)
		}
		if gone > 0 {
			n.Better.add(x)
		}
	}
	for _, v := range audit.Verdicts() {
		if count := d.NewVerdicts[v]; count > 0 && v.Problem() {
			n.Worse.Problems[v] = count
			n.Worse.changes(d.Newest[v], words)
		}
	}
	n.Better.changes(d.First[diff.Fixed], words)
}

// add adds a change, where there is room.
func (t *Turn) add(x NewsChange) {
	if len(t.First) < newsFirst {
		t.First = append(t.First, x)
	}
}

func (t *Turn) changes(list []diff.Change, words map[string]*report.DiffWords) {
	for i := range list[:min(newsFirst, len(list))] {
		c := &list[i]
		x := NewsChange{Address: c.URL, Then: map[string]string{}, Now: map[string]string{}}
		if c.Old != nil {
			x.Was = c.Old.Verdict
		}
		if c.New != nil {
			x.Is = c.New.Verdict
		}
		for lang, w := range words {
			x.Then[lang], x.Now[lang] = w.Sides(c)
		}
		t.add(x)
	}
}

// keepNews remembers the news of an audit that is about to end.
func (j *job) keepNews(a *storage.Audit, out *Outcome) error {
	t := out.Result
	n := &j.news
	n.ID, n.Ended, n.Duration = a.ID(), t.Info.Ended, t.Info.Duration
	n.Requests, n.Entries, n.Verdicts = t.Info.Requests, t.Counts.Entries, t.Counts.Verdicts
	if out.trouble != nil {
		n.Trouble = out.trouble.Error()
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
