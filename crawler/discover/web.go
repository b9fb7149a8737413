package discover

import (
	"context"
	"io"
	"strconv"
	"sync/atomic"

	"sitemend/crawler/address"
	"sitemend/crawler/fetch"
	"sitemend/crawler/robots"
)

// A Web gets files as politely as an audit gets pages: at the pace of their hosts, with several
// attempts. Its errors are those of a writer, of the store, or of ctx, never of a server.
type Web interface {
	// File gets a file. Each attempt writes to a writer of its own that open returns. It sends no
	// request to a host that was abandoned, and returns FaultAbandoned.
	File(ctx context.Context, f fetch.File, open func() (io.WriteCloser, error)) (File, error)
	// Robots returns the answer to the request for the robots.txt of an origin.
	Robots(ctx context.Context, origin string) (*robots.Answer, error)
	// Mapped returns an address that the file at names, as the audit knows it: the host that --map
	// puts in place of another stands for that one.
	Mapped(ref string, at address.Address) string
	// Sent notes so many requests of File that no sitemap of the store counts. Those of a File
	// that returned an error are counted already.
	Sent(requests int)
}

// A File is the result of getting a file.
type File struct {
	fetch.FileResult
	Requests int // sent for the file, retries and redirects included
}

// Progress counts what was read of sitemaps. Its fields may be read at any time.
type Progress struct {
	// Files, Listed and Bytes count files, their entries, and their bytes as served.
	Files, Listed, Bytes atomic.Int64
	reading              atomic.Pointer[string]
}

// Reading returns the sitemap or robots.txt that is being read; "" for none.
func (p *Progress) Reading() string {
	if at := p.reading.Load(); at != nil {
		return *at
	}
	return ""
}

// permanent reports whether the file was redirected, each time permanently.
func (f *File) permanent() bool {
	for _, hop := range f.Trail[:max(0, len(f.Trail)-1)] {
		if hop.Status != 301 && hop.Status != 308 {
			return false
		}
	}
	return len(f.Trail) > 1
}

// hint returns what the user can do about a sitemap that was refused.
func (f *File) hint() string {
	switch {
	case f.wrong().refusal() != "":
		return ""
	case f.Fault != "":
		return faultHint(f.Fault, f.Detail)
	case f.Status >= 500:
		return "the server is overloaded or in trouble: try again later, or more slowly (--rate 1)"
	}
	return "name the URL of the sitemap, or the site whose robots.txt names it"
}

// cut returns why the file is incomplete.
func (f *File) cut() sentence {
	came := strconv.FormatInt(f.Bytes, 10)
	if f.Fault != "" {
		return say("first-came", came, string(f.Fault))
	}
	return say("first-came-limit", came)
}

// wrong returns why a file was not received; the zero sentence where it was received.
func (f *File) wrong() sentence {
	switch {
	case f.Fault != "" && f.Bytes > 0:
		return sentence{} // what came before the fault counts
	case f.Fault != "" && f.Detail != "":
		return say("no-answer-detail", string(f.Fault), f.Detail)
	case f.Fault != "":
		return say("no-answer", string(f.Fault))
	case f.Challenge != "":
		return say("status-protected", strconv.Itoa(f.Status), f.Challenge)
	case f.Redirecting:
		return say("endless-redirect", strconv.Itoa(f.Status))
	case f.Status < 200 || f.Status > 299:
		return say("status", strconv.Itoa(f.Status))
	}
	return sentence{}
}
