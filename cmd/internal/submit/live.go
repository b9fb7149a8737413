package submit

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/address"
	"sitemend/crawler/answers"
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
const maxLive = 256 << 20

// lookAt says how the address of a file answers otherwise than with what the corrected sitemap lists,
// for Google and for other clients without a cache; "" where it does not. Its error is one of ctx, or
// of this machine.
func (h *handing) lookAt(ctx context.Context, f *liveFile) (wrong string, err error) {
	if f.at, err = address.Parse(f.BelongsAt); err != nil {
		return "", fmt.Errorf("summary.json: %q is no address", f.BelongsAt)
	}
	var served bytes.Buffer
	got, err := h.client.Get(ctx, fetch.File{URL: f.at, Limit: maxLive}, &served)
	if wrong = answerOf(&got); err != nil || wrong != "" {
		return wrong, err
	}
	live, info, err := lists(ctx, got.Final.String(), &served, io.Discard)
	if none := (*sitemap.FormatError)(nil); errors.As(err, &none) {
		return "is no sitemap: " + none.What, nil
	}
	if err != nil {
		return "", err
	}
	f.urls = info.Entries
	var written []string
	err = h.corrected.Sitemap(f.CorrectedFile, func(r io.Reader) (err error) {
		text := sha256.New()
		written, _, err = lists(ctx, f.BelongsAt, r, text)
		f.digest = hex.EncodeToString(text.Sum(nil))
		if err == nil && f.SHA256 != "" && f.digest != f.SHA256 {
			err = errors.New("it was changed after it was written: what it lists was not audited")
		}
		return err
	})
	if err != nil {
		return "", cli.WithHint(err, "sitemend report writes the corrected sitemaps again")
	}
	said := append(more("lacks", "URL", "URLs", written, live), more("lists", "other URL", "other URLs", live, written)...)
	return strings.Join(said, ", "), nil
}

// answerOf says why an answer is not the complete file; "" where it is.
func answerOf(got *fetch.FileResult) string {
	switch {
	case got.Fault != "":
		return "does not answer whole: " + got.Fault.Words()
	case got.Challenge != "":
		return fmt.Sprintf("answers %d: a bot protection (%s) in place of the sitemap", got.Status, got.Challenge)
	case answers.Redirects(got.Status) && len(got.Trail) > 0:
		return fmt.Sprintf("answers %d to %s: a sitemap is to answer 200 itself", got.Status, got.Trail[len(got.Trail)-1].Location)
	case got.Status != 200:
		return fmt.Sprintf("answers %d", got.Status)
	case got.Truncated:
		return "is longer than a sitemap may be"
	}
	return ""
}

// linked begins what lists returns of a URL in an xhtml:link.
const linked = "link "

// lists returns the URLs that a sitemap lists, and those that its entries link to.
func lists(ctx context.Context, at string, file io.Reader, text io.Writer) (urls []string, info sitemap.Info, err error) {
	o := sitemap.Options{URL: at, Text: text, Links: func(_ []sitemap.Entry, links []sitemap.Link) error {
		for _, l := range links {
			urls = append(urls, linked+l.Href)
		}
		return nil
	}}
	info, err = sitemap.Read(sitemap.Stoppable(ctx, file), o, func(e sitemap.Entry) error {
		urls = append(urls, e.Loc)
		return nil
	})
	return urls, info, err
}

// more says which URLs one list has more than another.
func more(verb, one, many string, list, than []string) []string {
	seen := map[string]bool{}
	for _, url := range than {
		seen[url] = true
	}
	var named []string
	for _, url := range list {
		if !seen[url] {
			seen[url] = true
			named = append(named, address.Masked(strings.TrimPrefix(url, linked)))
		}
	}
	if named == nil {
		return nil
	}
	return []string{fmt.Sprintf("%s %s (%s)", verb, cli.Plural(len(named), one, many), strings.Join(named, ", "))}
}
