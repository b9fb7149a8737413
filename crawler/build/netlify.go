package build

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"sitemend/crawler/rules/hosts"
)

// netlifyTOML has the settings of netlify.toml that affect answers, besides its redirects and
// headers (docs.netlify.com/build/configure-builds/file-based-configuration).
type netlifyTOML struct {
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

// netlify reads whether pretty URLs are off, and which addresses functions may answer: those in
// netlify.toml, or all, where the code of a function may name its own.
func (c *config) netlify(o *hosts.Options) error {
	n, err := c.netlifyTOML()
	if err != nil {
		return err
	}
	pretty := n.Build.Processing.HTML.Pretty
	o.PrettyURLsOff = pretty != nil && !*pretty
	for _, e := range n.Edge {
		if list, ok := e.Path.([]any); ok {
			for _, p := range list {
				o.Owned = append(o.Owned, prefixOf(fmt.Sprint(p)))
			}
		} else if e.Path != nil {
			o.Owned = append(o.Owned, prefixOf(fmt.Sprint(e.Path)))
		}
	}
	dir, _ := n.Functions["directory"].(string)
	for _, folder := range []string{"netlify/edge-functions", "netlify/functions", ".netlify/v1/edge-functions",
		".netlify/v1/functions", n.Build.EdgeDir, n.Build.FunctionsDir, dir} {
		if folder != "" && c.routes(strings.TrimPrefix(folder, "/")) {
			c.build.Unknown = append(c.build.Unknown, folder)
			o.Owned = append(o.Owned, "/")
		}
	}
	return nil
}

// netlifyTOML reads netlify.toml. It returns the zero value where the file does not exist, is not
// TOML, or cannot be read as rules.
func (c *config) netlifyTOML() (n netlifyTOML, err error) {
	if c.named("netlify.toml") == "" && c.find("netlify.toml").lost != "" {
		return n, nil
	}
	text, ok, err := c.text("netlify.toml")
	if err != nil || !ok {
		return n, err
	}
	var any map[string]any
	if toml.Unmarshal(text, &any) != nil {
		return n, nil
	}
	if err := toml.Unmarshal(text, &n); err != nil {
		return n, &Error{"netlify.toml: " + err.Error(), "correct the file: it decides about the answers"}
	}
	return n, nil
}

// routes reports whether a function in a folder beside the build may name in its code the addresses
// that it answers: by an export named config (docs.netlify.com/build/edge-functions/declarations,
// docs.netlify.com/build/functions/get-started), its own or a re-export. It returns true for a
// function that cannot be read.
func (c *config) routes(folder string) bool {
	if !filepath.IsLocal(folder) { // only the project is read
		return true
	}
	if entries, there := c.folder(folder); !there || entries == nil {
		return there
	}
	found := false
	at := filepath.Join(beside(c.dir), folder)
	err := filepath.WalkDir(at, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "node_modules": // code that functions import
			return fs.SkipDir
		case d.IsDir():
			return nil
		case !d.Type().IsRegular() || names(name):
			found = true
			return fs.SkipAll
		}
		return nil
	})
	return found || err != nil
}

// exportsConfig matches code that may export a config.
var exportsConfig = regexp.MustCompile(`export\b[^;]*\bconfig\b|export\s*\*`)

// maxCode is the longest code of a function that is searched, in bytes.
const maxCode = 4 << 20

// names reports whether a file of code may export a config, or cannot be read.
func names(at string) bool {
	info, err := os.Lstat(at)
	if err != nil || info.Size() > maxCode {
		return true
	}
	text, err := readFile(at)
	if err != nil {
		return true
	}
	return exportsConfig.Match(text)
}
