package fetch

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzip"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/links"
)

// An answer receives the answer to one request: for a page, or for a file, which is written somewhere.
type answer struct {
	a     *Client
	x     exchange
	hop   answers.Hop
	extra Answer
	file  *fileBody // nil for a page

	packed, content capped // the body, before and after its content coding is undone
}

// A fileBody is where the body of a file goes.
type fileBody struct {
	w      io.Writer
	limit  int64  // bytes; 0 for no limit
	wake   func() // is called with every byte of content
	bytes  int64  // written
	cut    bool   // by the limit
	broken error  // of w
}

// take reads an answer. The caller closes the body.
func (p *answer) take(resp *http.Response) error {
	status := resp.StatusCode
	p.hop.Status = status
	p.extra.RetryAfter = retryAfter(first(resp.Header, "Retry-After"), p.hop.At)
	// browsers take the first Location that is not empty
	p.hop.Location, p.hop.Truncated = address.Kept(cmp.Or(resp.Header["Location"]...))
	page := newPageReader(address.Wire(p.hop.URL), p.a.token)
	defer page.Release()
	page.Header(resp.Header)
	if p.a.o.Links && p.file == nil && p.hop.Purpose.Base() == answers.AsRobot && answers.Is200(status) {
		page.readLinks(&p.a.overrides, p.a.echoes.said(p.hop.URL))
	}
	var err error
	if whole := p.file != nil && status >= 200 && status <= 299; whole {
		p.file.wake()
		err = p.copy(resp)
	} else if err = p.body(page, resp); p.file != nil {
		err = nil // whatever a page in place of a file says
	}
	p.hop.Page = page.Page()
	if p.hop.Truncated { // the rest of the page is unknown
		p.hop.Page.Empty, p.hop.Page.Shell, p.hop.Page.ScriptTo = false, false, ""
	}
	prefix := page.prefix
	if status < 300 && p.hop.Page.Canonical != "" { // challenge pages have none
		prefix = nil
	}
	p.hop.Challenge = challenge(&p.hop, resp.Header, prefix, page.bare())
	p.readRefs()
	p.keepLinks(page)
	return err
}

// body reads the body of a page. Like Google it ignores the body of a redirect, and of anything but
// HTML.
func (p *answer) body(page *pageReader, resp *http.Response) error {
	redirects := answers.Redirects(resp.StatusCode)
	if resp.Body == http.NoBody && !redirects {
		page.page.Empty = true
	}
	if p.hop.Purpose.File() {
		if resp.ContentLength >= 0 && resp.ContentLength <= maxFileDrain {
			drain(resp)
		}
		return nil
	}
	if redirects || !page.IsHTML() || resp.Body == http.NoBody {
		drain(resp)
		return nil
	}
	p.packed = capped{r: resp.Body, left: p.a.o.MaxBody + 1<<20}
	r, done, err := undo(resp.Header, &p.packed)
	defer done()
	if err != nil {
		return err
	}
	p.content = capped{r: r, left: p.a.o.MaxBody}
	err = page.Body(&p.content)
	if p.content.over || p.packed.over {
		p.hop.Truncated = true
		return nil
	}
	if err == nil && contentCoding(resp.Header) != "" {
		drain(resp)
	}
	return err
}

// drain reads the rest of a body, at most maxDrain bytes, so that its connection can be used again;
// where more is left, closing the body ends the connection. A stream of HTTP/2 is not drained.
func drain(resp *http.Response) {
	if resp.Body != http.NoBody && resp.ProtoMajor == 1 && resp.ContentLength <= maxDrain {
		_, _ = io.CopyN(io.Discard, resp.Body, maxDrain+1)
	}
}

// copy writes the unpacked body of a file.
func (p *answer) copy(resp *http.Response) error {
	f := p.file
	r, done, err := p.undoFile(resp.Header, resp.Body)
	defer done()
	if err != nil {
		return err
	}
	if f.limit > 0 {
		p.content = capped{r: r, left: f.limit}
		r = &p.content
	}
	buf := make([]byte, 32<<10)
	for err == nil {
		var n int
		if n, err = r.Read(buf); n > 0 {
			f.wake()
		}
		if _, f.broken = f.w.Write(buf[:n]); f.broken != nil {
			return f.broken
		}
		f.bytes += int64(n)
	}
	if f.cut = p.content.over; errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// undoFile decodes the content coding of a body, except that of a packed file: Apache may name the
// packing of sitemap.xml.gz in Content-Encoding (AddEncoding), though it belongs to the file, which
// has to be packed again after it is corrected.
func (p *answer) undoFile(h http.Header, body io.Reader) (io.Reader, func(), error) {
	if contentCoding(h) == "gzip" &&
		strings.HasSuffix(strings.ToLower(address.Wire(p.hop.URL).Path()), ".gz") {
		br := bufio.NewReader(body)
		head, _ := br.Peek(br.Size()) // the next read returns an error again
		if z, err := gzip.NewReader(bytes.NewReader(head)); err == nil {
			magic := make([]byte, 2)
			if _, err = io.ReadFull(z, magic); err == nil && string(magic) != "\x1f\x8b" {
				return br, func() {}, nil
			}
		}
		body = br // a packed file with a content coding of its own
	}
	return undo(h, body)
}

// readRefs reads addresses that name the target of --map as naming the host it stands for, and
// removes the passwords from all addresses, and secrets of the audit from all that is kept: what is
// stored is shown.
func (p *answer) readRefs() {
	e := &p.a.overrides
	at := address.Wire(p.hop.URL)
	p.hop.Mask()
	if len(e.from) > 0 {
		for _, ref := range refsOf(&p.hop) {
			*ref = e.read(*ref, at)
		}
	}
	p.a.echoes.hide(&p.hop)
}

// linkReaders is a pool, because a links.Reader remembers what most pages link to.
var linkReaders = sync.Pool{New: func() any { return new(links.Reader) }}

// readLinks reads the links of the page, with the host overrides of --map and without secrets.
func (p *pageReader) readLinks(e *hostOverrides, secret echoes) {
	c := links.Context{At: p.at, Reference: p.reference}
	if len(e.from) > 0 || len(secret) > 0 {
		c.Mapped = func(ref string) string { return secret.maskRef(e.read(ref, p.at)) }
	}
	p.links = linkReaders.Get().(*links.Reader)
	p.links.Begin(c)
}

// keepLinks stores the links of a page that was read. The page of a bot protection has none, nor
// has one that redirects by itself.
func (p *answer) keepLinks(page *pageReader) {
	said := &p.hop.Page
	if page.links == nil || !page.scanned || p.hop.Challenge != "" || said.Refresh != "" ||
		said.RefreshHeader != "" || said.ScriptTo != "" {
		return
	}
	p.hop.Links = page.links.Pack(links.Page{Cut: p.hop.Truncated, Nofollow: said.Nofollow(),
		Shell: said.Shell})
}

// maxRetry limits a Retry-After, which could overflow a Duration.
const maxRetry = 10 * 365 * 24 * time.Hour

// retryAfter parses a Retry-After, seconds or a date (RFC 9110 10.2.3); 0 for an empty or malformed
// one and for a time in the past.
func retryAfter(value string, now time.Time) time.Duration {
	value = strings.TrimSpace(value)
	if value == "" {
		return 0
	}
	n, err := strconv.ParseUint(value, 10, 63)
	if err == nil || errors.Is(err, strconv.ErrRange) { // a value out of range is the largest one
		return time.Duration(min(n, uint64(maxRetry/time.Second))) * time.Second
	}
	if t, err := http.ParseTime(value); err == nil {
		return min(max(0, t.Sub(now)), maxRetry)
	}
	return 0
}
