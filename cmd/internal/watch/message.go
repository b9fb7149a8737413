package watch

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/crawler/audit"
	"sitemend/report"
	"sitemend/report/messages"
)

// A Kind is what a message is about.
type Kind string

// The kinds of messages.
const (
	Worse     Kind = "worse"     // addresses got worse, sitemaps have new errors, or sitemaps cannot be read that could be, or are new
	Better    Kind = "better"    // addresses got better, or errors of sitemaps were mended
	Failed    Kind = "failed"    // the audit could not be made, the second time in a row
	Recovered Kind = "recovered" // it could be made again
	Test      Kind = "test"      // of --test-notify
)

// A message is something new of a site, before it is known to whom it goes.
type message struct {
	Kind  Kind
	Title string
	Text  string // all of it
	body  body
}

// A body is the JSON of a message. What a site sent is in it octet for octet, where JSON can
// hold that.
type body struct {
	ID     string         `json:"id"` // the same each time that it is sent again
	Site   string         `json:"site"`
	Audit  string         `json:"audit"`  // id; "" where there is none
	Before string         `json:"before"` // id of the audit that it is compared with
	At     time.Time      `json:"at"`     // when the audit ended
	Kind   Kind           `json:"kind"`
	Counts map[string]int `json:"counts"`
	First  []bodyChange   `json:"first"`
	Report string         `json:"report"` // address of the report, or its file
	Why    string         `json:"why"`    // of failed
}

type bodyChange struct {
	Address string        `json:"address"`
	Was     audit.Verdict `json:"was"` // "" where it was not listed, and of a sitemap
	Is      audit.Verdict `json:"is"`
	Then    string        `json:"then"`
	Now     string        `json:"now"`
}

// A writer writes messages in one language.
type writer struct {
	lang   string
	words  *messages.Catalogue // of watch
	loc    *time.Location
	report func(site, audit string) string
}

func newWriter(lang string, loc *time.Location, report func(site, audit string) string) writer {
	return writer{lang, messages.Of(lang).Watch(), loc, report}
}

func (w writer) clock(t time.Time) string { return t.In(w.loc).Format("2006-01-02 15:04") }

// of returns the messages about a finished audit.
func (w writer) of(site string, n *job.News, was *state) (list []message) {
	if was.Failed {
		list = append(list, w.recovered(site, n))
	}
	if n.Before == "" || was.Seq == 0 { // the first one, and a store from before the watching
		return list
	}
	if n.Worse.Any() {
		list = append(list, w.turned(site, n, Worse, &n.Worse))
	}
	if n.Better.Any() {
		list = append(list, w.turned(site, n, Better, &n.Better))
	}
	return list
}

// base is the body of a message about an audit.
func (w writer) base(site string, n *job.News, k Kind) body {
	return body{Site: site, Audit: n.ID, Before: n.Before, At: n.Ended.UTC(), Kind: k, Report: w.report(site, n.ID)}
}

// turned returns the message about what got worse, or better.
func (w writer) turned(site string, n *job.News, k Kind, turn *job.Turn) message {
	b := w.base(site, n, k)
	b.Counts = map[string]int{"addresses": turn.Addresses, "sitemaps": turn.Sitemaps, "errors": turn.Errors}
	t := text{w: w}
	for _, x := range []struct {
		key string
		n   int
	}{{string(k), turn.Addresses}, {"worse-files", turn.Sitemaps}, {string(k) + "-errors", turn.Errors}} {
		if x.n == 0 {
			continue
		}
		if said := w.words.Count(x.key, x.n, "site", site); t.title == "" {
			t.title = said
		} else {
			t.line(said)
		}
	}
	for v, count := range turn.Problems {
		b.Counts["new:"+string(v)] = count
	}
	t.line(w.words.Text("since", "at", w.clock(auditTime(n.Before))))
	for _, c := range turn.First {
		b.First = append(b.First, bodyChange{c.Address, c.Was, c.Is, c.Then[w.lang], c.Now[w.lang]})
		t.line("  " + w.words.Text("address", "address", c.Address, "then", c.Then[w.lang], "now", c.Now[w.lang]))
	}
	return t.message(k, b)
}

// recovered says that a site can be audited again.
func (w writer) recovered(site string, n *job.News) message {
	t := text{w: w, title: w.words.Text("recovered", "site", site)}
	return t.message(Recovered, w.base(site, n, Recovered))
}

// failed says that a site could not be audited, twice in a row; next is when it is tried again.
func (w writer) failed(site, id, why string, ended, next time.Time) message {
	t := text{w: w, title: w.words.Text("failed", "site", site)}
	t.line(w.words.Text("failed-text", "why", why))
	if !next.IsZero() {
		t.line(w.words.Text("failed-next", "at", w.clock(next)))
	}
	b := body{Site: site, Audit: id, At: ended.UTC(), Kind: Failed, Why: why}
	if id != "" {
		b.Report = w.report(site, id)
	}
	return t.message(Failed, b)
}

// test is the message of --test-notify.
func (w writer) test(receiver string, now time.Time) message {
	t := text{w: w, title: w.words.Text("test")}
	t.line(w.words.Text("test-text", "name", receiver))
	return t.message(Test, body{At: now.UTC(), Kind: Test})
}

// auditTime is when an audit began, by its id; the zero time for an id of another form.
func auditTime(id string) time.Time {
	start, _, _ := strings.Cut(id, "-")
	t, _ := time.Parse("20060102T150405Z", start)
	return t
}

// maxLine is how long a line of a message may be, in characters: an address may be 8,000.
const maxLine = 400

// A text is a message that is being written.
type text struct {
	w     writer
	title string
	lines []string
}

// line adds a line. What a site sent cannot steer a terminal in it, nor address people or
// channels of a chat, nor be a link that shows another address.
func (t *text) line(s string) { t.lines = append(t.lines, calm(s)) }

func calm(s string) string {
	s = report.Visible(strings.NewReplacer("\n", " ", "\t", " ").Replace(s))
	if r := []rune(s); len(r) > maxLine {
		s = string(r[:maxLine-1]) + "…"
	}
	return mentions.Replace(s)
}

// mentions breaks what chats take for a mention or a link, with a space of no width: an escape in
// its place would be another address.
var mentions = strings.NewReplacer("@", "@\u200b", "<", "<\u200b", "](", "]\u200b(")

// message ends a text.
func (t *text) message(k Kind, b body) message {
	if b.Counts == nil { // each message has all keys
		b.Counts = map[string]int{}
	}
	if b.First == nil {
		b.First = []bodyChange{}
	}
	m := message{Kind: k, Title: calm(t.title), body: b}
	all := append([]string{m.Title}, t.lines...)
	if b.Report != "" {
		all = append(all, t.w.words.Text("report", "url", b.Report))
	}
	m.Text = strings.Join(all, "\n")
	return m
}

// letters are a message to each of its receivers, with ids that are the same whenever they are
// made of the same.
func letters(salt []byte, m message, receivers []string, about string, now time.Time) ([]letter, error) {
	var list []letter
	for _, name := range receivers {
		sum := sha256.New()
		for _, part := range []string{string(salt), name, m.body.Site, about, string(m.Kind)} {
			sum.Write([]byte(part + "\x00"))
		}
		b := m.body
		b.ID = hex.EncodeToString(sum.Sum(nil)[:12])
		text, err := json.Marshal(b)
		if err != nil {
			return nil, err
		}
		list = append(list, letter{ID: b.ID, Site: b.Site, Receiver: name, Title: m.Title, Text: m.Text, JSON: text, Created: now, Next: now})
	}
	return list, nil
}

// maxWhy is how long the reason of a failure may be, in characters.
const maxWhy = 300

// reason is an error as a message says it.
func reason(err error) string {
	s := cli.OneLine(err.Error())
	if r := []rune(s); len(r) > maxWhy {
		s = string(r[:maxWhy-1]) + "…"
	}
	return s
}
