package discover

import (
	"context"
	"io"
	"slices"
	"strconv"
	"sync/atomic"

	"sitemend/crawler/fetch"
	"sitemend/crawler/robots"
)

// A Web gets files as politely as an audit asks for pages: at the pace of their hosts, in
// several tries. Its errors are those of a writer, of the store, or of ctx, never what a
// server does.
type Web interface {
	// File gets a file. Each try writes to a writer of its own that open returns. A host that
	// was left is asked for nothing: that is the fault FaultAbandoned.
	File(ctx context.Context, f fetch.File, open func() (io.WriteCloser, error)) (File, error)
	// Robots returns what the robots.txt of an origin came to.
	Robots(ctx context.Context, origin string) (*robots.Answer, error)
}

// A File is what came of a file.
type File struct {
	fetch.FileResult
	Requests int // sent for it, tries and redirects included
}

// Progress counts what was read of sitemaps. Its fields are read while that goes on.
type Progress struct {
	// Files, Listed and Bytes count files, their entries, and what came of them, as served.
	Files, Listed, Bytes atomic.Int64
	reading              atomic.Pointer[string]
}

// Reading is the sitemap or robots.txt that is read at present, "" for none.
func (p *Progress) Reading() string {
	if at := p.reading.Load(); at != nil {
		return *at
	}
	return ""
}

// permanent reports whether it was redirected, each time for good.
func (f *File) permanent() bool {
	for _, hop := range f.Trail[:max(0, len(f.Trail)-1)] {
		if hop.Status != 301 && hop.Status != 308 {
			return false
		}
	}
	return len(f.Trail) > 1
}

// cut says why not all of a file came.
func (f *File) cut() sentence {
	came := strconv.FormatInt(f.Bytes, 10)
	if f.Fault != "" {
		return say("first-came", came, string(f.Fault))
	}
	return say("first-came-limit", came)
}

// wrong says why a file was not got, with the rule of the build that is why; nothing where it was.
func (f *File) wrong() sentence { return f.byRule(f.lacking()) }

// byRule adds to what is said of a file the last rule of the build that answered on the way to it,
// where there is one and words are for it.
func (f *File) byRule(said sentence) sentence {
	at := ""
	for _, hop := range f.Trail {
		if hop.Rule.File != "" {
			at = hop.Rule.File + ":" + strconv.Itoa(hop.Rule.Line)
		}
	}
	if at == "" {
		return said
	}
	args := append(slices.Clone(said.args), at)
	switch said.key {
	case "endless-redirect":
		return say("endless-redirect-rule", args...)
	case "no-answer-detail":
		return say("no-answer-detail-rule", args...)
	case "status":
		return say("status-rule", args...)
	case "no-sitemap":
		return say("no-sitemap-rule", args...)
	case "sitemap-redirects":
		return say("sitemap-redirects-rule", args...)
	}
	return said
}

// lacking is wrong without the rule.
func (f *File) lacking() sentence {
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
