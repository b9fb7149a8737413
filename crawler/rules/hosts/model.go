package hosts

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strings"

	"sitemend/crawler/rules"
)

// Date is the month of the records that the models are based on.
const Date = "2026-11"

// A Name identifies a host.
type Name string

// The hosts.
const (
	Netlify           Name = "netlify"
	CloudflarePages   Name = "cloudflare-pages"
	CloudflareWorkers Name = "cloudflare-workers"
	Vercel            Name = "vercel"
	GitHubPages       Name = "github-pages"
	GitLabPages       Name = "gitlab-pages"
	Nginx             Name = "nginx" // try_files $uri $uri.html $uri/ =404
	Plain             Name = "plain" // files as they are, index.html for a folder
)

// Names returns all hosts, in the order of the lists for users.
func Names() []Name {
	return []Name{Netlify, CloudflarePages, CloudflareWorkers, Vercel, GitHubPages, GitLabPages, Nginx, Plain}
}

// List returns the names of all hosts in one text, for users.
func List() string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(Names()), " ", ", "), "[]") }

// cloudflareFiles are the rule files of Pages and Workers.
var cloudflareFiles = map[string]rules.Format{"_redirects": rules.CloudflarePages, "_headers": rules.CloudflareHeaders}

// formats are the rule files that each host reads, by their names; "" stands for any other name, of
// bulk redirects.
var formats = map[Name]map[string]rules.Format{
	Netlify:           {"_redirects": rules.Netlify, "_headers": rules.NetlifyHeaders, "netlify.toml": rules.NetlifyTOML},
	CloudflarePages:   cloudflareFiles,
	CloudflareWorkers: cloudflareFiles,
	Vercel:            {"vercel.json": rules.Vercel, "": rules.VercelBulk},
	GitLabPages:       {"_redirects": rules.GitLabPages},
}

// RuleFiles are the names of rule files in the order in which hosts read them.
var RuleFiles = []string{"_redirects", "_headers", "netlify.toml", "vercel.json"}

// Reads returns the format in which a host reads a rule file of this name; "" where it does not.
func Reads(name Name, file string) rules.Format {
	if base := path.Base(file); slices.Contains(RuleFiles, base) {
		return formats[name][base]
	}
	return formats[name][""]
}

// A File is a rule file with its text.
type File struct{ Name, Text string }

// Options are the settings that a host offers its users.
type Options struct {
	PrettyURLsOff bool   // Netlify: Pretty URLs are switched off
	NotFound      string // not_found_handling as of Workers, also for nginx and Plain; "" for none
	Script        bool   // Workers: a script (main) answers where there is no file
	Prefix        string // GitLab, GitHub: the path of the project, as /project; "" for none
	CleanURLs     bool   // Vercel: cleanUrls
	TrailingSlash *bool  // Vercel: trailingSlash
	// Owned are paths that functions answer, as "/api", with everything below them. "/" means that
	// a function may answer any address.
	Owned []string
	// Hidden are names, in the form of NewSite, of files or folders with unknown content: links
	// that are not followed, and what cannot be read.
	Hidden []string
	// Unmodelled says why no answer is known; "" where answers are.
	Unmodelled string
}

// An Answer is the answer of a host.
type Answer struct {
	Status   int
	Location string // target of a redirect, as the host writes it
	File     string // the file whose content is sent, as /about.html; "" for none
	Fields   []rules.Field
	Rule     *rules.Rule // the rule that made the answer, or led to it; nil for none
	// Unmodelled says why the answer is unknown; then all other fields but Rule are zero.
	Unmodelled string
}

// A Model answers like one host for one site. It is safe for concurrent use.
type Model struct {
	name          Name
	site          *Site
	opts          Options
	set, bulk     *rules.Set // of the files, and Vercel's bulk redirects, which precede everything else
	rules, before *rules.Matcher
	files         []string // names of rule files, in order
	hidden        map[string]string
	rewrites      bool // Vercel: there are rewrites, which come after the files

	host
	look []step // for files
}

// New returns the model of a host, one of Names, for a site with these rule files, in this order. It
// returns an error for a rule file that the host refuses (*rules.Refusal).
func New(name Name, site *Site, files []File, o Options) (*Model, error) {
	folded := *site
	folded.caseless = name == Netlify
	m := &Model{name: name, site: &folded, opts: o, bulk: rules.New(rules.VercelBulk), hidden: map[string]string{}}
	m.set = rules.New(cmp.Or(Reads(name, "_redirects"), Reads(name, "vercel.json"), rules.Netlify))
	for _, hidden := range o.Hidden {
		m.hidden[m.site.form("/"+hidden)] = "/" + hidden
	}
	for _, f := range files {
		set, format := m.set, Reads(name, f.Name)
		if format == rules.VercelBulk {
			set = m.bulk
		}
		m.files = append(m.files, f.Name)
		if format == "" {
			set.Faults = append(set.Faults, rules.Fault{File: f.Name, Why: "this host reads no such file"})
			continue
		}
		if err := set.Read(format, f.Name, f.Text); err != nil {
			return nil, err
		}
		if format == rules.Vercel {
			if err := m.vercelOptions(f); err != nil {
				return nil, err
			}
		}
	}
	m.rules, m.before = m.set.Matcher(), m.bulk.Matcher()
	m.host = hosts[name]
	m.look = m.steps(m)
	return m, nil
}

// vercelOptions reads the settings of a vercel.json that affect answers besides its redirects and
// headers. A value of another type than in Vercel's schema makes the build fail.
func (m *Model) vercelOptions(f File) error {
	var c struct {
		CleanURLs                bool
		TrailingSlash            *bool
		Routes, Builds, Rewrites []json.RawMessage
	}
	if err := json.Unmarshal([]byte(strings.TrimPrefix(f.Text, "\uFEFF")), &c); err != nil {
		return &rules.Refusal{File: f.Name, Why: err.Error()}
	}
	m.opts.CleanURLs, m.opts.TrailingSlash = m.opts.CleanURLs || c.CleanURLs, c.TrailingSlash
	if len(c.Routes)+len(c.Builds) > 0 {
		m.opts.Unmodelled = "routes and builds of vercel.json"
	}
	m.rewrites = len(c.Rewrites) > 0
	return nil
}

// Answer returns the host's answer to a request.
func (m *Model) Answer(q rules.Request) Answer {
	if slices.Contains(m.opts.Owned, "/") {
		return Answer{Unmodelled: "functions"}
	}
	return m.OfFiles(q)
}

// OfFiles is Answer as if functions that may answer every address left it to rules and files.
func (m *Model) OfFiles(q rules.Request) Answer {
	p, query := asked(q)
	switch hidden := m.hides(p); {
	case m.opts.Unmodelled != "":
		return Answer{Unmodelled: m.opts.Unmodelled}
	case slices.ContainsFunc(m.opts.Owned, func(own string) bool { return below(p, own) }):
		return Answer{Unmodelled: "functions"}
	case hidden != "":
		return hiddenAt(hidden)
	}
	if m.first != nil {
		if a := m.first(m, q); a.Status != 0 || a.Unmodelled != "" {
			return a
		}
	}
	a := m.file(q, p)
	found, ok := m.rules.Match(q)
	if ok && (a.Status == 0 || m.rulesFirst || found.Rule.Force || found.Unmodelled != "") {
		if a = m.byRule(q, found); a.Unmodelled != "" {
			return a
		}
	}
	if rule := a.Rule; a.Status == 0 && a.Unmodelled == "" {
		a = m.missing(p)
		a.Rule = rule
	}
	if m.name == CloudflareWorkers && a.File != "" && a.Rule == nil { // they redirect to their spelling of a name
		if own := rules.EncodeComponents(m.cloudflarePath(p)); own != rules.BrowserPath(p) {
			a = Answer{Status: 307, Location: own + query}
		}
	}
	if a.Unmodelled == "" && (m.name != Netlify || a.Location == "") {
		a.Fields = m.fields(q, p, a)
	}
	return a
}

// byRule returns the answer of a rule; without a Status where no file is at what it rewrites to.
func (m *Model) byRule(q rules.Request, found rules.Match) Answer {
	a := Answer{Rule: found.Rule, Unmodelled: found.Unmodelled}
	if hidden := m.hides(found.Rewrite); hidden != "" {
		a.Unmodelled = hiddenAt(hidden).Unmodelled
	}
	switch {
	case a.Unmodelled != "":
	case found.Location != "":
		a.Status, a.Location = found.Status, found.Location
	case !strings.HasPrefix(found.Rewrite, "/"):
		a.Unmodelled = "a proxy"
	default:
		p, _ := asked(q)
		if m.name == GitLabPages && strings.HasSuffix(p, "/") != strings.HasSuffix(found.Rewrite, "/") {
			p = strings.TrimSuffix(found.Rewrite, "/") + p[len(strings.TrimSuffix(p, "/")):] // the slash is that of the request
		} else {
			p = found.Rewrite
		}
		to := m.file(q, p)
		if m.name == Netlify && to.File != "" {
			to.Status, to.Location = found.Status, ""
		}
		to.Rule = found.Rule
		return to
	}
	return a
}

// fields returns the headers for the path that was requested, and for that of the file at Netlify.
func (m *Model) fields(q rules.Request, p string, a Answer) []rules.Field {
	fields := m.set.Fields(q.Host, p)
	if m.name == Netlify && a.File != "" && a.File != p {
		for _, f := range m.set.Fields(q.Host, a.File) {
			if !slices.Contains(fields, f) {
				fields = append(fields, f)
			}
		}
	}
	return fields
}

// hiddenAt returns the answer where the content of a name in Options.Hidden is unknown.
func hiddenAt(name string) Answer {
	return Answer{Unmodelled: "what is at " + name + ": a link that is not followed, or cannot be read"}
}

// below reports whether a path is that of a function, or below it.
func below(p, own string) bool {
	rest, ok := strings.CutPrefix(p, strings.TrimSuffix(own, "/"))
	return own != "/" && ok && (rest == "" || rest[0] == '/')
}

// hides returns the name in Options.Hidden that may be the file for a path, or a folder that
// contains that file; "" for none.
func (m *Model) hides(p string) string {
	if len(m.hidden) == 0 {
		return ""
	}
	at, ok := cleaned(p)
	if !ok {
		return ""
	}
	at = m.site.form(strings.TrimSuffix(strings.TrimPrefix(at, m.opts.Prefix), "/"))
	if real := cmp.Or(m.hidden[at+".html"], m.hidden[at+"/index.html"]); real != "" {
		return real
	}
	for ; at != ""; at = at[:max(0, strings.LastIndexByte(at, '/'))] {
		if real := m.hidden[at]; real != "" {
			return real
		}
	}
	return ""
}

// asked splits a target into its path and its query with the ?, which an empty one has not.
func asked(q rules.Request) (path, query string) {
	target, _, _ := strings.Cut(q.Target, "#")
	if path, query, _ = strings.Cut(target, "?"); query != "" {
		query = "?" + query
	}
	return path, query
}
