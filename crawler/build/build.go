package build

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/rules"
	"sitemend/crawler/rules/hosts"
)

// Options say how a build is answered.
type Options struct {
	// Origin is scheme, host and port that the build will have; only these count.
	Origin address.Address
	// Host is whose model answers; "" where files of the build say it.
	Host hosts.Name
	// Rules are the rule files, in order; nil where they are looked for in the folder and
	// beside it.
	Rules []string
	// Settings are --site-option: "pretty-urls" ("off"), "spa" (""), "path-prefix" ("/project").
	Settings map[string]string
	// Online lets requests for other hosts go to the network.
	Online bool
}

// A Build is a static build that answers. It is safe for concurrent use.
type Build struct {
	Dir          string     // as it was named
	Host         hosts.Name // whose model answers
	RecognizedBy string     // the file that said which host it is; "" where the user did
	Left         Left       // what of the folder is not served
	// Unknown are folders of functions beside the build, of which no configuration says which
	// addresses they answer: their code does.
	Unknown []string
	// Replaced are the rule files of the build that its host reads and that are not read here, for
	// Options.Rules names others.
	Replaced []string

	o       Options
	root    *os.Root
	files   map[string]string // paths of the rule files by the names that faults have
	model   *hosts.Model
	prefix  string
	digest  uint64
	subject string // host and port of Origin
}

// An Error says why a folder cannot be audited as a build, and what to do.
type Error struct {
	What, Do string
}

// Error returns What.
func (e *Error) Error() string { return e.What }

// Hint returns Do.
func (e *Error) Hint() string { return e.Do }

// Open reads the names of the files in a folder, its rule files and its configuration. An
// *Error says what is wrong with what the user named. Close it.
func Open(dir string, o Options) (*Build, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, &Error{fmt.Sprintf("--site %s: %s", dir, reason(err)), "--site names the folder that is deployed: public, dist, _site, out ..."}
	}
	b := &Build{Dir: dir, o: o, root: root, files: map[string]string{}, subject: o.Origin.HostPort()}
	if err := b.load(); err != nil {
		_ = root.Close()
		return nil, err
	}
	return b, nil
}

// Close lets go of the folder.
func (b *Build) Close() error { return b.root.Close() }

func (b *Build) load() error {
	sum := xxhash.New()
	names, left, err := walk(b.root, sum)
	if err != nil {
		return &Error{fmt.Sprintf("--site %s: %s", b.Dir, reason(err)), "name a folder that can be read"}
	}
	if len(names) == 0 {
		return &Error{fmt.Sprintf("--site %s: there is no file in it", b.Dir), "build the site first, then name the folder that is deployed: public, dist, _site, out ..."}
	}
	b.Left = left
	c := config{build: b, dir: b.Dir}
	if b.Host, b.RecognizedBy, err = c.host(b.o.Host); err != nil {
		return err
	}
	files, opts, err := c.read()
	if err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintln(sum, f.Name, xxhash.Sum64(f.Text))
	}
	b.digest = sum.Sum64()
	b.prefix, opts.Hidden = opts.Prefix, left.hidden
	b.model, err = hosts.New(b.Host, hosts.NewSite(b.served(names)), files, opts)
	return err
}

// served are the names of the files that the host hands out: its own rule files are not served.
func (b *Build) served(names []string) []string {
	var served []string
	for _, name := range names {
		switch {
		case name == "_redirects" || name == "_headers":
			if hosts.Reads(b.Host, name) && b.Host != hosts.GitLabPages {
				continue
			}
		case name == "_routes.json" && b.Host == hosts.CloudflarePages:
			continue
		}
		served = append(served, name)
	}
	return served
}

// Prefix is the path below which the host serves the build, "" for its root.
func (b *Build) Prefix() string { return b.prefix }

// Origin is scheme, host and port that the build will have.
func (b *Build) Origin() address.Address { return b.o.Origin }

// Digest is a number that is another one, most likely, where a file of the build or one of its
// rule files is another.
func (b *Build) Digest() uint64 { return b.digest }

// Rules returns the rules that the host takes from the rule files, in their order.
func (b *Build) Rules() []*rules.Rule { return b.model.Rules() }

// Check hands found what is wrong with the rules, and returns how many were not tried
// (hosts.Model.Check).
func (b *Build) Check(found func(hosts.Finding)) (untried int) {
	return b.model.Check(b.o.Origin, b.own, found)
}

// RuleFiles returns the paths of the rule files by the names that rules and faults have: the
// name of one that was found, the path of one that was named.
func (b *Build) RuleFiles() map[string]string { return b.files }

// PathOf returns the path of the file that answers 200 for an address of the build, "" for
// none. It begins with the folder as it was named.
func (b *Build) PathOf(at address.Address) string {
	if at.HostPort() != b.subject {
		return ""
	}
	a := b.model.Answer(request(at))
	if a.Status != 200 || a.File == "" {
		return ""
	}
	return path.Join(filepath.ToSlash(b.Dir), a.File)
}

// reason is an error of the file system without the name, which stands before it.
func reason(err error) string {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// own reports whether a host is answered by the build: the one that it will have, and its
// twin with or without www.
func (b *Build) own(host string) bool {
	main := b.o.Origin.Host()
	return host == main || strings.TrimPrefix(host, "www.") == strings.TrimPrefix(main, "www.")
}
