package prove

import (
	"bytes"
	"context"

	"sitemend/crawler/rules"
	"sitemend/crawler/rules/hosts"
	"sitemend/crawler/rules/write"
)

// models are the models of the hosts, by format: a model, and the name of the file with the rules.
var models = map[string]struct {
	host hosts.Name
	said string
	file string
}{
	"cloudflare-pages": {hosts.CloudflarePages, "Cloudflare Pages", "_redirects"},
	"netlify":          {hosts.Netlify, "Netlify", "_redirects"},
	"netlify-toml":     {hosts.Netlify, "Netlify", "netlify.toml"},
	"vercel":           {hosts.Vercel, "Vercel", "vercel.json"},
	"vercel-bulk":      {hosts.Vercel, "Vercel", "redirects.csv"},
	"gitlab-pages":     {hosts.GitLabPages, "GitLab Pages", "_redirects"},
}

// HasModel reports whether there is a model for a format.
func HasModel(format string) bool { return format == "wordpress" || models[format].said != "" }

// Model returns an Ask that answers as the host of a plan does, by the rules as written, and its
// name. It is nil for a format without a model (HasModel).
func Model(p *write.Plan) (ask Ask, name string, err error) {
	var text bytes.Buffer
	m, known := models[p.Format.Name]
	if !HasModel(p.Format.Name) {
		return nil, "", nil
	}
	if err := p.Write(&text); err != nil {
		return nil, "", err
	}
	if !known {
		matcher := rules.Read(p.Format.Reads, "rules", text.Bytes()).Matcher()
		return func(_ context.Context, host, target string) (Answer, error) {
			found, ok := matcher.Match(rules.Request{Scheme: "https", Host: host, Target: target})
			if !ok {
				return Answer{Status: 404}, nil
			}
			return Answer{Status: found.Status, Location: found.Location}, nil
		}, "a model of the plugin Redirection, " + hosts.Date, nil
	}
	model, err := hosts.New(m.host, hosts.NewSite(nil), []hosts.File{{Name: m.file, Text: text.Bytes()}}, hosts.Options{})
	if err != nil {
		return nil, "", err
	}
	return func(_ context.Context, host, target string) (Answer, error) {
		a := model.Answer(rules.Request{Scheme: "https", Host: host, Target: target})
		return Answer{Status: a.Status, Location: a.Location, Unseen: a.Unmodelled}, nil
	}, "a model of " + m.said + ", " + hosts.Date, nil
}
