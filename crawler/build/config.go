package build

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sitemend/crawler/rules/hosts"
)

// config finds and reads the configuration of a build: its rule files and settings.
type config struct {
	build *Build
	dir   string
}

// text reads a configuration file: the first one of that name in --rules, else the one in the
// folder or beside it; false where there is none. A file that exists and cannot be read is an
// error, because its content may matter.
func (c *config) text(name string) ([]byte, bool, error) {
	if at := c.named(name); at != "" {
		text, err := readFile(at)
		return text, err == nil, err
	}
	p := c.find(name)
	if p.lost != "" {
		return nil, false, &Error{fmt.Sprintf("%s: %s", p.at, p.lost), "let the file itself lie there: what it configures decides about the answers"}
	}
	if !p.file() {
		return nil, false, nil
	}
	text, err := readFile(p.at)
	return text, err == nil, err
}

// named returns the first file of --rules with a name, "" for none.
func (c *config) named(name string) string {
	i := slices.IndexFunc(c.build.o.Rules, func(at string) bool { return filepath.Base(at) == name })
	if i < 0 {
		return ""
	}
	return c.build.o.Rules[i]
}

// ruleFiles are the names of rule files in the order in which hosts read them.
var ruleFiles = []string{"_redirects", "_headers", "netlify.toml", "vercel.json"}

// deployed reports whether a rule file lies in the folder that is deployed; others may lie beside
// it.
func deployed(name string) bool { return name[0] == '_' }

// read returns the rule files in order, and the options of the host.
func (c *config) read() ([]hosts.File, hosts.Options, error) {
	o, err := c.options()
	if err != nil {
		return nil, o, err
	}
	var files []hosts.File
	if c.build.o.Rules != nil {
		if files, err = c.readNamed(); err != nil {
			return nil, o, err
		}
	}
	for _, name := range ruleFiles {
		if c.named(name) != "" {
			continue
		}
		if files, err = c.found(files, name); err != nil {
			return nil, o, err
		}
	}
	return files, o, nil
}

// found adds a rule file from the folder, or from beside it, if it exists.
func (c *config) found(files []hosts.File, name string) ([]hosts.File, error) {
	look := c.find
	if deployed(name) {
		look = c.inside
	}
	p, reads := look(name), hosts.Reads(c.build.Host, name)
	switch {
	case p.at == "" || !reads && (!deployed(name) || !p.file()):
		return files, nil
	case c.build.o.Rules != nil && p.lost == "": // the user replaces it
		if reads && !p.folder {
			c.build.Replaced = append(c.build.Replaced, name)
		}
		return files, nil
	case p.folder || p.lost != "":
		c.build.files[name] = filepath.ToSlash(p.at)
		return append(files, hosts.File{Name: name, Unread: p.lost, Folder: p.folder}), nil
	}
	files, err := c.take(files, name, p.at)
	if err == nil && name == "vercel.json" {
		files, err = c.bulk(files, p.at)
	}
	return files, err
}

// readNamed reads the files of --rules. A file whose name no host knows is a file of bulk
// redirects, which only Vercel has.
func (c *config) readNamed() (files []hosts.File, err error) {
	host, bulk := c.build.Host, false
	for _, at := range c.build.o.Rules {
		known := slices.Contains(ruleFiles, filepath.Base(at))
		if !known && host != hosts.Vercel {
			return nil, &Error{fmt.Sprintf("--rules %s: %s reads no file of this name", at, host), "--rules tells by the name what a file is: " + readBy(host)}
		}
		bulk = bulk || !known
		if files, err = c.take(files, filepath.ToSlash(at), at); err != nil {
			return nil, err
		}
	}
	if at := c.named("vercel.json"); at != "" && host == hosts.Vercel && !bulk {
		return c.bulk(files, at)
	}
	return files, nil
}

// readBy returns the names of the rule files that a host reads, for hints.
func readBy(host hosts.Name) string {
	var names []string
	for _, name := range ruleFiles {
		if hosts.Reads(host, name) {
			names = append(names, name)
		}
	}
	if names == nil {
		return string(host) + " reads none"
	}
	return string(host) + " reads " + strings.Join(names, " and ")
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

// bulk adds the files of bulkRedirectsPath in a vercel.json: a file, or those of a folder, relative
// to the folder of the configuration.
func (c *config) bulk(files []hosts.File, at string) ([]hosts.File, error) {
	var v struct {
		Bulk string `json:"bulkRedirectsPath"`
	}
	text, err := readFile(at)
	if err != nil || json.Unmarshal(text, &v) != nil || v.Bulk == "" { // invalid JSON is reported as a fault of the rules
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
		p := look(filepath.Join(filepath.Dir(at), filepath.FromSlash(name)), leadsOut,
			func() (fs.FileInfo, error) { return root.Lstat(name) },
			func() (fs.FileInfo, error) { return root.Stat(name) })
		if p.lost != "" {
			c.build.files[name] = filepath.ToSlash(p.at)
			files = append(files, hosts.File{Name: name, Unread: p.lost})
			continue
		}
		if files, err = c.take(files, name, p.at); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// options reads the configuration, which --site-option overrides.
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
		if err := c.netlify(&o); err != nil {
			return o, err
		}
	case hosts.Vercel:
		for _, name := range []string{"middleware.ts", "middleware.js"} {
			if p := c.find(name); p.at != "" && !p.folder {
				o.Owned = []string{"/"}
			}
		}
	}
	return o, c.settings(&o)
}

// prefixOf returns the literal beginning of a pattern of paths, in whole segments.
func prefixOf(pattern string) string {
	if i := strings.IndexAny(pattern, "*:(["); i >= 0 {
		pattern = pattern[:strings.LastIndexByte(pattern[:i], '/')+1]
	}
	if pattern == "" {
		return "/"
	}
	return pattern
}

// pagesFunctions returns the paths of the functions in the folder functions beside the build,
// derived from the names of its files (developers.cloudflare.com/pages/functions/routing).
func (c *config) pagesFunctions() (owned []string) {
	entries, there := c.folder("functions")
	if there && entries == nil { // it cannot be read, so the addresses are not known
		return []string{"/"}
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
	for i, p := range owned { // a folder [id] stands for any name
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
