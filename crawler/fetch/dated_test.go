package fetch

import (
	"regexp"
	"strings"
	"testing"
)

// Chrome has a complete version, and every agent with a version has that one.
func TestChrome(t *testing.T) {
	if !regexp.MustCompile(`^\d+\.0\.\d+\.\d+$`).MatchString(Chrome.Value) || Chrome.Day.IsZero() || !strings.HasPrefix(Chrome.Where, "https://") {
		t.Errorf("%+v", Chrome)
	}
	n := 0
	for _, id := range identities {
		if _, version, ok := strings.Cut(id.Agent, "Chrome/"); ok {
			n++
			if version, _, _ = strings.Cut(version, " "); version != Chrome.Value {
				t.Errorf("%s has Chrome %s, want %s", id.Name, version, Chrome.Value)
			}
		}
	}
	if n != 4 {
		t.Errorf("%d agents have a version of Chrome", n)
	}
}
