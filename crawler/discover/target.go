package discover

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"sitemend/crawler/address"
)

// TargetKind is the kind of a TARGET of the command line.
type TargetKind uint8

// The kinds of target.
const (
	TargetSite    TargetKind = iota // a site: its robots.txt names the sitemaps
	TargetSitemap                   // the URL of a sitemap
	TargetFile                      // a local file
	TargetStdin                     // "-"
)

// A Target is what the user asked to audit.
type Target struct {
	Text string
	Kind TargetKind
	// URLs are the addresses to try, in order: for a site its root, https first where the user
	// named no scheme; for a sitemap its address only.
	URLs []address.Address
}

// ParseTarget parses a TARGET: "-", an existing local file, a URL with a path (a sitemap), or a
// site, with or without a scheme. Its error says why s is none of these.
func ParseTarget(s string) (Target, error) {
	t := Target{Text: s}
	if s == "-" {
		t.Kind = TargetStdin
		return t, nil
	}
	if address.HasUser(s) {
		return Target{}, fmt.Errorf("a name or password in a target is not used")
	}
	if strings.Contains(s, "://") {
		a, err := address.Parse(s)
		if err != nil {
			return t, err
		}
		t.URLs = []address.Address{a}
		if _, query := a.Query(); a.Path() != "/" || query {
			t.Kind = TargetSitemap
		}
		return t, nil
	}
	if info, err := os.Stat(s); err == nil {
		t.Kind = TargetFile
		if info.IsDir() {
			return t, fmt.Errorf("%s is a folder, not a sitemap", s)
		}
		return t, nil
	}
	if likeFile.MatchString(s) && !strings.HasPrefix(s, "localhost") {
		return t, fmt.Errorf("%s: there is no such file", s)
	}
	for _, scheme := range []string{"https://", "http://"} {
		a, err := address.Parse(scheme + s)
		if err != nil {
			return t, err
		}
		t.URLs = append(t.URLs, a)
	}
	if t.URLs[0].Path() != "/" {
		t.Kind = TargetSitemap
	}
	return t, nil
}

// SiteTarget returns the target for an origin that the user did not write. It is never a file.
func SiteTarget(origin string) (Target, error) {
	a, err := address.Parse(origin)
	return Target{Text: origin, Kind: TargetSite, URLs: []address.Address{a}}, err
}

// likeFile matches a text that is neither a URL nor the name of a file and was probably meant as a file.
var likeFile = regexp.MustCompile(`(?i)^[./]|\\|^[^/]+\.(?:xml|txt|gz|csv|rss|atom)$|^[^.:/]+(?:/|$)`)
