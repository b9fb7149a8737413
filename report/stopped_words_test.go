package report

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// An audit without an end never says that a site is clean, nor anything of every address or of all: in
// no format with sentences. Each opens with that it was stopped, and how to go on.
func TestNoFormatCallsAStoppedAuditWhole(t *testing.T) {
	result := shop()
	result.Info.Ended, result.Info.Partial = time.Time{}, true
	said := map[string]string{}
	var b strings.Builder
	if err := WriteSummary(&b, result, Summary{}); err != nil {
		t.Fatal(err)
	}
	said["summary"] = b.String()
	b.Reset()
	if err := Write(t.Context(), &b, "md", result, Options{}); err != nil {
		t.Fatal(err)
	}
	said["md"] = b.String()
	whole := regexp.MustCompile(`(?i)[^\n]*(\bclean\b|every address|\ball \d|100 %)[^\n]*`)
	for name, text := range said {
		if line := whole.FindString(text); line != "" {
			t.Errorf("%s says %q", name, line)
		}
		if !strings.Contains(text, "This audit was stopped before its end.") || !strings.Contains(text, "Continue the audit") {
			t.Errorf("%s does not say that it was stopped, and how to go on:\n%s", name, text)
		}
	}
}
