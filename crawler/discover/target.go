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
		return SiteTarget(s)
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
	return SiteTarget(s)
}

// SiteTarget returns the target for a site, or a sitemap, that is no file: an address, or one without
// its scheme (then https is tried first).
func SiteTarget(site string) (Target, error) {
	t := Target{Text: site}
	texts := []string{site}
	if !strings.Contains(site, "://") {
		texts = []string{"https://" + site, "http://" + site}
	}
	for _, text := range texts {
		a, err := address.Parse(text)
		if err != nil {
			return t, err
		}
		t.URLs = append(t.URLs, a)
	}
	if _, query := t.URLs[0].Query(); t.URLs[0].Path() != "/" || query {
		t.Kind = TargetSitemap
	}
	return t, nil
}

// likeFile matches a text that is neither a URL nor the name of a file and was probably meant as a file.
var likeFile = regexp.MustCompile(`(?i)^[./]|\\|^[^/]+\.(?:xml|txt|gz|csv|rss|atom)$|^[^.:/]+(?:/|$)`)
