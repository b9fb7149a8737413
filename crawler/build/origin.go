package build

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/sitemap"
)

// errFound ends the reading of a sitemap at its first entry.
var errFound = errors.New("found")

// Target returns the origin of the first address that a folder's sitemap lists, for which the build
// is; with the setting path-prefix, the address of that sitemap. The sitemap is the first of
// sitemap.Candidates that exists. An *Error says which names were tried.
func Target(dir string, settings []string) (target string, err error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", &Error{fmt.Sprintf("--site %s: %s", dir, reason(err)), "--site names the folder that is deployed: public, dist, _site, out ..."}
	}
	defer root.Close()
	b := &Build{Dir: dir, root: root}
	for _, name := range sitemap.Candidates {
		at, err := b.firstEntry(strings.TrimPrefix(name, "/"))
		if err == nil {
			target = at.Origin()
			for _, setting := range settings {
				if prefix, ok := strings.CutPrefix(setting, "path-prefix="); ok {
					target = at.Origin() + strings.TrimRight(prefix, "/") + name
				}
			}
			return target, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", &Error{fmt.Sprintf("%s%s: %s", strings.TrimSuffix(dir, "/"), name, reason(err)), "name the site as TARGET: sitemend audit --site " + dir + " https://www.example.com"}
		}
	}
	return "", &Error{fmt.Sprintf("--site %s: there is no sitemap in it; looked for %s", dir, strings.Join(sitemap.Candidates, ", ")),
		"let the build write one; where it has another name, name the site as TARGET, and robots.txt is to name the sitemap: sitemend audit --site " + dir + " https://www.example.com"}
}

// firstEntry returns the first address that a sitemap of the build lists.
func (b *Build) firstEntry(name string) (at address.Address, err error) {
	f, _, err := b.open(name)
	if err != nil {
		return at, err
	}
	defer f.Close()
	_, err = sitemap.Read(f, sitemap.Options{}, func(e sitemap.Entry) error {
		if at, err = address.Parse(e.Loc); err != nil {
			return nil // the audit reports it
		}
		return errFound
	})
	switch {
	case errors.Is(err, errFound):
		return at, nil
	case err == nil:
		err = errors.New("it lists no URL")
	}
	return at, err
}
