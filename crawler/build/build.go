package build

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"sitemend/crawler/address"
	"sitemend/crawler/rules"
	"sitemend/crawler/rules/hosts"
)

// Options say how requests for a build are answered.
type Options struct {
	// Origin has the scheme, host and port that the build will have.
	Origin address.Address
	// Host is the host whose model answers; "" to recognize it by the files of the build.
	Host hosts.Name
	// Rules are the paths of the rule files, in order; nil to look for them in the folder and
	// beside it.
	Rules []string
	// Settings are --site-option: "pretty-urls=off", "spa", "path-prefix=/project".
	Settings []string
	// Online allows requests for other hosts to go to the network.
	Online bool
}

// A Build answers requests for a static build. It is safe for concurrent use.
type Build struct {
	Dir  string     // as given to Open
	Host hosts.Name // whose model answers

	o       Options
	root    *os.Root
	files   map[string]string // paths of the rule files by the names used in faults
	model   *hosts.Model
	digest  uint64
	subject string // host and port of Origin
}

// An Error says why a folder cannot be audited as a build (What), and what the user can do (Do).
type Error struct {
	What, Do string
}

// Error returns What.
func (e *Error) Error() string { return e.What }

// Hint returns Do.
func (e *Error) Hint() string { return e.Do }

// Open reads the names of the files in a folder, its rule files and its configuration. An *Error is
// a mistake in what the user named. The caller must close the Build.
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

// Close closes the folder, and lets go of the rules. A second call does nothing.
func (b *Build) Close() error {
	b.model = nil
	return b.root.Close()
}

func (b *Build) load() error {
	sum := xxhash.New()
	names, left, err := walk(b.root, sum)
	if err != nil {
		return &Error{fmt.Sprintf("--site %s: %s", b.Dir, reason(err)), "name a folder that can be read"}
	}
	if len(names) == 0 {
		return &Error{fmt.Sprintf("--site %s: there is no file in it", b.Dir), "build the site first, then name the folder that is deployed: public, dist, _site, out ..."}
	}
	if err := b.recognize(); err != nil {
		return err
	}
	files, err := b.ruleFiles()
	if err != nil {
		return err
	}
	opts, err := b.options()
	if err != nil {
		return err
	}
	for _, f := range files {
		fmt.Fprintln(sum, f.Name, xxhash.Sum64String(f.Text))
	}
	b.digest = sum.Sum64()
	opts.Hidden = left
	site := hosts.NewSite(b.served(names))
	b.model, err = hosts.New(b.Host, site, files, opts)
	if refused, ok := errors.AsType[*rules.Refusal](err); ok {
		return &Error{refused.Error(), "correct that file, or name those to read with --rules: what it says decides about the answers"}
	}
	return err
}

// served returns the names of the files that the host serves, which do not include its own rule
// files.
func (b *Build) served(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool {
		rules := (name == "_redirects" || name == "_headers") && hosts.Reads(b.Host, name) != ""
		return rules && b.Host != hosts.GitLabPages || name == "_routes.json" && b.Host == hosts.CloudflarePages
	})
}

// Origin returns the scheme, host and port that the build will have.
func (b *Build) Origin() address.Address { return b.o.Origin }

// Digest returns a number that most likely changes when a file of the build or one of its rule
// files changes.
func (b *Build) Digest() uint64 { return b.digest }

// Check calls each for the rules that the host takes from the rule files and the lines that it
// ignores, in order (hosts.Model.Check).
func (b *Build) Check(ctx context.Context, each func(hosts.Line)) {
	b.model.Check(ctx, b.o.Origin, b.own, each)
}

// RuleFiles returns the paths of the rule files by the names used in rules and faults: the file
// name of one that was found, the path of one that Options.Rules named.
func (b *Build) RuleFiles() map[string]string { return b.files }

// PathOf returns the path of the file that is the 200 answer for an address of the build, "" where
// there is none. It begins with the folder as given to Open.
func (b *Build) PathOf(at address.Address) string {
	if a := b.model.Answer(request(at)); at.HostPort() == b.subject && a.Status == 200 && a.File != "" {
		return path.Join(filepath.ToSlash(b.Dir), a.File)
	}
	return ""
}

// reason returns an error of the file system without the file name, which the message already has.
func reason(err error) string {
	if p, ok := err.(*fs.PathError); ok {
		return p.Err.Error()
	}
	return err.Error()
}

// own reports whether the build answers for a host: its future one, or that with or without www.
func (b *Build) own(host string) bool {
	main := b.o.Origin.Host()
	return host == main || strings.TrimPrefix(host, "www.") == strings.TrimPrefix(main, "www.")
}
