package hosts

import (
	"cmp"
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
	return []Name{
		Netlify,
		CloudflarePages,
		CloudflareWorkers,
		Vercel,
		GitHubPages,
		GitLabPages,
		Nginx,
		Plain,
	}
}

// A File is a rule file with its text. Its base name determines its format: _redirects, _headers,
// netlify.toml or vercel.json; any other name is a file of bulk redirects.
type File struct {
	Name string
	Text []byte
	// Unread says why Text is unknown; "" where it is known. Where Text is unknown, so are the
	// rules of the host.
	Unread string
	// Folder is set where a folder has the name of a rule file: hosts read no rules from it.
	Folder bool
}

// Options are the settings that a host offers its users.
type Options struct {
	PrettyURLsOff bool   // Netlify: Pretty URLs are switched off
	NotFound      string // Workers: not_found_handling; "" for none
	Script        bool   // Workers: a script (main) answers where there is no file
	HTML          string // Workers: html_handling; "" for auto-trailing-slash
	Prefix        string // GitLab, GitHub: the path of the project, as /project; "" for none
	SPA           bool   // nginx, Plain: /index.html answers for missing pages
	CleanURLs     bool   // Vercel: cleanUrls
	TrailingSlash *bool  // Vercel: trailingSlash
	// Owned are paths that functions answer, as "/api", with everything below them. "/" means that
	// a function may answer any address.
	Owned []string
	// Hidden are names, in the form of NewSite, of files or folders with unknown content: links
	// that are not followed, and what cannot be read.
	Hidden []string
}

// An Answer is the answer of a host.
type Answer struct {
	Status   int
	Location string // target of a redirect, as the host writes it
	File     string // the file whose content is sent, as /about.html; "" for none
	Fields   []rules.Field
	Rule     *rules.Rule // the rule that made the answer, or led to it; nil for none
	// Unmodelled says why the answer is unknown; then all other fields but Unread are zero.
	Unmodelled string
	// Unread is the rule file that was not read and because of which Unmodelled is set; "" for
	// none.
	Unread string // also one that the host refuses
}

// A Model answers like one host for one site. It is safe for concurrent use.
type Model struct {
	name    Name
	site    *Site
	opts    Options
	rules   *rules.Matcher // nil for no rules
	bulk    *rules.Matcher // Vercel's bulk redirects, before everything else
	headers *rules.HeaderSet

	set, bulkSet *rules.Set // those of rules and bulk

	hidden map[string]string // Options.Hidden with a leading slash, by hiddenKey
	unread []File            // files whose text is unknown
	lost   string            // the first of them that may have rules; "" for none
	bare   string            // the first of them that may have only headers; "" for none
	failed string            // the first rule file that its host refuses (rules.Fault.Fails); "" for none

	unmodelled string // why no answer is known; "" where answers are known
	rewrites   bool   // Vercel: there are rewrites, which come after the files
}

// New returns the model of a host for a site with these rule files, in this order. It returns an
// error for an unknown host.
func New(name Name, site *Site, files []File, o Options) (*Model, error) {
	if !slices.Contains(Names(), name) {
		return nil, fmt.Errorf("no host %q", name)
	}
	m := &Model{
		name:    name,
		site:    site,
		opts:    o,
		headers: &rules.HeaderSet{Format: formats[name]},
		hidden:  make(map[string]string, len(o.Hidden)),
	}
	for _, name := range o.Hidden {
		m.hidden[m.hiddenKey("/"+name)] = "/" + name
	}
	set, bulk := &rules.Set{Format: formats[name]}, &rules.Set{Format: rules.VercelBulk}
	for _, f := range files {
		if f.Unread == "" {
			f.Unread = noText(f)
		}
		m.take(f, set, bulk)
	}
	for _, f := range slices.Concat(set.Faults, bulk.Faults, m.headers.Faults) {
		if f.Fails {
			m.failed = cmp.Or(m.failed, f.File)
		}
	}
	m.set, m.bulkSet = set, bulk
	if len(set.Rules) > 0 {
		m.rules = set.Matcher()
	}
	if len(bulk.Rules) > 0 {
		m.bulk = bulk.Matcher()
	}
	return m, nil
}

// take reads one file, if the host does.
func (m *Model) take(f File, set, bulk *rules.Set) {
	cloudflare := m.name == CloudflarePages || m.name == CloudflareWorkers
	switch base := path.Base(f.Name); {
	case !Reads(m.name, f.Name):
		set.Faults = append(set.Faults, rules.Fault{File: f.Name, Why: "this host reads no such file"})
	case f.Folder:
		set.Faults = append(set.Faults, rules.Fault{File: f.Name, Why: "it is a folder"})
	case f.Unread != "":
		m.unread = append(m.unread, f)
		if base == "_headers" {
			m.bare = cmp.Or(m.bare, f.Name)
		} else {
			m.lost = cmp.Or(m.lost, f.Name)
		}
	case base == "_redirects" && (cloudflare || m.name == Netlify || m.name == GitLabPages):
		set.Append(rules.Read(formats[m.name], f.Name, f.Text))
	case base == "_headers" && (cloudflare || m.name == Netlify):
		m.headers.Append(rules.ReadHeaders(formats[m.name], f.Name, f.Text))
	case base == "netlify.toml" && m.name == Netlify:
		m.configured(rules.NetlifyTOML, f, set)
	case base == "vercel.json" && m.name == Vercel:
		if m.configured(rules.Vercel, f, set) {
			m.vercelOptions(f.Name, f.Text)
		}
	default: // bulk redirects of Vercel
		read := rules.Read(rules.VercelBulk, f.Name, f.Text)
		read.Append(bulk) // the last file wins
		*bulk = *read
	}
}

// configured reads the redirects and headers of a configuration, and reports whether its host
// accepts it; where it does not, the first fault says why.
func (m *Model) configured(format rules.Format, f File, set *rules.Set) bool {
	fails := func(x rules.Fault) bool { return x.Fails }
	read := rules.Read(format, f.Name, f.Text)
	set.Append(read)
	if slices.ContainsFunc(read.Faults, fails) {
		return false
	}
	headers := rules.ReadHeaders(format, f.Name, f.Text)
	m.headers.Append(headers)
	return !slices.ContainsFunc(headers.Faults, fails)
}

// Reads reports whether a host reads a rule file of this name.
func Reads(name Name, file string) bool {
	switch path.Base(file) {
	case "_redirects":
		return name == Netlify || name == CloudflarePages || name == CloudflareWorkers || name == GitLabPages
	case "_headers":
		return name == Netlify || name == CloudflarePages || name == CloudflareWorkers
	case "netlify.toml":
		return name == Netlify
	}
	return name == Vercel
}

// formats are the formats that each host reads; the others read none.
var formats = map[Name]rules.Format{
	Netlify:           rules.Netlify,
	CloudflarePages:   rules.CloudflarePages,
	CloudflareWorkers: rules.CloudflarePages,
	Vercel:            rules.Vercel,
	GitLabPages:       rules.GitLabPages,
}

// Answer returns the host's answer to a request. The answer is unmodelled where a rule file that
// was not read may change it, and always where the host refuses a rule file.
func (m *Model) Answer(q rules.Request) Answer {
	if m.failed != "" {
		return Answer{Unmodelled: "what is deployed with " + m.failed + ", which its host refuses", Unread: m.failed}
	}
	a := m.AsRead(q)
	if name := m.mayChange(&a); name != "" {
		return Answer{Unmodelled: "the rules of " + name + ", which was not read", Unread: name}
	}
	if a.Unmodelled == "" && slices.Contains(m.opts.Owned, "/") {
		return Answer{Unmodelled: "functions"}
	}
	return a
}

// mayChange returns the rule file that was not read and that may change an answer made without it;
// "" for none.
func (m *Model) mayChange(a *Answer) string {
	switch {
	case a.Unmodelled != "":
		return ""
	case m.lost != "" && (m.name != GitLabPages || a.Status == 404): // else rules may precede files
		return m.lost
	case a.File != "" && a.Status == 200: // a header may make it noindex, but not redirect
		return m.bare
	}
	return ""
}

// AsRead is Answer as if the rule files that were not read, or that the host refuses, had no rules,
// and as if functions that may answer every address left it to the files.
func (m *Model) AsRead(q rules.Request) Answer {
	if m.owned(q) {
		return Answer{Unmodelled: "functions"}
	}
	p, _ := asked(q)
	if name := m.hides(p); name != "" {
		return hiddenAt(name)
	}
	return m.answer(q)
}

// hiddenAt returns the answer where the content of a name in Options.Hidden is unknown.
func hiddenAt(name string) Answer {
	return Answer{Unmodelled: "what is at " + name + ": a link that is not followed, or cannot be read"}
}

// answer is Answer where every file and rule that may answer is known.
func (m *Model) answer(q rules.Request) Answer {
	switch m.name {
	case Netlify:
		return m.netlify(q)
	case CloudflarePages, CloudflareWorkers:
		return m.cloudflare(q)
	case Vercel:
		return m.vercel(q)
	case GitHubPages:
		return m.github(q)
	case GitLabPages:
		return m.gitlab(q)
	}
	return m.nginx(q)
}

// owned reports whether a function answers a request.
func (m *Model) owned(q rules.Request) bool {
	if len(m.opts.Owned) == 0 {
		return false
	}
	p, _ := asked(q)
	for _, own := range m.opts.Owned {
		if own == "/" { // Answer handles this
			continue
		}
		if rest, ok := strings.CutPrefix(p, strings.TrimSuffix(own, "/")); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
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
	at = strings.TrimSuffix(strings.TrimPrefix(at, m.opts.Prefix), "/")
	for _, name := range []string{at + ".html", at + "/index.html"} {
		if real := m.hidden[m.hiddenKey(name)]; real != "" {
			return real
		}
	}
	for ; at != ""; at = at[:max(0, strings.LastIndexByte(at, '/'))] {
		if real := m.hidden[m.hiddenKey(at)]; real != "" {
			return real
		}
	}
	return ""
}

// hiddenKey returns a name in the form in which the host compares names of files.
func (m *Model) hiddenKey(name string) string {
	if m.name == Netlify {
		return strings.ToLower(name)
	}
	return name
}

// match returns the first rule that matches.
func match(m *rules.Matcher, q rules.Request) (rules.Match, bool) {
	if m == nil {
		return rules.Match{}, false
	}
	return m.Match(q)
}

// byRule returns the answer of a rule that redirects, or of one that is not modelled.
func byRule(found rules.Match) Answer {
	if found.Unmodelled != "" {
		return Answer{Rule: found.Rule, Unmodelled: found.Unmodelled}
	}
	return Answer{Rule: found.Rule, Status: found.Status, Location: found.Location}
}

// asked splits a target into its path and its query with the ?.
func asked(q rules.Request) (path, query string) {
	target, _, _ := strings.Cut(q.Target, "#")
	if i := strings.IndexByte(target, '?'); i >= 0 {
		return target[:i], target[i:]
	}
	return target, ""
}
