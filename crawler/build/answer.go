package build

import (
	"cmp"
	"mime"
	"net/http"
	"path"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/fetch"
	"sitemend/crawler/rules"
	"sitemend/crawler/rules/hosts"
)

// Answer implements fetch.Site. The twins of the origin (http or https, with or without www)
// redirect to it with a 301, as most hosts are set up; a rule that names the host of a twin has
// precedence. Other hosts are not requested, unless Options.Online is set.
func (b *Build) Answer(at address.Address) (fetch.SiteAnswer, bool) {
	return b.by(b.model.Answer, at)
}

// File implements fetch.Site. Sitemaps and robots.txt are the files of the folder, even where
// functions might answer first.
func (b *Build) File(at address.Address) (fetch.SiteAnswer, bool) {
	return b.by(b.model.OfFiles, at)
}

// by is Answer with the function that answers for the origin.
func (b *Build) by(model func(rules.Request) hosts.Answer, at address.Address) (fetch.SiteAnswer, bool) {
	if at.HostPort() == b.subject && at.Scheme() == b.o.Origin.Scheme() {
		return b.answer(model(request(at))), true
	}
	if b.own(at.Host()) && at.Port() == "" && b.o.Origin.Port() == "" { // an origin with an explicit port has no twins
		if a := model(request(at)); a.Rule != nil {
			if _, host := a.Rule.Host(); host == at.Host() {
				return b.answer(a), true
			}
		}
		return fetch.SiteAnswer{Status: http.StatusMovedPermanently,
			Header: http.Header{"Location": {b.o.Origin.Origin() + at.Target()}}}, true
	}
	if b.o.Online {
		return fetch.SiteAnswer{}, false
	}
	return fetch.SiteAnswer{Fault: answers.FaultOutside, Detail: answers.FaultOutside.Words()}, true
}

func request(at address.Address) rules.Request {
	return rules.Request{Scheme: at.Scheme(), Host: at.Host(), Target: at.Target()}
}

// answer returns an answer of the model with the content of its file.
func (b *Build) answer(a hosts.Answer) fetch.SiteAnswer {
	out := fetch.SiteAnswer{Status: a.Status, Header: http.Header{}}
	if a.Rule != nil {
		out.Rule = answers.RuleAt{File: a.Rule.File, Line: int(a.Rule.Line)}
	}
	if a.Unmodelled != "" {
		out.Fault, out.Detail = answers.FaultUnmodelled, "not modelled: "+a.Unmodelled
		return out
	}
	if a.Location != "" {
		out.Header["Location"] = []string{a.Location}
	}
	if a.File != "" {
		f, size, err := b.open(strings.TrimPrefix(a.File, "/"))
		if err != nil {
			return fetch.SiteAnswer{Rule: out.Rule, Fault: answers.FaultUnmodelled, Detail: "the file " + a.File + " cannot be read: " + reason(err)}
		}
		out.Body, out.Length = f, size
		out.Header["Content-Type"] = []string{contentType(a.File)}
	}
	for _, f := range a.Fields {
		if !hostsOwn[http.CanonicalHeaderKey(f.Name)] {
			out.Header.Add(f.Name, f.Value)
		}
	}
	return out
}

// hostsOwn are headers that no _headers file can set, because the host does.
var hostsOwn = map[string]bool{"Location": true, "Content-Length": true, "Transfer-Encoding": true, "Connection": true}

// types are the content types by extension of the files that builds consist of, where the hosts
// agree on them and package mime may not know them.
var types = map[string]string{
	".xml": "application/xml", ".txt": "text/plain; charset=utf-8", ".xhtml": "application/xhtml+xml", ".rss": "application/rss+xml",
	".atom": "application/atom+xml", ".gz": "application/gzip", ".md": "text/markdown; charset=utf-8", ".csv": "text/csv; charset=utf-8",
	".ico": "image/x-icon", ".zip": "application/zip", ".webmanifest": "application/manifest+json",
}

func contentType(name string) string {
	extension := strings.ToLower(path.Ext(name))
	return cmp.Or(types[extension], mime.TypeByExtension(extension), "application/octet-stream")
}
