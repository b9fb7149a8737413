package main

import (
	"strings"
	"testing"

	"sitemend/cmd/internal/job"
	"sitemend/crawler/fetch"
)

// The User-Agent of --header replaces that of the identity for every host, and is one line that is
// not empty: what a script takes from elsewhere must not add headers.
func TestAgentOfHeader(t *testing.T) {
	for agent, ok := range map[string]bool{"Mozilla/5.0 (ünlaut)": true, "me\r\nX-Evil: 1": false, "me\nX-Evil: 1": false, "\x00": false, "": false} {
		f := job.Asking{As: "googlebot", Headers: []string{"X-Door: 7", "user-agent: " + agent}}
		o, err := f.Options(nil, &fetch.Audited{})
		if ok != (err == nil) || ok && (o.Identity.Agent != agent || o.Identity.Token != "Googlebot" || len(o.Headers) != 1) {
			t.Errorf("%q: %v, %+v", agent, err, o.Identity)
		}
		if err != nil && !strings.Contains(err.Error(), "--header") {
			t.Errorf("%q: %v", agent, err)
		}
	}
}
