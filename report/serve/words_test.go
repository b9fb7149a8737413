package serve

import (
	"testing"

	"sitemend/report"
	"sitemend/report/messages"
)

// Each format and each table that can be downloaded says what it is, in every language.
func TestFormatsHaveWords(t *testing.T) {
	for lang, texts := range messages.Serve() {
		for _, format := range report.Formats() {
			if texts["format-"+format] == "" {
				t.Errorf("%s: no words for the format %s", lang, format)
			}
		}
		for _, table := range report.Tables() {
			if texts["file-"+table] == "" {
				t.Errorf("%s: no words for the table %s", lang, table)
			}
		}
	}
}
