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
	"strings"

	"github.com/cespare/xxhash/v2"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/sitemap"
	"sitemend/report"
)

// A liveFile is a corrected sitemap that is offered for upload.
type liveFile struct {
	*report.CorrectedFile
	at     address.Address // where it belongs
	digest string          // of the corrected file
	urls   int             // how many URLs are listed there
}

// maxLive is the most bytes of a file that are fetched, as served.
const maxLive = 1 << 30

// lookAt says how the address of a file answers otherwise than with what the corrected sitemap lists,
// for Google and for other clients without a cache; "" where it does not. Its error is one of ctx, or
// of this machine.
func (h *handing) lookAt(ctx context.Context, f *liveFile) (wrong string, err error) {
	if f.at, err = address.Parse(f.BelongsAt); err != nil {
		return "", fmt.Errorf("summary.json: %q is no address", f.BelongsAt)
	}
	file, err := os.Create(filepath.Join(h.dir, "live"))
	if err != nil {
		return "", err
	}
	defer file.Close()
	got, err := h.client.Get(ctx, fetch.File{URL: f.at, Limit: maxLive}, file)
	if wrong = answerOf(&got); err != nil || wrong != "" {
		return wrong, err
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", err
	}
	in := comparing{ctx: ctx, at: got.Final.String(), seen: map[uint64]byte{}}
	_, err = in.corrected(h.corrected, f, func(hash uint64, _ string) { in.seen[hash] |= inCorrected })
	if err != nil {
		return "", err
	}
	var other difference
	live, err := in.list(file, io.Discard, func(hash uint64, url string) {
		if in.seen[hash] == 0 {
			other.add(url)
		}
		in.seen[hash] |= inLive
	})
	if none := (*sitemap.FormatError)(nil); errors.As(err, &none) {
		return "is no sitemap: " + none.What, nil
	}
	if err != nil {
		return "", err
	}
	f.urls = live.Entries
	var lacks difference
	_, err = in.corrected(h.corrected, f, func(hash uint64, url string) {
		if in.seen[hash] == inCorrected {
			lacks.add(url)
			in.seen[hash] |= inLive // it is named once
		}
	})
	said := append(lacks.said("lacks", "URL", "URLs"), other.said("lists", "other URL", "other URLs")...)
	return strings.Join(said, ", "), err
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

// The files that list a URL.
const (
	inCorrected byte = 1 << iota
	inLive
)

// comparing compares the lists of two files: URLs in a <loc>, and in an xhtml:link.
type comparing struct {
	ctx  context.Context
	at   string
	seen map[uint64]byte // by the hash of the URL and of where it stands
}

// corrected calls fn for each URL of the corrected file, which must be as it was written.
func (c *comparing) corrected(in *report.Corrected, f *liveFile, fn func(hash uint64, url string)) (info sitemap.Info, err error) {
	err = in.Sitemap(f.CorrectedFile, func(r io.Reader) error {
		text := sha256.New()
		info, err = c.list(r, text, fn)
		f.digest = hex.EncodeToString(text.Sum(nil))
		if err == nil && f.SHA256 != "" && f.digest != f.SHA256 {
			err = errors.New("it was changed after it was written: what it lists was not audited")
		}
		return err
	})
	if err != nil {
		err = cli.WithHint(err, "sitemend report writes the corrected sitemaps again")
	}
	return info, err
}

// list calls fn for each URL of a file.
func (c *comparing) list(file io.Reader, text io.Writer, fn func(hash uint64, url string)) (sitemap.Info, error) {
	o := sitemap.Options{URL: c.at, Text: text, Links: func(_ []sitemap.Entry, links []sitemap.Link) error {
		for _, l := range links {
			fn(xxhash.Sum64String("link "+l.Href), l.Href)
		}
		return nil
	}}
	return sitemap.Read(sitemap.Stoppable(c.ctx, file), o, func(e sitemap.Entry) error {
		fn(xxhash.Sum64String(e.Loc), e.Loc)
		return nil
	})
}

// A difference is the URLs that one file lists and the other does not; the first three are named.
type difference struct {
	n     int
	first []string
}

func (d *difference) add(url string) {
	if d.n++; d.n <= 3 {
		d.first = append(d.first, address.Masked(url))
	}
}

func (d *difference) said(verb, one, many string) []string {
	if d.n == 0 {
		return nil
	}
	more := strings.Repeat(", ...", min(1, d.n-len(d.first)))
	return []string{fmt.Sprintf("%s %s (%s%s)", verb, cli.Plural(d.n, one, many), strings.Join(d.first, ", "), more)}
}
