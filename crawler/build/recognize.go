package build

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"sitemend/crawler/rules"
	"sitemend/crawler/rules/hosts"
)

// wranglerFiles are the names that a configuration of Cloudflare's wrangler may have
// (developers.cloudflare.com/workers/wrangler/configuration).
var wranglerFiles = []string{"wrangler.jsonc", "wrangler.json", "wrangler.toml"}

// gitlabPages is a job of GitLab CI that deploys Pages
// (docs.gitlab.com/user/project/pages/#how-it-works).
var gitlabPages = regexp.MustCompile(`(?m)^(pages:|\s+pages:\s*(true\b|$))`)

// recognize finds the host that the build is for: the given one, else the one that the files of the
// build and beside it indicate.
func (b *Build) recognize() error {
	if b.Host = b.o.Host; b.Host != "" {
		if !slices.Contains(hosts.Names(), b.Host) {
			return &Error{"--served-by " + string(b.Host) + " is unknown", "--served-by takes " + hosts.List()}
		}
		return nil
	}
	var by []string
	var err error
	found := func(host hosts.Name, file string) {
		if host != "" && host != b.Host {
			b.Host, by = host, append(by, file)
		}
	}
	for _, x := range []struct {
		file string
		host hosts.Name
	}{{"netlify.toml", hosts.Netlify}, {"vercel.json", hosts.Vercel}, {"CNAME", hosts.GitHubPages}} {
		at, failed := b.find(x.file)
		if err = cmp.Or(err, failed); at != "" { // the name is enough, whatever its content
			found(x.host, x.file)
		}
	}
	w, file, unread := b.wrangler()
	switch {
	case w.PagesOutput != "":
		found(hosts.CloudflarePages, file)
	case file != "":
		found(hosts.CloudflareWorkers, file)
	}
	ci, _, failed := b.text(".gitlab-ci.yml")
	if err = cmp.Or(err, unread, failed); err != nil {
		return err
	}
	if gitlabPages.MatchString(ci) {
		found(hosts.GitLabPages, ".gitlab-ci.yml")
	}
	what := "several files say which host will serve it: " + strings.Join(by, ", ")
	switch len(by) {
	case 1:
		return nil
	case 0:
		what = "no file says which host will serve it (looked for netlify.toml, vercel.json, wrangler.*, .gitlab-ci.yml with pages:, CNAME, in it and beside it)"
	}
	return &Error{"--site " + b.Dir + ": " + what, "--served-by NAME says it: " + hosts.List()}
}

// A wrangler has the settings of wrangler's configuration that affect answers.
type wrangler struct {
	Main        string `json:"main" toml:"main"`
	PagesOutput string `json:"pages_build_output_dir" toml:"pages_build_output_dir"`
	Assets      struct {
		HTML     string `json:"html_handling" toml:"html_handling"`
		NotFound string `json:"not_found_handling" toml:"not_found_handling"`
		First    any    `json:"run_worker_first" toml:"run_worker_first"`
	} `json:"assets" toml:"assets"`
}

// wrangler reads wrangler's configuration; file is "" where there is none.
func (b *Build) wrangler() (w wrangler, file string, err error) {
	for _, name := range wranglerFiles {
		text, ok, err := b.text(name)
		if err == nil && !ok {
			continue
		}
		if err != nil {
			return w, "", err
		}
		if strings.HasSuffix(name, ".toml") {
			err = rules.TOML(name, text, &w)
		} else if err = rules.Nested(name, text); err == nil {
			var plain []byte
			if plain, err = hujson.Standardize([]byte(text)); err == nil {
				err = json.Unmarshal(plain, &w)
			}
		}
		if err != nil {
			return w, "", &Error{name + ": " + err.Error(), "correct the file; wrangler would not read it either"}
		}
		return w, name, nil
	}
	return w, "", nil
}
