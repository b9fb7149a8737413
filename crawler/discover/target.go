package discover

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"

	"sitemend/crawler/address"
)

// A Target is what the user asked to audit.
type Target struct {
	Text string
	// URLs are the addresses to try, in order: of a site, or of a sitemap, https first where the
	// user named no scheme. A local file, and "-" for standard input, has none.
	URLs []address.Address
	// Site is set where the robots.txt of the address names the sitemaps.
	Site bool
}

// ParseTarget parses a TARGET: "-", an existing local file, a URL with a path (a sitemap), or a
// site, with or without a scheme. Its error says why s is none of these.
func ParseTarget(s string) (Target, error) {
	t := Target{Text: s}
	switch info, err := os.Stat(s); {
	case s == "-", err == nil && !info.IsDir():
		return t, nil
	case address.HasUser(s):
		return t, fmt.Errorf("a name or password in a target is not used")
	case strings.Contains(s, "://"):
	case err == nil:
		return t, fmt.Errorf("%s is a folder, not a sitemap", s)
	case likeFile.MatchString(s) && !strings.HasPrefix(s, "localhost"):
		return t, fmt.Errorf("%s: %w", s, errors.Unwrap(err)) // of a folder that we may not enter nobody knows what is in it
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
	t.Site = t.URLs[0].Target() == "/"
	return t, nil
}

// likeFile matches a text that is neither a URL nor the name of a file and was probably meant as a file.
var likeFile = regexp.MustCompile(`(?i)^[./]|\\|^[^/]+\.(?:xml|txt|gz|csv|rss|atom)$|^[^.:/]+(?:/|$)`)
