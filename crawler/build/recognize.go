package build

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/tailscale/hujson"

	"sitemend/crawler/rules/hosts"
)

// wranglerFiles are the names that a configuration of Cloudflare's wrangler may have
// (developers.cloudflare.com/workers/wrangler/configuration).
var wranglerFiles = []string{"wrangler.jsonc", "wrangler.json", "wrangler.toml"}

// gitlabPages is a job of GitLab CI that deploys Pages
// (docs.gitlab.com/user/project/pages/#how-it-works).
var gitlabPages = regexp.MustCompile(`(?m)^(pages:|\s+pages:\s*(true\b|$))`)

// host returns the host that the build is for: the given one, else the one that the files of the
// build and beside it indicate, with the name of the first such file.
func (c *config) host(given hosts.Name) (hosts.Name, string, error) {
	if given != "" {
		if !slices.Contains(hosts.Names(), given) {
			return "", "", &Error{"--served-by " + string(given) + " is unknown", "--served-by takes " + hostNames()}
		}
		return given, "", nil
	}
	var all []hosts.Name
	var by []string
	found := func(name hosts.Name, file string) {
		if !slices.Contains(all, name) {
			all, by = append(all, name), append(by, file)
		}
	}
	for _, x := range []struct {
		file string
		host hosts.Name
	}{{"netlify.toml", hosts.Netlify}, {"vercel.json", hosts.Vercel}, {"CNAME", hosts.GitHubPages}} {
		if p := c.find(x.file); p.at != "" && !p.folder { // the name is enough, whatever its content
			found(x.host, x.file)
		}
	}
	w, file, err := c.wrangler()
	if err != nil {
		return "", "", err
	}
	if file != "" {
		found(w.host(), file)
	}
	if c.find(".gitlab-ci.yml").file() {
		text, _, err := c.text(".gitlab-ci.yml")
		if err != nil {
			return "", "", err
		}
		if gitlabPages.Match(text) {
			found(hosts.GitLabPages, ".gitlab-ci.yml")
		}
	}
	hint := "--served-by NAME says it: " + hostNames()
	switch len(all) {
	case 0:
		return "", "", &Error{"--site " + c.dir + ": no file says which host will serve it (looked for netlify.toml, vercel.json, wrangler.*, .gitlab-ci.yml with pages:, CNAME, in it and beside it)", hint}
	case 1:
		return all[0], by[0], nil
	}
	return "", "", &Error{"--site " + c.dir + ": several files say which host will serve it: " + strings.Join(by, ", "), hint}
}

// hostNames returns the values of --served-by, for hints.
func hostNames() string {
	var names []string
	for _, n := range hosts.Names() {
		names = append(names, string(n))
	}
	return strings.Join(names, ", ")
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

// host returns whether the configuration is for Pages or for Workers.
func (w *wrangler) host() hosts.Name {
	if w.PagesOutput != "" {
		return hosts.CloudflarePages
	}
	return hosts.CloudflareWorkers
}

// wrangler reads wrangler's configuration; file is "" where there is none.
func (c *config) wrangler() (w wrangler, file string, err error) {
	for _, name := range wranglerFiles {
		text, ok, err := c.text(name)
		if err != nil || !ok {
			if err != nil {
				return w, "", err
			}
			continue
		}
		if strings.HasSuffix(name, ".toml") {
			err = toml.Unmarshal(text, &w)
		} else if text, err = hujson.Standardize(text); err == nil {
			err = json.Unmarshal(text, &w)
		}
		if err != nil {
			return w, "", &Error{name + ": " + err.Error(), "correct the file; wrangler would not read it either"}
		}
		return w, name, nil
	}
	return w, "", nil
}
