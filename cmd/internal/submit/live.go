package submit

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/sitemap"
	"sitemend/report"
	"sitemend/report/messages"
	"sitemend/storage"
)

// A liveFile is a corrected sitemap, and how its address answers now: for Google and for other
// clients without a cache.
type liveFile struct {
	*report.CorrectedFile
	at     address.Address // where it belongs
	wrong  string          // how the address differs from the corrected sitemap; "" where it does not
	digest string          // of what is listed there
	urls   int             // how many URLs are listed there
}

// liveRetries is how long to wait before each further try after a failure that may be temporary.
var liveRetries = []time.Duration{time.Second, 4 * time.Second}

// maxLive is the most bytes of a file that are fetched, as served.
const maxLive = 1 << 30

// lookAt checks one file. Its error is one of ctx, or of this machine.
func (h *handing) lookAt(ctx context.Context, f *report.CorrectedFile) (out liveFile, err error) {
	out.CorrectedFile = f
	if out.at, err = address.Parse(f.BelongsAt); err != nil {
		return out, fmt.Errorf("summary.json: %q is no address", f.BelongsAt)
	}
	name := filepath.Join(h.dir, "live")
	got, err := h.fetch(ctx, out.at, name)
	if err != nil {
		return out, err
	}
	if out.wrong = answerOf(&got); out.wrong != "" {
		return out, nil
	}
	lists := storage.NewSorter(h.dir)
	defer lists.Close()
	read := reading{ctx, got.Final.String(), lists}
	var due, live sitemap.Info
	err = h.corrected.Sitemap(f, func(r io.Reader) error {
		text := sha256.New()
		due, err = read.list(inCorrected, r, text)
		if err == nil && f.SHA256 != "" && hex.EncodeToString(text.Sum(nil)) != f.SHA256 {
			err = errors.New("it was changed after it was written: what it lists was not audited")
		}
		return err
	})
	if err != nil {
		return out, cli.WithHint(err, "sitemend report writes the corrected sitemaps again")
	}
	file, err := os.Open(name)
	if err != nil {
		return out, err
	}
	defer file.Close()
	live, err = read.list(inLive, file, io.Discard)
	if none := (*sitemap.FormatError)(nil); errors.As(err, &none) {
		out.wrong = "is no sitemap: " + none.What
		return out, nil
	}
	if err != nil {
		return out, err
	}
	return out, out.compare(lists, broken(&live, &due))
}

// fetch fetches an address into a file, with further tries after failures that may be temporary. It
// follows no redirect and sends no cache directives: it gets from caches what Google gets.
func (h *handing) fetch(ctx context.Context, at address.Address, name string) (got fetch.FileResult,
	err error) {
	for try := 0; ; try++ {
		file, err := os.Create(name)
		if err != nil {
			return got, err
		}
		got, err = h.client.Get(ctx, fetch.File{URL: at, Limit: maxLive}, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return got, err
		}
		passes := got.Fault != "" || got.Status == 429 || got.Status >= 500
		if !passes || try == len(liveRetries) {
			return got, nil
		}
		if err := h.env.Time().Sleep(ctx, liveRetries[try]); err != nil {
			return got, err
		}
	}
}

// answerOf says why an answer is not the complete file; "" where it is.
func answerOf(got *fetch.FileResult) string {
	switch {
	case got.Fault != "":
		return "does not answer whole: " + got.Fault.Words()
	case got.Challenge != "":
		return fmt.Sprintf("answers %d: a bot protection (%s) in place of the sitemap", got.Status,
			got.Challenge)
	case audit.Redirects(got.Status) && len(got.Trail) > 0:
		return fmt.Sprintf("answers %d to %s: a sitemap is to answer 200 itself", got.Status,
			got.Trail[len(got.Trail)-1].Location)
	case got.Status != 200:
		return fmt.Sprintf("answers %d", got.Status)
	case got.Truncated:
		return "is longer than a sitemap may be"
	}
	return ""
}

// broken says what prevents a parser from reading the live file to its end, where the corrected one
// has less of it; "" for nothing.
func broken(live, due *sitemap.Info) string {
	faults := func(info *sitemap.Info) (n int, first *sitemap.Fault) {
		for i := range slices.Backward(info.Faults) {
			if f := &info.Faults[i]; f.Breaks() {
				n, first = n+max(1, f.Count), f
			}
		}
		return n, first
	}
	n, first := faults(live)
	allowed, _ := faults(due)
	switch {
	case n > allowed && first.Line > 0:
		return fmt.Sprintf("is broken on line %d: %s", first.Line,
			messages.StableFault(audit.SitemapFault{Key: first.Key, Args: first.Args}))
	case n > allowed:
		return "is broken: " + messages.StableFault(audit.SitemapFault{Key: first.Key, Args: first.Args})
	case live.Truncated && !due.Truncated:
		return "cannot be read to its end"
	}
	return ""
}

// The lists that a URL may stand in: the values of the records.
const (
	inCorrected byte = 1 << iota
	inLive
)

// The kinds of URLs in a file: the keys of the records begin with them.
const (
	listed = "a" // in a <loc>
	linked = "l" // in an xhtml:link
)

// reading collects the lists of files.
type reading struct {
	ctx   context.Context
	at    string
	lists *storage.Sorter
}

// list adds the URLs that one file lists, and those of its xhtml:links.
func (a *reading) list(in byte, file io.Reader, text io.Writer) (sitemap.Info, error) {
	o := sitemap.Options{URL: a.at, Text: text, Links: func(_ []sitemap.Entry, links []sitemap.Link) error {
		for _, l := range links {
			if err := a.lists.Add(linked+l.Href, []byte{in}); err != nil {
				return err
			}
		}
		return nil
	}}
	return sitemap.Read(sitemap.Stoppable(a.ctx, file), o, func(e sitemap.Entry) error {
		return a.lists.Add(listed+e.Loc, []byte{in})
	})
}

// shown is how many URLs of each difference are named.
const shown = 3

// A difference is the URLs that are missing in a list.
type difference struct {
	n     int
	first []string
}

func (d *difference) add(url string) {
	if d.n++; len(d.first) < shown {
		d.first = append(d.first, address.Masked(url))
	}
}

// compare compares the lists: the live file must have the same URLs as the corrected one, octet for
// octet, and must not be broken.
func (f *liveFile) compare(lists *storage.Sorter, broken string) error {
	var differ [4]difference
	digest, key, in := sha256.New(), "", byte(0)
	end := func() {
		place := 0
		if strings.HasPrefix(key, linked) {
			place = 2
		}
		if in&inLive != 0 {
			fmt.Fprintf(digest, "%d %s\n", len(key), key)
		}
		if in&inLive != 0 && place == 0 {
			f.urls++
		}
		switch in {
		case inCorrected:
			differ[place].add(key[1:])
		case inLive:
			differ[place+1].add(key[1:])
		}
	}
	for r, err := range lists.Records() {
		if err != nil {
			return err
		}
		if string(r.Key) != key {
			end()
			key, in = string(r.Key), 0
		}
		in |= r.Value[0]
	}
	end()
	f.digest = hex.EncodeToString(digest.Sum(nil))
	var said []string
	if broken != "" {
		said = append(said, broken)
	}
	for i, words := range [][3]string{{"lacks", "URL", "URLs"}, {"lists", "other URL", "other URLs"},
		{"lacks", "linked URL", "linked URLs"}, {"links to", "other URL", "other URLs"}} {
		if d := &differ[i]; d.n > 0 {
			more := strings.Repeat(", ...", min(1, d.n-len(d.first)))
			said = append(said, fmt.Sprintf("%s %s (%s%s)", words[0],
				cli.Plural(d.n, words[1], words[2]), strings.Join(d.first, ", "), more))
		}
	}
	f.wrong = strings.Join(said, ", ")
	return nil
}
