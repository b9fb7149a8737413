package build

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"sitemend/crawler/rules"
	"sitemend/crawler/rules/hosts"
)

// find returns the path of a file that a host or its tools may read: in the folder of the build, or
// else beside it; "" where there is none. One that cannot be read is an error, because its content
// may matter.
func (b *Build) find(name string) (string, error) {
	for i, dir := range []string{b.Dir, b.beside()} {
		at := filepath.Join(dir, name)
		if _, err := os.Lstat(at); errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		info, err := os.Stat(at)
		if i == 0 {
			info, err = b.root.Stat(name) // it refuses a link out of the folder
		}
		switch {
		case err != nil:
			return "", &Error{at + ": it is a link that leads out of the build or to no file, or cannot be read", lieThere}
		case info.Mode().IsRegular():
			return at, nil
		case !info.IsDir():
			return "", &Error{at + ": it is no regular file", lieThere}
		}
	}
	return "", nil
}

const lieThere = "let the file itself lie there, or name one with --rules: what it configures decides about the answers"

// text returns the text of a configuration file: the first one of that name in --rules, else the
// one in the folder or beside it; false where there is none.
func (b *Build) text(name string) (string, bool, error) {
	at := b.named(name)
	if at == "" {
		var err error
		if at, err = b.find(name); at == "" || err != nil {
			return "", false, err
		}
	}
	text, err := readFile(at)
	return text, err == nil, err
}

// named returns the first file of --rules with a name, "" for none.
func (b *Build) named(name string) string {
	i := slices.IndexFunc(b.o.Rules, func(at string) bool { return filepath.Base(at) == name })
	if i < 0 {
		return ""
	}
	return b.o.Rules[i]
}

// beside returns the parent of the folder.
func (b *Build) beside() string { return filepath.Join(b.Dir, "..") }

// maxConfig is the longest rule file that is read, in bytes: some million rules.
const maxConfig = 128 << 20

// readFile reads a regular file of at most maxConfig bytes.
func readFile(at string) (string, error) {
	f, size, err := regular(at, os.OpenFile)
	var text strings.Builder
	if err == nil {
		defer f.Close()
		if _, err = io.Copy(&text, io.LimitReader(f, maxConfig)); size > maxConfig {
			err = fmt.Errorf("it is longer than %d MB", maxConfig>>20)
		}
	}
	if err != nil {
		return "", &Error{fmt.Sprintf("%s: %s", at, reason(err)), "--rules names a rule file that can be read"}
	}
	return text.String(), nil
}

// ruleFiles returns the rule files in the order in which the host reads them: those of --rules,
// else those in the folder or, for configurations, beside it.
func (b *Build) ruleFiles() (files []hosts.File, err error) {
	take := func(name, at string) {
		var text string
		if text, err = readFile(at); err == nil {
			b.files[name] = filepath.ToSlash(filepath.Clean(at))
			files = append(files, hosts.File{Name: name, Text: text})
		}
	}
	bulk := false
	for _, at := range b.o.Rules {
		known := slices.Contains(hosts.RuleFiles, filepath.Base(at))
		if !known && b.Host != hosts.Vercel {
			return nil, &Error{fmt.Sprintf("--rules %s: %s reads no file of this name", at, b.Host), "--rules tells by the name what a file is: " + readBy(b.Host)}
		}
		bulk = bulk || !known
		if take(filepath.ToSlash(at), at); err != nil {
			return nil, err
		}
	}
	for _, name := range hosts.RuleFiles {
		deployed, reads := name[0] == '_', hosts.Reads(b.Host, name) != ""
		at, unread := b.find(name)
		if deployed && filepath.Dir(at) != filepath.Clean(b.Dir) {
			at = ""
		}
		switch {
		case b.named(name) != "" || !reads && (!deployed || unread != nil):
		case unread != nil:
			return nil, unread
		case at == "" || b.o.Rules != nil:
		default:
			take(name, at)
		}
		if err != nil {
			return nil, err
		}
	}
	for _, f := range slices.Clone(files) {
		if path.Base(f.Name) != "vercel.json" || bulk || b.Host != hosts.Vercel {
			continue
		}
		at := filepath.FromSlash(b.files[f.Name])
		names, failed := bulkFiles(at, f.Text)
		for err = failed; err == nil && len(names) > 0; names = names[1:] {
			take(names[0], filepath.Join(filepath.Dir(at), filepath.FromSlash(names[0])))
		}
	}
	return files, err
}

// readBy returns the names of the rule files that a host reads, for hints.
func readBy(host hosts.Name) string {
	names := slices.DeleteFunc(slices.Clone(hosts.RuleFiles), func(name string) bool { return hosts.Reads(host, name) == "" })
	return string(host) + " reads " + cmp.Or(strings.Join(names, " and "), "none")
}

// bulkFiles returns the files of bulkRedirectsPath in a vercel.json: a file, or those of a folder,
// relative to the folder of the configuration, out of which nothing may lead.
func bulkFiles(at, text string) ([]string, error) {
	var v struct {
		Bulk string `json:"bulkRedirectsPath"`
	}
	if json.Unmarshal([]byte(text), &v) != nil || v.Bulk == "" { // what is wrong with it is said when its rules are read
		return nil, nil
	}
	root, err := os.OpenRoot(filepath.Dir(at))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	var names []string
	err = fs.WalkDir(root.FS(), path.Clean(filepath.ToSlash(v.Bulk)), func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
			_, err = root.Stat(name)
		}
		return err
	})
	if err != nil {
		return nil, &Error{fmt.Sprintf("%s: bulkRedirectsPath %s: %s", at, v.Bulk, reason(err)), "it names a file or folder below that of vercel.json; --rules names rule files in place of those that are found"}
	}
	return names, nil
}

// options reads the configuration of the host, which --site-option overrides.
func (b *Build) options() (o hosts.Options, err error) {
	switch b.Host {
	case hosts.CloudflareWorkers:
		w, _, err := b.wrangler()
		if err != nil {
			return o, err
		}
		if html := w.Assets.HTML; html != "" && html != "auto-trailing-slash" {
			o.Unmodelled = "html_handling " + html
		}
		o.NotFound, o.Script, o.Owned = w.Assets.NotFound, w.Main != "", patterns(w.Assets.First)
		if w.Assets.First == true {
			o.Owned = []string{"/"}
		}
	case hosts.CloudflarePages:
		o.Owned, err = b.pagesFunctions()
	case hosts.Netlify:
		err = b.netlify(&o)
	case hosts.Vercel:
		for _, name := range []string{"middleware.ts", "middleware.js"} {
			if at, err := b.find(name); at != "" || err != nil {
				o.Owned = []string{"/"}
			}
		}
	}
	if err != nil {
		return o, err
	}
	return o, b.settings(&o)
}

// patterns returns the literal beginnings, in whole segments, of a pattern of paths or of several.
func patterns(value any) (all []string) {
	list, ok := value.([]any)
	if text, is := value.(string); is && !ok {
		list = []any{text}
	}
	for _, v := range list {
		pattern := fmt.Sprint(v)
		if i := strings.IndexAny(pattern, "*:(["); i >= 0 {
			pattern = pattern[:strings.LastIndexByte(pattern[:i], '/')+1]
		}
		all = append(all, "/"+strings.TrimPrefix(pattern, "/"))
	}
	return all
}

// pagesFunctions returns the paths of the functions in the folder functions beside the build,
// derived from the names of its files (developers.cloudflare.com/pages/functions/routing). A name
// in brackets stands for any.
func (b *Build) pagesFunctions() (owned []string, err error) {
	entries, err := os.ReadDir(filepath.Join(b.beside(), "functions"))
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, &Error{"the functions beside the build cannot be read: " + reason(err), "they decide about the answers"}
	}
	for _, e := range entries {
		code := path.Ext(e.Name())
		if e.IsDir() {
			code = ""
		}
		stem := strings.TrimSuffix(e.Name(), code)
		switch {
		case !e.IsDir() && !slices.Contains([]string{".js", ".ts", ".mjs", ".jsx", ".tsx"}, code):
		case strings.HasPrefix(stem, "[") || !e.IsDir() && (stem == "_middleware" || stem == "index"):
			owned = append(owned, "/")
		default:
			owned = append(owned, "/"+stem)
		}
	}
	return owned, nil
}

// netlify reads of netlify.toml whether pretty URLs are off, and which addresses functions may
// answer: those in it, or all, where the code of a function may name its own
// (docs.netlify.com/build/configure-builds/file-based-configuration).
func (b *Build) netlify(o *hosts.Options) error {
	var n struct {
		Build struct {
			EdgeDir      string `toml:"edge_functions"`
			FunctionsDir string `toml:"functions"`
			Processing   struct {
				HTML struct {
					Pretty *bool `toml:"pretty_urls"`
				} `toml:"html"`
			} `toml:"processing"`
		} `toml:"build"`
		Functions map[string]any `toml:"functions"`
		Edge      []struct {
			Path any `toml:"path"`
		} `toml:"edge_functions"`
	}
	text, _, err := b.text("netlify.toml")
	if err != nil {
		return err
	}
	if rules.TOML("netlify.toml", text, &n) != nil { // what is wrong with it is said when its rules are read
		return nil
	}
	pretty := n.Build.Processing.HTML.Pretty
	o.PrettyURLsOff = pretty != nil && !*pretty
	for _, e := range n.Edge {
		o.Owned = append(o.Owned, patterns(e.Path)...)
	}
	dir, _ := n.Functions["directory"].(string)
	for _, folder := range []string{"netlify/edge-functions", "netlify/functions", ".netlify/v1/edge-functions",
		".netlify/v1/functions", n.Build.EdgeDir, n.Build.FunctionsDir, dir} {
		if folder != "" && b.routes(path.Clean(strings.TrimPrefix(folder, "/"))) {
			o.Owned = append(o.Owned, "/")
		}
	}
	return nil
}

// exportsConfig matches code that may export a config, with the addresses of a function: its own or
// a re-export (docs.netlify.com/build/edge-functions/declarations, build/functions/get-started).
var exportsConfig = regexp.MustCompile(`export\b[^;]*\bconfig\b|export\s*\*`)

// routes reports whether a function in a folder beside the build may name in its code the addresses
// that it answers. Only the project is read, and what cannot be read may.
func (b *Build) routes(folder string) bool {
	root, err := os.OpenRoot(b.beside())
	if err != nil {
		return true
	}
	defer root.Close()
	found := errors.New("found")
	err = fs.WalkDir(root.FS(), folder, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir() && d.Name() != "node_modules":
			return err
		case d.IsDir(): // code that functions import
			return fs.SkipDir
		}
		text, err := readFile(filepath.Join(b.beside(), name))
		if err != nil || !d.Type().IsRegular() || exportsConfig.MatchString(text) {
			return found
		}
		return nil
	})
	return err != nil && !errors.Is(err, fs.ErrNotExist)
}

// settings reads --site-option.
func (b *Build) settings(o *hosts.Options) error {
	for _, setting := range b.o.Settings {
		key, value, _ := strings.Cut(setting, "=")
		ok := false
		switch key {
		case "pretty-urls":
			ok = b.Host == hosts.Netlify && (value == "on" || value == "off")
			o.PrettyURLsOff = value == "off"
		case "spa":
			ok = setting == key && (b.Host == hosts.CloudflareWorkers || b.Host == hosts.Nginx || b.Host == hosts.Plain)
			o.NotFound = "single-page-application"
		case "path-prefix":
			ok = (b.Host == hosts.GitLabPages || b.Host == hosts.GitHubPages) && strings.HasPrefix(value, "/")
			o.Prefix = strings.TrimRight(value, "/")
		}
		if !ok {
			return &Error{fmt.Sprintf("--site-option %s is none of %s", setting, b.Host),
				"--site-option takes pretty-urls=off (netlify), spa (cloudflare-workers, nginx, plain), path-prefix=/project (gitlab-pages, github-pages)"}
		}
	}
	return nil
}
