package build

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/pelletier/go-toml/v2"

	"sitemend/crawler/rules/hosts"
)

// maxConfig is the longest rule file that is read: some million rules.
const maxConfig = 128 << 20

// config finds and reads the files that say how a build is answered.
type config struct {
	build *Build
	dir   string
}

// find returns the path of a file in the folder, or beside it.
func (c *config) find(name string) (string, bool) {
	// os.Root refuses a link that leads out of the folder.
	if info, err := c.build.root.Stat(name); err == nil && info.Mode().IsRegular() {
		return filepath.Join(c.dir, name), true
	}
	at := filepath.Join(beside(c.dir), name)
	info, err := os.Stat(at)
	return at, err == nil && info.Mode().IsRegular()
}

// beside is the folder in which a folder lies.
func beside(dir string) string {
	clean := filepath.Clean(dir)
	if base := filepath.Base(clean); base == "." || base == ".." {
		return filepath.Join(clean, "..")
	}
	return filepath.Dir(clean)
}

// text reads a file in the folder or beside it; false where there is none.
func (c *config) text(name string) ([]byte, bool, error) {
	at, ok := c.find(name)
	if !ok {
		return nil, false, nil
	}
	text, err := readFile(at)
	return text, err == nil, err
}

// readFile reads a regular file of at most maxConfig bytes.
func readFile(at string) ([]byte, error) {
	fail := func(err error) error {
		return &Error{fmt.Sprintf("%s: %s", at, reason(err)), "--rules names a rule file that can be read"}
	}
	f, err := os.OpenFile(at, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fail(err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fail(err)
	case !info.Mode().IsRegular():
		return nil, fail(errors.New("it is no regular file"))
	case info.Size() > maxConfig:
		return nil, fail(fmt.Errorf("it is longer than %d MB", maxConfig>>20))
	}
	text, err := io.ReadAll(io.LimitReader(f, maxConfig))
	if err != nil {
		return nil, fail(err)
	}
	return text, nil
}

// read returns the rule files in their order and what is configured.
func (c *config) read() ([]hosts.File, hosts.Options, error) {
	o, err := c.options()
	if err != nil {
		return nil, o, err
	}
	var files []hosts.File
	if c.build.o.Rules != nil {
		for _, at := range c.build.o.Rules {
			if files, err = c.take(files, filepath.ToSlash(at), at); err != nil {
				return nil, o, err
			}
		}
		return files, o, nil
	}
	for _, name := range []string{"_redirects", "_headers"} { // hosts read these in what is deployed alone
		at := filepath.Join(c.dir, name)
		if info, err := c.build.root.Stat(name); err != nil || !info.Mode().IsRegular() {
			files = c.lost(files, name)
			continue
		}
		if files, err = c.take(files, name, at); err != nil {
			return nil, o, err
		}
	}
	for _, name := range []string{"netlify.toml", "vercel.json"} {
		at, ok := c.find(name)
		if !ok {
			files = c.lost(files, name)
		}
		if !ok || !hosts.Reads(c.build.Host, name) {
			continue
		}
		if files, err = c.take(files, name, at); err != nil {
			return nil, o, err
		}
		if name == "vercel.json" {
			if files, err = c.bulk(files, at); err != nil {
				return nil, o, err
			}
		}
	}
	return files, o, nil
}

// take adds a rule file under a name.
func (c *config) take(files []hosts.File, name, at string) ([]hosts.File, error) {
	text, err := readFile(at)
	if err != nil {
		return nil, err
	}
	c.build.files[name] = filepath.ToSlash(filepath.Clean(at))
	return append(files, hosts.File{Name: name, Text: text}), nil
}

// lost adds a rule file of the folder that is there and not read, where its host would read it: a
// link that leads out of the folder or to nothing.
func (c *config) lost(files []hosts.File, name string) []hosts.File {
	info, err := c.build.root.Lstat(name)
	if err != nil || info.IsDir() || !hosts.Reads(c.build.Host, name) {
		return files
	}
	why := "it is no regular file"
	if info.Mode()&fs.ModeSymlink != 0 {
		why = "it is a link that leads out of the build, or to no file; --rules FILE reads it"
	}
	c.build.files[name] = filepath.ToSlash(filepath.Join(c.dir, name))
	return append(files, hosts.File{Name: name, Unread: why})
}

// bulk adds the files that bulkRedirectsPath of a vercel.json names: a file, or those of a
// folder, below that of the configuration.
func (c *config) bulk(files []hosts.File, at string) ([]hosts.File, error) {
	var v struct {
		Bulk string `json:"bulkRedirectsPath"`
	}
	text, err := readFile(at)
	if err != nil || json.Unmarshal(text, &v) != nil || v.Bulk == "" { // what is no JSON is a fault of the rules
		return files, err
	}
	root, err := os.OpenRoot(filepath.Dir(at))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	name := path.Clean(filepath.ToSlash(v.Bulk))
	names := []string{name}
	info, err := root.Stat(name)
	if err != nil {
		return nil, &Error{fmt.Sprintf("%s: bulkRedirectsPath %s: %s", at, v.Bulk, reason(err)), "it names a file or folder below that of vercel.json; --rules names rule files in place of those that are found"}
	}
	if info.IsDir() {
		entries, err := fs.ReadDir(root.FS(), name)
		if err != nil {
			return nil, err
		}
		names = nil
		for _, e := range entries {
			names = append(names, path.Join(name, e.Name()))
		}
	}
	for _, name := range names {
		if files, err = c.take(files, name, filepath.Join(filepath.Dir(at), filepath.FromSlash(name))); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// options reads what is configured, and --site-option over it.
func (c *config) options() (o hosts.Options, err error) {
	switch c.build.Host {
	case hosts.CloudflareWorkers:
		w, _, err := c.wrangler()
		if err != nil {
			return o, err
		}
		o.HTML, o.NotFound, o.Script = w.Assets.HTML, w.Assets.NotFound, w.Main != ""
		if w.Assets.First == true {
			o.Owned = []string{"/"}
		} else if list, ok := w.Assets.First.([]any); ok {
			for _, p := range list {
				o.Owned = append(o.Owned, prefixOf(fmt.Sprint(p)))
			}
		}
	case hosts.CloudflarePages:
		o.Owned = c.pagesFunctions()
	case hosts.Netlify:
		const edge = "netlify/edge-functions"
		if entries, err := os.ReadDir(filepath.Join(beside(c.dir), edge)); err == nil && len(entries) > 0 {
			c.build.Unknown = append(c.build.Unknown, edge)
		}
		if o.PrettyURLsOff, o.Owned, err = c.netlify(); err != nil {
			return o, err
		}
	case hosts.Vercel:
		if _, ok := c.find("middleware.ts"); ok {
			o.Owned = []string{"/"}
		} else if _, ok := c.find("middleware.js"); ok {
			o.Owned = []string{"/"}
		}
	}
	return o, c.settings(&o)
}

// prefixOf is the literal beginning of a pattern of paths, whole segments.
func prefixOf(pattern string) string {
	if i := strings.IndexAny(pattern, "*:(["); i >= 0 {
		pattern = pattern[:strings.LastIndexByte(pattern[:i], '/')+1]
	}
	if pattern == "" {
		return "/"
	}
	return pattern
}

// netlify reads of netlify.toml whether pretty URLs are off, and the paths of edge functions
// (docs.netlify.com/build/configure-builds/file-based-configuration).
func (c *config) netlify() (off bool, owned []string, err error) {
	text, ok, err := c.text("netlify.toml")
	if err != nil || !ok {
		return false, nil, err
	}
	var n struct {
		Build struct {
			Processing struct {
				HTML struct {
					Pretty *bool `toml:"pretty_urls"`
				} `toml:"html"`
			} `toml:"processing"`
		} `toml:"build"`
		Edge []struct {
			Path any `toml:"path"`
		} `toml:"edge_functions"`
	}
	if toml.Unmarshal(text, &n) != nil { // a fault of the rules
		return false, nil, nil
	}
	for _, e := range n.Edge {
		if list, ok := e.Path.([]any); ok {
			for _, p := range list {
				owned = append(owned, prefixOf(fmt.Sprint(p)))
			}
		} else if e.Path != nil {
			owned = append(owned, prefixOf(fmt.Sprint(e.Path)))
		}
	}
	pretty := n.Build.Processing.HTML.Pretty
	return pretty != nil && !*pretty, owned, nil
}

// pagesFunctions are the paths of the functions in the folder functions beside the build, by
// the names of its files (developers.cloudflare.com/pages/functions/routing).
func (c *config) pagesFunctions() (owned []string) {
	entries, err := os.ReadDir(filepath.Join(beside(c.dir), "functions"))
	if err != nil {
		return nil // there are none
	}
	for _, e := range entries {
		name := e.Name()
		stem := strings.TrimSuffix(name, path.Ext(name))
		switch {
		case e.IsDir():
			owned = append(owned, "/"+name)
		case !slices.Contains([]string{".js", ".ts", ".mjs", ".jsx", ".tsx"}, path.Ext(name)):
		case stem == "_middleware" || stem == "index" || strings.HasPrefix(stem, "["):
			owned = append(owned, "/")
		default:
			owned = append(owned, "/"+stem)
		}
	}
	for i, p := range owned { // a folder [id] takes any name
		if strings.HasPrefix(p, "/[") {
			owned[i] = "/"
		}
	}
	return owned
}

// settings reads --site-option.
func (c *config) settings(o *hosts.Options) error {
	host := c.build.Host
	for key, value := range c.build.o.Settings {
		name, ok := key+"="+value, false
		switch key {
		case "pretty-urls":
			ok = host == hosts.Netlify && (value == "on" || value == "off")
			o.PrettyURLsOff = value == "off"
		case "spa":
			name, ok = key, value == "" && (host == hosts.CloudflareWorkers || host == hosts.Nginx || host == hosts.Plain)
			o.SPA, o.NotFound = true, "single-page-application"
		case "path-prefix":
			ok = (host == hosts.GitLabPages || host == hosts.GitHubPages) && strings.HasPrefix(value, "/")
			o.Prefix = strings.TrimRight(value, "/")
		}
		if !ok {
			return &Error{fmt.Sprintf("--site-option %s is none of %s", name, host),
				"--site-option takes pretty-urls=off (netlify), spa (cloudflare-workers, nginx, plain), path-prefix=/project (gitlab-pages, github-pages)"}
		}
	}
	return nil
}
