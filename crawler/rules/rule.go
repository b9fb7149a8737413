package rules

// A Format identifies a kind of rule file.
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
	File   string // the name given to Read
	Line   int    // from 1
	Source string // as written
	Target string // as written; "" where the host derives it from the source
	// Status is the status of the answer: that of a redirect, 200 for a rewrite, 4xx for a page
	// with that status. Stated is false where it is the host's default.
	Status int
	Stated bool
	// Force is set where the rule takes precedence over a file (Netlify's !).
	Force bool
	// Conditions are the words that make the rule depend on more than the address: country,
	// language, role, cookie, header; nil for none.
	Conditions []string
	// Wider is the part of the source that the host (Cloudflare) interprets unexpectedly, so that
	// the rule matches more addresses than it seems to: a query with its ?, which the host ignores,
	// or a :name within a word, a placeholder that the target does not use. "" for neither.
	Wider string

	scheme, host string  // of an absolute source
	query        []param // Netlify: required parameters of the query
	flags        flags
	regexp       bool // WordPress: the source is a regular expression
}

// param is a name of a query with its required value, or with the placeholder for its value.
type param struct{ name, value string }

// flags are the options of a rule in formats with columns.
type flags struct {
	matchCase  bool // Vercel bulk: caseSensitive
	keepQuery  bool // Vercel bulk, Cloudflare bulk: the query is passed on
	subdomains bool // Cloudflare bulk
	subpaths   bool // Cloudflare bulk
	keepSuffix bool // Cloudflare bulk
}

// A Fault is a line that the host ignores, or a whole file that it ignores.
type Fault struct {
	File string
	Line int    // from 1; 0 for the whole file
	Text string // the line, at most 200 bytes of it
	Why  string
	// Fails is set where the host refuses the whole configuration because of it, so that nothing of
	// the build is deployed, or where it is unknown what the host does with the rest.
	Fails bool
}

// A Set is the rules that a host reads from a rule file.
type Set struct {
	Format Format
	Rules  []Rule // in the order in which the host tries them
	Faults []Fault
}

// maxFaultText is how many bytes of a line a fault shows.
const maxFaultText = 200

func (s *Set) fault(file string, line int, text, why string) {
	s.Faults = append(s.Faults, faultOf(file, line, text, why))
}

// fails adds a fault because of which the host refuses the whole file.
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

// Read reads a rule file of a format. name is the name of the file in rules and faults; text is its
// whole content. What the host ignores is a fault, never an error: a file without any valid rule is
// a Set without rules, and its faults say whether the build is deployed with it (Fault.Fails). An
// unknown format gives an empty Set.
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

// Redirects reports whether the rule redirects rather than rewrites.
func (r *Rule) Redirects() bool { return r.Status >= 300 && r.Status < 400 }

// Append adds the rules and faults of t after those of s; both must be of the same family, such as
// _redirects and netlify.toml, or two bulk files.
func (s *Set) Append(t *Set) {
	s.Rules = append(s.Rules, t.Rules...)
	s.Faults = append(s.Faults, t.Faults...)
}
