package hosts_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sitemend/crawler/rules"
	"sitemend/crawler/rules/hosts"
)

// recorded is a file of the corpus: the answers of an engine (see its README).
type recorded struct {
	Host  string
	Sites map[string]site
}

type site struct {
	Files   any
	Rules   map[string]string
	Assets  map[string]string
	Options map[string]any
	Failed  string
	Prefix  string
	Cases   []answer
}

type answer struct {
	Target   string
	Host     string `json:"request_host"`
	Status   int
	Kind     string
	Location *string
	Served   string
	Headers  map[string]string
}

// names returns the files of a site without its rule files.
func (s *site) names() []string {
	var names []string
	switch f := s.Files.(type) {
	case []any:
		for _, name := range f {
			names = append(names, name.(string))
		}
	case map[string]any:
		names = slices.Collect(maps.Keys(f))
	}
	return names
}

// ruleFiles returns the rule files of a site in the order in which its host reads them.
func (s *site) ruleFiles() []hosts.File {
	var files []hosts.File
	for _, name := range slices.Sorted(maps.Keys(s.Rules)) {
		files = append(files, hosts.File{Name: name, Text: s.Rules[name]})
	}
	return files
}

// judged are the files of the corpus that a model covers; the others are configurations of real
// servers, which are run, and pairs for the writers.
var judged = regexp.MustCompile(`^(cloudflare|github|gitlab|netlify.json|nginx-static|observed|vercel)`)

// notMet lists every recorded answer that a model deliberately does not give: file, site and targets,
// each as often as it was requested. An answer that the model gives must not be listed.
var notMet = map[string][]string{
	// What depends on more than the address is not modelled, nor are routes of vercel.json.
	"netlify conditions":   {"/lang", "/lang", "/lang", "/lang", "/geo", "/c", "/role"},
	"vercel routes-legacy": {"/old", "/OLD", "/b/", "/h", "/about.html"},
	// Netlify decodes the source as well, netlify dev does not (netlify/cli#8508), and refuses octets
	// beyond ASCII.
	"netlify toml":   {"/cond", "/cond", "/paren("},
	"netlify nasty":  {"/odd/slash", "/plus+", "/tilde~", "/日"},
	"netlify splats": {"/enc%28/y"},
	// No URL has a NUL, and a status page of GitLab is no file.
	"gitlab-pages tree":  {"/about%00"},
	"gitlab-pages nasty": {"/_redirects"},
	// Seen in 2016, and with the routes that vercel build made in 2024, not since.
	"observed-live github-pages/issues":           {"/test"},
	"observed-live vercel/clean-false-slash-true": {"/file"},
}

// noModel are the sites, in files that are judged, that no model covers.
var noModel = map[string]string{
	"nginx-static":                                        "another configuration than those of --site",
	"observed-live azure-static-web-apps":                 "no host of --site",
	"vercel-bulk bulk-json":                               "bulk redirects are read from CSV",
	"vercel bad-both":                                     "the build fails",
	"cloudflare-workers-static html-force-trailing-slash": "another html_handling than the default one",
	"cloudflare-workers-static html-none":                 "another html_handling than the default one",
}

// TestRecordedAnswers compares the models and interpreters with every recorded answer. Differences
// are listed in a table with their reasons: a difference that is not listed fails, and so does a
// listed one that does not exist.
// Without the corpus it is skipped, or fails where SITEMEND_NO_SKIP is set.
func TestRecordedAnswers(t *testing.T) {
	dir := filepath.Join(cmp.Or(os.Getenv("SITEMEND_CORPUS"), "../../../../shared/corpus"), "redirect-rules")
	if _, err := os.Stat(dir); err != nil && os.Getenv("SITEMEND_NO_SKIP") == "" {
		t.Skipf("set SITEMEND_CORPUS: %v", err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	if err != nil || len(files) < 20 {
		t.Fatalf("%d files of the corpus: %v", len(files), err)
	}
	met := 0
	for _, name := range files {
		base := filepath.Base(name)
		if judged.MatchString(base) {
			t.Run(strings.TrimSuffix(base, ".json"), func(t *testing.T) { met += judge(t, name) })
		}
	}
	if met < 1000 {
		t.Errorf("only %d recorded answers are met", met)
	}
}

// judge gets the models' answers to each case of a file and returns how many agree.
func judge(t *testing.T, name string) (met int) {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var r recorded
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	listed := map[string]int{}
	for id, targets := range notMet {
		for _, target := range targets {
			if strings.HasPrefix(id, r.Host+" ") {
				listed[id+" "+target]++
			}
		}
	}
	for _, id := range slices.Sorted(maps.Keys(r.Sites)) {
		s := r.Sites[id]
		ask := answering(t, r.Host, id, &s)
		if ask == nil {
			if noModel[r.Host+" "+id] == "" && noModel[r.Host] == "" {
				t.Errorf("%s: no model, and no reason", id)
			}
			continue
		}
		for _, c := range s.Cases {
			got, why := ask(c)
			if why == "" {
				met++
				continue
			}
			name := r.Host + " " + id + " " + c.Target
			if listed[name]--; listed[name] < 0 {
				t.Errorf("%s %s: got %s; %s", name, c.Host, got, why)
			}
		}
	}
	for name, n := range listed {
		if n > 0 {
			t.Errorf("%s: %d cases are listed and met", name, n)
		}
	}
	return met
}

func answering(t *testing.T, host, id string, s *site) func(answer) (string, string) {
	name, opts := hosts.Name(strings.TrimSuffix(host, "-static")), hosts.Options{}
	switch host {
	case "observed-live":
		kind, rest, _ := strings.Cut(id, "/")
		name = hosts.Name(kind)
		opts.PrettyURLsOff = rest == "pretty-urls-off"
		opts.CleanURLs = strings.HasPrefix(rest, "clean-true")
		if _, v, ok := strings.Cut(rest, "-slash-"); ok && v != "undefined" {
			slash := v == "true"
			opts.TrailingSlash = &slash
		}
	case "nginx-static":
		name = map[string]hosts.Name{"default": hosts.Plain, "try-uri-dir": hosts.Plain, "try-uri-html-dir": hosts.Nginx}[id]
	case "vercel-bulk":
		name = hosts.Vercel
	}
	opts.NotFound = s.Assets["not_found_handling"]
	opts.Prefix = strings.TrimSuffix(s.Prefix, "/")
	if html := s.Assets["html_handling"]; !slices.Contains(hosts.Names(), name) || s.Failed != "" || s.Rules["r/b.jsonl"] != "" || html != "" && html != "auto-trailing-slash" {
		return nil
	}
	m, err := hosts.New(name, hosts.NewSite(s.names()), s.ruleFiles(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return func(c answer) (string, string) {
		got := m.Answer(rules.Request{Scheme: "http", Host: cmp.Or(c.Host, "www.example.com"), Target: c.Target})
		return fmt.Sprintf("%d %s %s %s", got.Status, got.Location, got.File, got.Unmodelled), compare(c, got)
	}
}

// compare returns how an answer differs from the recorded one; "" where it does not.
func compare(c answer, got hosts.Answer) string {
	if c.Kind != "" {
		if kind := cmp.Or(map[int]string{2: "ok", 3: "redirect"}[got.Status/100], "404"); kind != c.Kind || c.Location != nil && *c.Location != got.Location {
			return fmt.Sprintf("recorded %s %v", c.Kind, *cmp.Or(c.Location, new(string)))
		}
		return ""
	}
	if got.Status != c.Status || c.Location != nil && got.Location != *c.Location {
		return fmt.Sprintf("recorded %d %s %s", c.Status, *cmp.Or(c.Location, new(string)), c.Served)
	}
	if c.Served != "" && got.File != c.Served {
		return fmt.Sprintf("recorded %d %s", c.Status, c.Served)
	}
	fields := map[string]string{}
	for _, f := range got.Fields {
		name := strings.ToLower(f.Name)
		if fields[name] != "" {
			fields[name] += " || "
		}
		fields[name] += f.Value
	}
	for name, value := range c.Headers {
		if name != "content-location" && fields[name] != value &&
			strings.ReplaceAll(fields[name], " || ", ", ") != value {
			return fmt.Sprintf("recorded %s: %s, got %s", name, value, fields[name])
		}
	}
	return ""
}
