package discover

import (
	"context"
	"io"
	"slices"
	"strconv"
	"sync/atomic"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
	"sitemend/crawler/fetch"
	"sitemend/crawler/robots"
	"sitemend/crawler/sitemap"
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
}

// A File is the result of getting a file.
type File struct {
	fetch.FileResult
	Requests int // sent for the file, retries and redirects included
}

// Progress counts the sitemaps that were read, and their entries. It may be read at any time.
type Progress struct{ Files, Listed atomic.Int64 }

// permanent reports whether the file was redirected, each time permanently.
func (f *File) permanent() bool {
	last := len(f.Trail) - 1
	return last > 0 && !slices.ContainsFunc(f.Trail[:last], func(hop answers.Hop) bool { return hop.Status != 301 && hop.Status != 308 })
}

// refusal returns what refused the client in place of a file, as audit.Row.UnseenBy: a status, a bot
// protection, or that the host was abandoned after refusals; "" for none.
func (f *File) refusal() string {
	switch {
	case f.Fault == answers.FaultAbandoned:
		return string(f.Fault)
	case f.Fault != "" || f.Challenge != "":
		return f.Challenge
	case (&answers.Hop{Status: f.Status}).Unseen():
		return strconv.Itoa(f.Status)
	}
	return ""
}

// cut returns why the file is incomplete.
func (f *File) cut() audit.SitemapFault {
	came := strconv.FormatInt(f.Bytes, 10)
	if f.Fault != "" {
		return sitemap.NewFault("first-came", came, string(f.Fault))
	}
	return sitemap.NewFault("first-bytes", came)
}

// wrong returns why a file was not received; without a key where it was received.
func (f *File) wrong() audit.SitemapFault {
	switch {
	case f.Fault != "" && f.Bytes > 0: // what came before the fault counts
	case f.Fault != "" && f.Detail != "":
		return sitemap.NewFault("no-answer-detail", string(f.Fault), f.Detail)
	case f.Fault != "":
		return sitemap.NewFault(audit.FaultAsSaid, string(f.Fault))
	case f.Challenge != "":
		return sitemap.NewFault("no-answer-detail", strconv.Itoa(f.Status), f.Challenge)
	case f.Status < 200 || f.Status > 299:
		return sitemap.NewFault("status", strconv.Itoa(f.Status))
	}
	return audit.SitemapFault{}
}
