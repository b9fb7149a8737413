package rules

// A Format names a kind of rule file.
type Format string

// The formats that can be read.
const (
	CloudflarePages Format = "cloudflare-pages" // _redirects of Pages and of Workers with assets
	CloudflareBulk  Format = "cloudflare-bulk"  // the CSV of Bulk Redirects
	Netlify         Format = "netlify"          // _redirects
	NetlifyTOML     Format = "netlify-toml"     // netlify.toml, [[redirects]]
	Vercel          Format = "vercel"           // vercel.json, redirects
	VercelBulk      Format = "vercel-bulk"      // CSV, JSON or JSONL of bulkRedirectsPath
	GitLabPages     Format = "gitlab-pages"     // _redirects
	Shopify         Format = "shopify"          // the CSV of URL redirects
	WordPress       Format = "wordpress"        // the CSV of the plugin Redirection
)

// A Rule is one rule of a file, as its host understands it.
type Rule struct {
	File   string // as it was named to Read
	Line   int    // from 1
	Source string // as written
	Target string // as written; "" where the host makes it of the source
	// Status is what the host answers with: a redirect, 200 for a rewrite, 4xx for
	// a page with that status. Stated is false where it is the host's default.
	Status int
	Stated bool
	// Force is set where the rule wins over a file (Netlify's !).
	Force bool
	// Conditions are the words that make the rule depend on more than the
	// address: country, language, role, cookie, header. Nil for none.
	Conditions []string
	// Wider is what the host takes otherwise than it reads, so that the rule answers more
	// addresses than it says (Cloudflare): a query of the source, with its ?, which the host
	// ignores, or a :name within a word, a placeholder of which the target makes nothing. "" for
	// neither.
	Wider string

	scheme, host string  // of an absolute source
	query        []param // Netlify: what the query must have
	flags        flags
	regexp       bool // WordPress: the source is a regular expression
}

// param is one name of a query with the value that it must have, or the
// placeholder that takes it.
type param struct{ name, value string }

// flags are the options that formats with columns give a rule.
type flags struct {
	matchCase  bool // Vercel bulk: caseSensitive
	keepQuery  bool // Vercel bulk, Cloudflare bulk: the query is passed on
	subdomains bool // Cloudflare bulk
	subpaths   bool // Cloudflare bulk
	keepSuffix bool // Cloudflare bulk
}

// A Fault is a line that the host ignores, or a file that it ignores whole.
type Fault struct {
	File string
	Line int    // from 1; 0 for the whole file
	Text string // the line, at most 200 bytes of it
	Why  string
	// Fails is set where the host refuses the whole configuration for it, so that nothing of the
	// build is deployed, or where nobody here knows what the host makes of the rest.
	Fails bool
}

// A Set is what a host takes from a rule file.
type Set struct {
	Format Format
	Rules  []Rule // in the order in which the host tries them
	Faults []Fault
}

// maxFaultText is how much of a line a fault shows.
const maxFaultText = 200

func (s *Set) fault(file string, line int, text, why string) {
	s.Faults = append(s.Faults, faultOf(file, line, text, why))
}

// fails adds a fault for which the host refuses the file whole.
func (s *Set) fails(file string, line int, text, why string) {
	f := faultOf(file, line, text, why)
	f.Fails = true
	s.Rules, s.Faults = nil, append(s.Faults, f)
}

func faultOf(file string, line int, text, why string) Fault {
	if len(text) > maxFaultText {
		text = text[:maxFaultText]
	}
	return Fault{File: file, Line: line, Text: text, Why: why}
}

// Read reads a rule file of a format. name is how rules and faults name the file;
// text is all of it. What the host ignores is a fault, never an error: a rule
// file that is nonsense is a Set without rules, and has a Fault that says whether
// anything is deployed with it (Fault.Fails). An unknown format has neither.
func Read(f Format, name string, text []byte) *Set {
	s := &Set{Format: f}
	if read := readers[f]; read != nil {
		read(s, name, string(text))
	}
	return s
}

var readers = map[Format]func(s *Set, name, text string){
	CloudflarePages: readCloudflare,
	CloudflareBulk:  readCloudflareBulk,
	Netlify:         readNetlify,
	NetlifyTOML:     readNetlifyTOML,
	Vercel:          readVercel,
	VercelBulk:      readVercelBulk,
	GitLabPages:     readGitLab,
	Shopify:         readShopify,
	WordPress:       readWordPress,
}

// Redirects reports whether the rule redirects, rather than rewrites.
func (r *Rule) Redirects() bool { return r.Status >= 300 && r.Status < 400 }

// Append adds the rules and faults of another set of the same family after those
// of s: netlify.toml after _redirects, one bulk file after the other.
func (s *Set) Append(t *Set) {
	s.Rules = append(s.Rules, t.Rules...)
	s.Faults = append(s.Faults, t.Faults...)
}
