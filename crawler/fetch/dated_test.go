package fetch

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestOld(t *testing.T) {
	d := Dated{Day: time.Date(2026, 10, 21, 0, 0, 0, 0, time.UTC)}
	for now, want := range map[string]bool{"2026-10-21": false, "2026-01-01": false, "2027-04-21": false, "2027-04-22": true, "2030-01-01": true} {
		at, err := time.Parse(time.DateOnly, now)
		if err != nil {
			t.Fatal(err)
		}
		if d.Old(at) != want {
			t.Errorf("on %s: %v", now, !want)
		}
	}
}

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
