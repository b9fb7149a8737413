package fetch

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/klauspost/compress/gzip"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// fetchTime is how long one Get may take in total (contract, --timeout).
const fetchTime = 10 * time.Minute

// maxPacked is how many bytes may lie between the two content codings of a file that has two.
const maxPacked = 64 << 20

// A File names a file to get, a robots.txt or a sitemap, and says how.
type File struct {
	URL     address.Address
	Purpose audit.Purpose // as whom
	// Redirects is how many redirects are followed.
	Redirects int
	// Limit is how many bytes are written at most; 0 for no limit.
	Limit int64
	// Turn is called before each request and returns when it may be sent. It returns a function
	// that is called with the answer. nil sends at once.
	Turn func(context.Context, address.Address) (done func(*audit.Hop, Answer), err error)
}

// FileResult is the result of a Get.
type FileResult struct {
	// Status is the status of the last answer; 0 where Fault says why there is none. Where it is
	// that of a redirect, the redirect was not followed: there were too many, or it has no usable
	// Location; then Redirecting is set.
	Status      int
	Redirecting bool
	Fault       audit.Fault
	Detail      string // of the fault, in words
	// Final is the address of the last request.
	Final address.Address
	// Trail contains every request that was sent, in order.
	Trail []audit.Hop
	// Bytes is how many bytes were written; Truncated is set where Limit cut the file.
	Bytes       int64
	Truncated   bool
	ContentType string
	Challenge   string // as in audit.Hop: from the headers, and from the body of a refusal
	Answer
	// Strange is set where a host that is not audited took part in the answer: addresses that the
	// file names are requested without the user's headers and credentials.
	Strange bool
}

// Get fetches a file and writes the body of a 2xx answer to w as it arrives, with its
// Content-Encoding undone. The exception is a .xml.gz, whose content is packed: it stays packed
// even where Content-Encoding names that packing. Get follows redirects one by one, with the same
// guard and the same rules for headers and credentials as Ask; these are dropped for good at the
// first host that is not audited, and at a redirect from https to http (audit.Withheld).
//
// Get ends after Options.Timeout without a byte and after ten minutes in total, and ends earlier
// for a file that drips (flow). What the web does wrong is in FileResult. The error is that of w,
// of Turn, or of ctx: then w may have part of a file, and only Trail of the FileResult is valid.
func (a *Client) Get(ctx context.Context, f File, w io.Writer) (FileResult, error) {
	outer := ctx
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	got := FileResult{Final: f.URL}
	for secrets := (audit.Withheld{Has: a.audited, WithoutSecrets: f.Purpose&audit.WithoutSecrets != 0}); ; {
		file, err := a.getOne(ctx, f, got.Final, secrets.As(f.Purpose, got.Final), w)
		if err = cmp.Or(outer.Err(), err); err != nil {
			if file != nil {
				got.Trail = append(got.Trail, file.hop)
			}
			return got, err
		}
		next := got.add(file)
		if next.IsZero() || len(got.Trail) > f.Redirects {
			got.Redirecting = got.Fault == "" && audit.Redirects(got.Status)
			got.Strange = !secrets.Familiar(got.Final)
			return got, nil
		}
		secrets.Next(got.Final, next, audit.ByHTTP)
		got.Final = next
	}
}

// add adds an answer, and returns the address it redirects to; the zero Address for none.
func (g *FileResult) add(f *fileAnswer) address.Address {
	hop := f.hop
	g.Trail = append(g.Trail, hop)
	g.Status, g.Fault, g.Detail = hop.Status, hop.Fault, hop.Detail
	g.Bytes, g.Truncated, g.Answer = f.bytes, hop.Truncated, f.answer
	g.ContentType, g.Challenge = hop.Page.ContentType, hop.Challenge
	if hop.Fault != "" || !audit.Redirects(hop.Status) || hop.Location == "" {
		return address.Address{}
	}
	next, err := address.Resolve(g.Final, hop.Location)
	if err != nil || len(next.String()) > audit.MaxAddress {
		return address.Address{}
	}
	return next
}

// getOne sends one request.
func (a *Client) getOne(ctx context.Context, f File, at address.Address, as audit.Purpose,
	w io.Writer) (*fileAnswer, error) {
	done := func(*audit.Hop, Answer) {}
	if f.Turn != nil {
		var err error
		if done, err = f.Turn(ctx, at); err != nil {
			return nil, err
		}
	}
	if err := a.slots.enter(ctx); err != nil {
		done(&audit.Hop{Fault: audit.FaultAbandoned}, Answer{}) // nothing was sent
		return nil, err
	}
	defer a.slots.leave()
	start := time.Now()
	outer := ctx
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	p := &fileAnswer{a: a, ctx: ctx, limit: f.Limit,
		bounds: bounds{maxPacked, func() error { return context.Cause(ctx) }}, w: w,
		hop: audit.Hop{Tries: 1, At: start.UTC()}}
	p.hop.URL = at.String()
	p.idle = time.AfterFunc(a.o.Timeout, func() { cancel(errIdle) })
	defer p.idle.Stop()
	x := exchange{ctx: ctx, cancel: func() { cancel(nil) }, flow: fileFlow(a.o.Timeout), take: p}
	err := a.send(&x, at, as)
	p.hop.MS, p.hop.Rule = int(time.Since(start).Milliseconds()), x.rule
	if err != nil {
		if errors.Is(context.Cause(ctx), errIdle) {
			err = errIdle
		}
		p.answer.Stale = x.stale
		p.hop.Fault, p.hop.Detail = a.faultOf(outer, err, start)
		p.hop.Status, p.hop.Location = 0, ""
	} else {
		a.slots.pass()
	}
	done(&p.hop, p.answer)
	return p, p.broken
}

// errIdle ends a Get that received no byte for too long.
var errIdle = errors.New("no byte in time")

// fileAnswer receives one answer of a Get.
type fileAnswer struct {
	a      *Client
	ctx    context.Context
	limit  int64
	bounds bounds
	w      io.Writer
	idle   *time.Timer
	hop    audit.Hop
	bytes  int64
	answer Answer
	broken error // of w
}

func (p *fileAnswer) take(resp *http.Response) error {
	p.idle.Reset(p.a.o.Timeout)
	p.hop.Status = resp.StatusCode
	p.hop.Page.ContentType = cutBytes(
		strings.ToValidUTF8(strings.TrimSpace(first(resp.Header, "Content-Type")), "\uFFFD"),
		maxType)
	p.answer.RetryAfter = retryAfter(first(resp.Header, "Retry-After"), time.Now())
	p.hop.Challenge = challengeHeader(p.hop.Status, resp.Header)
	if v := locationOf(resp.Header); len(v) <= audit.MaxAddress {
		at := address.Wire(p.hop.URL)
		p.hop.Location = address.MaskedReference(at, p.a.overrides.read(v, at))
	}
	p.a.echoes.hide(&p.hop)
	switch {
	case resp.StatusCode >= 200 && resp.StatusCode <= 299:
		return p.copy(resp)
	case refusing(resp.StatusCode):
		p.refused(resp)
	default:
		drain(resp, func() { p.idle.Reset(0) })
	}
	return nil
}

// refused sets the bot protection that refuses the file. It recognizes none in a page that does not
// come whole.
func (p *fileAnswer) refused(resp *http.Response) {
	page := pageAnswer{a: p.a}
	page.hop.URL = p.hop.URL
	page.x.ctx, page.x.cancel = p.ctx, func() { p.idle.Reset(0) }
	if page.take(resp) == nil {
		p.hop.Challenge = page.hop.Challenge
	}
}

// copy writes the unpacked body to w.
func (p *fileAnswer) copy(resp *http.Response) error {
	r, done, err := p.undo(resp.Header, &fed{resp.Body, p.idle, p.a.o.Timeout})
	defer done()
	if err != nil {
		return err
	}
	var over *capped
	if p.limit > 0 {
		over = &capped{r: r, left: p.limit}
		r = over
	}
	buf := make([]byte, 32<<10)
	for err == nil {
		var n int
		n, err = r.Read(buf)
		if _, p.broken = p.w.Write(buf[:n]); p.broken != nil {
			return p.broken
		}
		p.bytes += int64(n)
	}
	p.hop.Truncated = over != nil && over.over
	if err == io.EOF {
		return nil
	}
	return err
}

// undo decodes the content codings of a body, except that of a packed file: Apache may name the
// packing of sitemap.xml.gz in Content-Encoding (AddEncoding), though it belongs to the file, which
// has to be packed again after it is corrected.
func (p *fileAnswer) undo(h http.Header, body io.Reader) (io.Reader, func(), error) {
	codings := contentCodings(h)
	if len(codings) != 1 || strings.TrimPrefix(codings[0], "x-") != "gzip" ||
		!strings.HasSuffix(strings.ToLower(address.Wire(p.hop.URL).Path()), ".gz") {
		return undo(h, body, p.bounds)
	}
	br := bufio.NewReader(body)
	head, _ := br.Peek(br.Size()) // the next read returns an error again
	if z, err := gzip.NewReader(bytes.NewReader(head)); err == nil {
		var magic [2]byte
		if n, _ := io.ReadFull(z, magic[:]); n > 0 && string(magic[:]) != "\x1f\x8b" {
			return br, func() {}, nil
		}
	}
	return undo(h, br, p.bounds) // a packed file with a content coding of its own
}

// fed is a body that resets the idle timer with every byte.
type fed struct {
	r    io.Reader
	idle *time.Timer
	time time.Duration
}

func (f *fed) Read(b []byte) (int, error) {
	n, err := f.r.Read(b)
	if n > 0 {
		f.idle.Reset(f.time)
	}
	return n, err
}
