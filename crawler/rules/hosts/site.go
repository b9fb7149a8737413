package hosts

import (
	"path"
	"strings"

	"sitemend/crawler/rules"
)

// A Site is the files of a build, by name.
type Site struct {
	files map[string]bool
	dirs  map[string]bool
	fold  map[string]string // names in lower case, for hosts that ignore case
}

// NewSite returns the site that has files of these names, with slashes, without a leading one
// ("folder/index.html").
func NewSite(names []string) *Site {
	s := &Site{
		files: make(map[string]bool, len(names)),
		dirs:  map[string]bool{"/": true},
		fold:  make(map[string]string, len(names)),
	}
	for _, name := range names {
		name = "/" + name
		s.files[name] = true
		s.fold[strings.ToLower(name)] = name
		for dir := path.Dir(name); !s.dirs[dir]; dir = path.Dir(dir) {
			s.dirs[dir] = true
		}
	}
	return s
}

// has reports whether there is a file of this name.
func (s *Site) has(name string) bool { return s.files[name] }

// folded returns the file that has this name in any case; "" for none.
func (s *Site) folded(name string) string {
	if s.files[name] {
		return name
	}
	return s.fold[strings.ToLower(name)]
}

// dir reports whether there is a folder of this name, with or without a trailing slash.
func (s *Site) dir(name string) bool {
	if name != "/" {
		name = strings.TrimSuffix(name, "/")
	}
	return s.dirs[name]
}

// notFound returns a 404, with the 404 page at the root of the site where there is one.
func (s *Site) notFound() Answer {
	if s.has("/404.html") {
		return Answer{Status: 404, File: "/404.html"}
	}
	return Answer{Status: 404}
}

// cleaned decodes a path and resolves its dots and double slashes; it returns false for a malformed
// escape or a NUL.
func cleaned(p string) (string, bool) {
	d, ok := rules.DecodePath(p)
	if !ok || strings.IndexByte(d, 0) >= 0 {
		return "", false
	}
	slash := strings.HasSuffix(d, "/") || strings.HasSuffix(d, "/.") || strings.HasSuffix(d, "/..")
	d = path.Clean("/" + d)
	if slash && d != "/" {
		d += "/"
	}
	return d, true
}
