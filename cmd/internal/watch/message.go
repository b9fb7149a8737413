package watch

import (
	"crypto/rand"
	"encoding/json"
	"strings"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/cmd/internal/notify"
	"sitemend/crawler/diff"
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

// A body is the JSON of a message. What a site sent is in it octet for octet, where JSON can
// hold that.
type body struct {
	ID     string            `json:"id"` // the same each time that it is sent again
	Site   string            `json:"site"`
	Audit  string            `json:"audit"`  // id; "" where there is none
	Before string            `json:"before"` // id of the audit that it is compared with
	At     time.Time         `json:"at"`     // when the audit ended
	Kind   Kind              `json:"kind"`
	Counts map[string]int    `json:"counts"`
	First  []report.DiffLine `json:"first"`
	Report string            `json:"report"` // address of the report, or its file
	Why    string            `json:"why"`    // of failed
}

// A writer writes messages about a site in one language.
type writer struct {
	site, lang string
	words      *messages.Catalogue
	loc        *time.Location
	report     func(site, audit string) string
}

func newWriter(site, lang string, loc *time.Location, report func(site, audit string) string) writer {
	return writer{site, lang, messages.Of(lang), loc, report}
}

func (w writer) clock(t time.Time) string { return t.In(w.loc).Format("2006-01-02 15:04") }

// of returns the messages about a finished audit.
func (w writer) of(n *job.News, was *state) (list []notify.Message) {
	base := body{Site: w.site, Audit: n.ID, Before: n.Before, At: n.Ended.UTC(), Report: w.report(w.site, n.ID)}
	if was.Failures >= toldAfter {
		list = append(list, w.message(Recovered, base, w.words.Text("watch-recovered", "site", w.site)))
	}
	if n.Before == "" || was.Seq == 0 { // the first one, and a store from before the watching
		return list
	}
	if n.Worse.Any() {
		list = append(list, w.turned(Worse, base, &n.Worse))
	}
	if n.Better.Any() {
		list = append(list, w.turned(Better, base, &n.Better))
	}
	return list
}

// turned returns the message about what got worse, or better.
func (w writer) turned(k Kind, b body, turn *diff.Turn) notify.Message {
	b.Counts = map[string]int{"addresses": turn.Addresses, "sitemaps": turn.Sitemaps, "errors": turn.Errors}
	for v, count := range turn.Problems {
		b.Counts["new:"+string(v)] = count
	}
	var lines []string
	for _, x := range []struct {
		key string
		n   int
	}{{string(k), turn.Addresses}, {"worse-files", turn.Sitemaps}, {string(k) + "-errors", turn.Errors}} {
		if x.n > 0 {
			lines = append(lines, w.words.Count("watch-"+x.key, x.n, "site", w.site))
		}
	}
	start, _, _ := strings.Cut(b.Before, "-") // an id begins with the start of its audit
	before, _ := time.Parse("20060102T150405Z", start)
	lines = append(lines, w.words.Text("watch-since", "at", w.clock(before)))
	b.First = report.DiffLines(turn, w.lang)
	for _, c := range b.First {
		lines = append(lines, "- "+w.words.Text("watch-address", "address", c.Address, "then", c.Then, "now", c.Now))
	}
	return w.message(k, b, lines...)
}

// failed says that the site could not be audited, twice in a row; next is when it is tried again.
func (w writer) failed(id, why string, ended, next time.Time) notify.Message {
	b := body{Site: w.site, Audit: id, At: ended.UTC(), Why: why}
	if id != "" {
		b.Report = w.report(w.site, id)
	}
	return w.message(Failed, b, w.words.Text("watch-failed", "site", w.site), w.words.Text("watch-failed-text", "why", why), w.words.Text("watch-failed-next", "at", w.clock(next)))
}

// mentions breaks what chats take for a mention or a link, with a space of no width: an escape in
// its place would be another address.
var mentions = strings.NewReplacer("@", "@\u200b", "<", "<\u200b", "](", "]\u200b(")

// maxLine is how long a line of a message may be, in characters: an address may be 8,000.
const maxLine = 400

// cut is a text of at most so many characters.
func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}

// message makes a message of its lines, the first of which is its title. What a site sent cannot
// steer a terminal in it, nor address people or channels of a chat, nor be a link that shows
// another address.
func (w writer) message(k Kind, b body, lines ...string) notify.Message {
	b.ID, b.Kind = rand.Text(), k
	if b.Counts == nil { // each message has all keys
		b.Counts = map[string]int{}
	}
	b.First = append([]report.DiffLine{}, b.First...)
	for i, line := range lines {
		lines[i] = mentions.Replace(cut(cli.OneLine(line), maxLine))
	}
	if b.Report != "" {
		lines = append(lines, w.words.Text("watch-report", "url", b.Report))
	}
	text, _ := json.Marshal(b) // plain data: no error
	return notify.Message{ID: b.ID, Title: lines[0], Text: strings.Join(lines, "\n"), JSON: text}
}
