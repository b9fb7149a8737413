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
	"sitemend/crawler/google"
	"sitemend/crawler/sitemap"
	"sitemend/report"
	"sitemend/report/messages"
	"sitemend/storage"
)

// A liveCheck checks whether the addresses of corrected sitemaps now answer with them, for Google
// and for other clients without a cache.
type liveCheck struct {
	corrected *report.Corrected
	client    *fetch.Client
	clock     google.Clock
	dir       string // for temporary files
}

// A liveFile is the result of the check of one corrected sitemap.
type liveFile struct {
	*report.CorrectedFile
	at address.Address // where it belongs
	// wrong says how the address differs from the corrected sitemap; "" where it does not.
	wrong string
	// itself is set where the address answers with the written file, byte for byte apart from
	// compression, and not only with the same list.
	itself bool
	// broken says what prevents a parser from reading it to its end, although the corrected sitemap
	// can be read; "" for nothing.
	broken string
	// digest is that of its list, and entries the number of addresses in it.
	digest  string
	entries int
}

// liveRetries is how long to wait before each further try after a failure that may be temporary.
var liveRetries = []time.Duration{time.Second, 4 * time.Second}

// maxLive is the most bytes of a file that are fetched, as served.
const maxLive = 1 << 30

// look checks one file. Its error is one of ctx, or of this machine.
func (l *liveCheck) look(ctx context.Context, f *report.CorrectedFile) (liveFile, error) {
	out := liveFile{CorrectedFile: f}
	var err error
	if out.at, err = address.Parse(f.BelongsAt); err != nil {
		return out, fmt.Errorf("summary.json: %q is no address", f.BelongsAt)
	}
	name := filepath.Join(l.dir, "live")
	got, err := l.fetch(ctx, out.at, name)
	if err != nil {
		return out, err
	}
	if out.wrong = answerOf(&got); out.wrong != "" {
		return out, nil
	}
	lists := storage.NewSorter(l.dir)
	defer lists.Close()
	if err := l.read(ctx, &out, name, got.Final, lists); err != nil || out.wrong != "" {
		return out, err
	}
	return out, out.compare(lists)
}

// fetch fetches an address into a file, with further tries after failures that may be temporary. It
// follows no redirect and sends no cache directives: it gets from caches what Google gets.
func (l *liveCheck) fetch(ctx context.Context, at address.Address, name string) (fetch.FileResult,
	error) {
	for try := 0; ; try++ {
		file, err := os.Create(name)
		if err != nil {
			return fetch.FileResult{}, err
		}
		got, err := l.client.Get(ctx, fetch.File{URL: at, Limit: maxLive}, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return got, err
		}
		if heals := got.Fault != "" || got.Status == 429 || got.Status >= 500; !heals || try == len(liveRetries) {
			return got, nil
		}
		if err := l.clock.Sleep(ctx, liveRetries[try]); err != nil {
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
	case audit.Redirects(got.Status):
		to := ""
		if len(got.Trail) > 0 {
			to = " to " + got.Trail[len(got.Trail)-1].Location
		}
		return fmt.Sprintf("answers %d%s: a sitemap is to answer 200 itself", got.Status, to)
	case got.Status != 200:
		return fmt.Sprintf("answers %d", got.Status)
	case got.Truncated:
		return "is longer than a sitemap may be"
	}
	return ""
}

// The lists that an address may stand in.
const (
	inOriginal byte = 1 << iota
	inCorrected
	inLive
)

// The kinds of addresses in a file: the keys of the records begin with them.
const (
	listedAs = "a" // in a <loc>
	linkedAs = "l" // in an xhtml:link
)

// read adds the lists of the three files, and compares the live file with the corrected one.
func (l *liveCheck) read(ctx context.Context, f *liveFile, name string, at address.Address,
	lists *storage.Sorter) error {
	fetched := func(fn func(io.Reader) error) error {
		file, err := os.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		return fn(file)
	}
	of := func(open func(*report.CorrectedFile,
		func(io.Reader) error) error) func(func(io.Reader) error) error {
		return func(fn func(io.Reader) error) error { return open(f.CorrectedFile, fn) }
	}
	add := adding{ctx, at.String(), lists}
	_, err := add.file(inOriginal, of(l.corrected.Original))
	corrected, failed := add.file(inCorrected, of(l.corrected.Sitemap))
	if err = errors.Join(err, failed); err == nil && f.SHA256 != "" && corrected.digest != f.SHA256 {
		err = fmt.Errorf("%s was changed after it was written: what it lists was not audited",
			f.Written)
	}
	if err != nil {
		return cli.WithHint(err, "sitemend report writes the corrected sitemaps again")
	}
	live, err := add.file(inLive, fetched)
	var none *sitemap.FormatError
	if errors.As(err, &none) {
		f.wrong = "is no sitemap: " + none.What
		return nil
	}
	f.itself, f.broken = live.digest == corrected.digest, brokenBeside(live.info, corrected.info)
	return err
}

// brokenBeside returns the first fault of the live file that the corrected one does not have, where
// the live one has more; "" otherwise.
func brokenBeside(live, corrected sitemap.Info) string {
	if broken, due := places(live.Faults), places(corrected.Faults); len(broken) > len(due) {
		f := broken[0]
		for _, b := range broken {
			if !slices.ContainsFunc(due, func(d sitemap.Fault) bool { return d.Key == b.Key }) {
				f = b
				break
			}
		}
		at := ""
		if f.Line > 0 {
			at = fmt.Sprintf(" on line %d", f.Line)
		}
		return fmt.Sprintf("is broken%s, where the corrected file is not: %s", at,
			messages.StableFault(audit.SitemapFault{Key: f.Key, Args: f.Args}))
	}
	if live.Truncated && !corrected.Truncated {
		return "cannot be read to its end"
	}
	return ""
}

// places returns the faults at which a parser may give up, each as often as it occurs.
func places(faults []sitemap.Fault) (out []sitemap.Fault) {
	for _, f := range faults {
		if f.Breaks() {
			out = append(out, slices.Repeat([]sitemap.Fault{f}, max(1, f.Count))...)
		}
	}
	return out
}

// adding collects the lists of files.
type adding struct {
	ctx   context.Context
	at    string
	lists *storage.Sorter
}

// added is a file whose addresses were added.
type added struct {
	info   sitemap.Info
	digest string // of its bytes, unpacked
}

// file adds the addresses that one file lists, and the targets of its xhtml:links. open may be
// called twice.
func (a *adding) file(in byte, open func(func(io.Reader) error) error) (out added, err error) {
	text := sha256.New()
	err = open(func(r io.Reader) (err error) {
		out.info, err = sitemap.Read(sitemap.Stoppable(a.ctx, r),
			sitemap.Options{URL: a.at, Text: text}, func(e sitemap.Entry) error {
				return a.lists.Add(listedAs+e.Loc, []byte{in})
			})
		return err
	})
	out.digest = hex.EncodeToString(text.Sum(nil))
	if err != nil || !out.info.Links {
		return out, err
	}
	keep := sitemap.Edits{Entry: func(int, []byte) (sitemap.Edit, error) {
		return sitemap.Edit{}, nil
	},
		Links: func(links []sitemap.Link) ([]sitemap.Edit, error) {
			for _, l := range links {
				if err := a.lists.Add(linkedAs+l.Href, []byte{in}); err != nil {
					return nil, err
				}
			}
			return make([]sitemap.Edit, len(links)), nil
		}}
	return out, open(func(r io.Reader) error {
		_, err := sitemap.Rewrite(sitemap.Stoppable(a.ctx, r), io.Discard, keep)
		if errors.Is(err, sitemap.ErrCharset) { // then no link was corrected
			return nil
		}
		return err
	})
}

// shown is how many addresses of each difference are named.
const shown = 3

// A difference is a group of addresses that are listed but should not be, or should be but are not.
type difference struct {
	n     int
	first []string
}

func (d *difference) add(url string) {
	if d.n++; len(d.first) < shown {
		d.first = append(d.first, url)
	}
}

// words returns a sentence about the number of the addresses, with the first of them.
func (d *difference) words(verb, one, many string) string {
	more := ""
	if d.n > len(d.first) {
		more = ", ..."
	}
	return fmt.Sprintf("%s %s (%s%s)", verb, cli.Plural(d.n, one, many),
		strings.Join(d.first, ", "), more)
}

// compare compares the lists: the live file must have the same addresses as the corrected one, byte
// for byte, and must not be broken. Of the xhtml:links only the corrected ones count.
func (f *liveFile) compare(lists *storage.Sorter) error {
	var old, strange, missing, oldLinks, missingLinks difference
	digest := sha256.New()
	add := func(key string, in byte) {
		url, listed := address.Masked(key[1:]), strings.HasPrefix(key, listedAs)
		if in&inLive != 0 {
			fmt.Fprintf(digest, "%d %s\n", len(key), key)
			if listed {
				f.entries++
			}
		}
		switch live, corrected, original := in&inLive != 0, in&inCorrected != 0, in&inOriginal != 0; {
		case live == corrected:
		case listed && corrected:
			missing.add(url)
		case listed && original:
			old.add(url)
		case listed:
			strange.add(url)
		case corrected && !original:
			missingLinks.add(url)
		case live && original:
			oldLinks.add(url)
		}
	}
	if err := eachAddress(lists, add); err != nil {
		return err
	}
	f.digest = hex.EncodeToString(digest.Sum(nil))
	var said []string
	if f.broken != "" {
		said = append(said, f.broken)
	}
	for _, x := range []struct {
		*difference
		verb, one, many string
	}{{&old, "still lists", "old address", "old addresses"},
		{&missing, "lacks", "address", "addresses"},
		{&strange, "lists", "other address", "other addresses"},
		{&oldLinks, "still links to", "old alternate", "old alternates"}, {&missingLinks, "lacks", "alternate", "alternates"}} {
		if x.n > 0 {
			said = append(said, x.words(x.verb, x.one, x.many))
		}
	}
	if f.wrong = strings.Join(said, ", "); old.n+oldLinks.n > 0 {
		f.wrong += "; is a cache before it?"
	}
	return nil
}

// eachAddress calls fn with each key and the lists that have it.
func eachAddress(lists *storage.Sorter, fn func(key string, in byte)) error {
	key, in := "", byte(0)
	for r, err := range lists.Records() {
		if err != nil {
			return err
		}
		if in != 0 && string(r.Key) != key {
			fn(key, in)
			in = 0
		}
		key = string(r.Key)
		in |= r.Value[0]
	}
	if in != 0 {
		fn(key, in)
	}
	return nil
}

// homes returns the addresses of the files, the current and the intended ones: submissions are
// limited to their sites.
func homes(files []liveFile) (all []address.Address) {
	for i := range files {
		for _, at := range []string{files[i].AnsweredAt, files[i].BelongsAt} {
			if a, err := address.Parse(at); err == nil && !slices.ContainsFunc(all, a.SameSite) {
				all = append(all, a)
			}
		}
	}
	return all
}
