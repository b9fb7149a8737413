package job

import (
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
	// Files and First are the first of them. What a site sent is in it as the site sent it.
	Files []diff.SitemapChange
	First []diff.Change
}

// Any reports whether anything turned.
func (t *Turn) Any() bool { return t.Addresses+t.Sitemaps+t.Errors > 0 }

// newsFirst is how many sitemaps, and how many addresses, a Turn has at most.
const newsFirst = 5

// A NewsChange is one address, or one sitemap, with what was seen then and now.
type NewsChange struct {
	Address   string
	Was, Is   audit.Verdict // "" where it was not listed
	Then, Now string
}

// Told returns the first of what turned, in a language.
func (t *Turn) Told(lang string) (list []NewsChange) {
	words := messages.Of(lang)
	for i := range t.Files {
		r := report.SitemapDiff(&t.Files[i])
		list = append(list, NewsChange{Address: r.URL, Then: r.Then.Plain(words), Now: r.Now.Plain(words)})
	}
	for i := range t.First {
		c := &t.First[i]
		r := report.URLDiff(c)
		x := NewsChange{Address: r.URL, Then: r.Then.Plain(words), Now: r.Now.Plain(words)}
		if c.Old != nil {
			x.Was = c.Old.Verdict
		}
		if c.New != nil {
			x.Is = c.New.Verdict
		}
		list = append(list, x)
	}
	return firstOf(list)
}

// compare notes what changed since the last audit.
func (n *News) compare(d *diff.Result) {
	n.Before = d.Old.ID
	n.Worse = Turn{Addresses: d.Problems(), Sitemaps: d.Lost(), Problems: map[audit.Verdict]int{}}
	n.Better = Turn{Addresses: d.Counts[diff.Fixed], First: firstOf(d.First[diff.Fixed])}
	for _, c := range d.Sitemaps {
		added, gone := c.Errors()
		if !c.Lost() { // else that says it
			n.Worse.Errors += added
		}
		n.Better.Errors += gone
		if c.Lost() || added > 0 {
			n.Worse.Files = firstOf(append(n.Worse.Files, c))
		}
		if gone > 0 {
			n.Better.Files = firstOf(append(n.Better.Files, c))
		}
	}
	for _, v := range audit.Verdicts() {
		if count := d.NewVerdicts[v]; count > 0 && v.Problem() {
			n.Worse.Problems[v] = count
			n.Worse.First = firstOf(append(n.Worse.First, d.Newest[v]...))
		}
	}
}

func firstOf[T any](list []T) []T { return list[:min(newsFirst, len(list))] }

// keepNews remembers the news of an audit that is about to end.
func (j *job) keepNews(a *storage.Audit, out *Outcome) error {
	t := out.Result
	n := &j.news
	n.ID, n.Ended, n.Duration = a.ID(), t.Info.Ended, t.Info.Duration
	n.Requests, n.Entries, n.Verdicts = t.Info.Requests, t.Counts.Entries, t.Counts.Verdicts
	if out.trouble != nil {
		n.Trouble = out.trouble.Error()
	}
	return put(a, newsKey, n)
}

// NewsOf returns the news of a finished audit; ok is false where it has none, for it was stopped,
// or made by a version that kept none.
func NewsOf(store *storage.Store, id string) (n News, ok bool, err error) {
	a, err := store.Audit(id)
	if err != nil {
		return n, false, err
	}
	defer a.Close()
	return get[News](a, newsKey)
}
