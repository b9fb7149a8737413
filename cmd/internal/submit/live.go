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
	digest string          // of the corrected file
	urls   int             // how many URLs are listed there
}

// liveRetries is how long to wait before each further try after a failure that may be temporary.
var liveRetries = []time.Duration{time.Second, 4 * time.Second}

// maxLive is the most bytes of a file that are fetched, as served.
const maxLive = 1 << 30

// lookAt says how the address of a file differs from the corrected sitemap; "" where it does not.
// Its error is one of ctx, or of this machine.
func (h *handing) lookAt(ctx context.Context, f *liveFile) (wrong string, err error) {
	if f.at, err = address.Parse(f.BelongsAt); err != nil {
		return "", fmt.Errorf("summary.json: %q is no address", f.BelongsAt)
	}
	name := filepath.Join(h.dir, "live")
	got, err := h.fetch(ctx, f.at, name)
	if wrong = answerOf(&got); err != nil || wrong != "" {
		return wrong, err
	}
	lists := storage.NewSorter(h.dir)
	defer lists.Close()
	read := reading{ctx, got.Final.String(), lists}
	var due, live sitemap.Info
	err = h.corrected.Sitemap(f.CorrectedFile, func(r io.Reader) error {
		text := sha256.New()
		due, err = read.list(inCorrected, r, text)
		f.digest = hex.EncodeToString(text.Sum(nil))
		if err == nil && f.SHA256 != "" && f.digest != f.SHA256 {
			err = errors.New("it was changed after it was written: what it lists was not audited")
		}
		return err
	})
	if err != nil {
		return "", cli.WithHint(err, "sitemend report writes the corrected sitemaps again")
	}
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	live, err = read.list(inLive, file, io.Discard)
	if none := (*sitemap.FormatError)(nil); errors.As(err, &none) {
		return "is no sitemap: " + none.What, nil
	}
	if err != nil {
		return "", err
	}
	differs, err := f.compare(lists)
	return strings.Join(append(broken(&live, &due), differs...), ", "), err
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

// broken says what prevents a parser from reading the live file to its end, where nothing does so
// in the corrected one.
func broken(live, due *sitemap.Info) []string {
	breaks := func(f sitemap.Fault) bool { return f.Breaks() }
	at := slices.IndexFunc(live.Faults, breaks)
	switch {
	case slices.ContainsFunc(due.Faults, breaks) || due.Truncated:
	case at >= 0:
		f := &live.Faults[at]
		line := strings.Repeat(fmt.Sprintf(" on line %d", f.Line), min(1, f.Line))
		return []string{"is broken" + line + ": " + messages.StableFault(audit.SitemapFault{Key: f.Key, Args: f.Args})}
	case live.Truncated:
		return []string{"cannot be read to its end"}
	}
	return nil
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

// compare compares the lists: the live file must have the same URLs as the corrected one, octet for
// octet.
func (f *liveFile) compare(lists *storage.Sorter) (differs []string, err error) {
	missing := map[byte][]string{} // by the list that has them
	count := map[byte]int{}
	key, in := "", inCorrected|inLive
	end := func() {
		if in&inLive != 0 && strings.HasPrefix(key, listed) {
			f.urls++
		}
		if count[in]++; count[in] <= shown && in != inCorrected|inLive {
			missing[in] = append(missing[in], address.Masked(key[1:]))
		}
	}
	for r, err := range lists.Records() {
		if err != nil {
			return nil, err
		}
		if string(r.Key) != key {
			end()
			key, in = string(r.Key), 0
		}
		in |= r.Value[0]
	}
	end()
	for _, x := range []struct {
		in              byte
		verb, one, many string
	}{{inCorrected, "lacks", "URL", "URLs"}, {inLive, "lists", "other URL", "other URLs"}} {
		if n := count[x.in]; n > 0 {
			more := strings.Repeat(", ...", min(1, n-len(missing[x.in])))
			differs = append(differs, fmt.Sprintf("%s %s (%s%s)", x.verb, cli.Plural(n, x.one, x.many), strings.Join(missing[x.in], ", "), more))
		}
	}
	return differs, nil
}
