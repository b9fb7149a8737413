package watch_test

import (
	"path/filepath"
	"testing"

	"sitemend/cmd/internal/watch"
)

// A message leads to the pages while they last, or where the configuration says that others are;
// of a run that ends to the file.
func TestMessagesLeadToWhatLasts(t *testing.T) {
	file, local, named := filepath.Join("audits", "shop", "report.html"), "http://127.0.0.1:8080", "https://audits.example"
	for name, c := range map[string]struct {
		base, url string
		once      bool
		want      string
	}{
		"a watch":                   {local, "", false, local + "/TOKEN/audits/ID/"},
		"a watch, with url":         {named, named, false, named + "/TOKEN/audits/ID/"},
		"a run that ends":           {local, "", true, file},
		"a run that ends, with url": {named, named, true, named + "/TOKEN/audits/ID/"},
	} {
		if got := watch.ReportOf(c.base, &watch.Config{Store: "audits", URL: c.url}, c.once); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}
