package prove

import (
	"context"
	"strings"

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
func HasModel(format string) bool { return models[format].said != "" }

// Model returns an Ask that answers as the host of a plan does, by the rules as written, and its
// name. The format must have a model (HasModel).
func Model(p *write.Plan) (ask Ask, name string, err error) {
	var text strings.Builder
	m := models[p.Format.Name]
	if err := p.Write(&text); err != nil {
		return nil, "", err
	}
	model, err := hosts.New(m.host, hosts.NewSite(nil), []hosts.File{{Name: m.file, Text: text.String()}}, hosts.Options{})
	if err != nil {
		return nil, "", err
	}
	return func(_ context.Context, host, target string) (Answer, error) {
		a := model.Answer(rules.Request{Scheme: "https", Host: host, Target: target})
		return Answer{Status: a.Status, Location: a.Location, Unseen: a.Unmodelled}, nil
	}, "a model of " + m.said + ", " + hosts.Date, nil
}
