package main

import (
	"sitemend/cmd/internal/job"
	"strings"
	"testing"
	"time"
)

// An agent is one line: what a script takes from elsewhere must not add headers.
func TestAgentIsOneLine(t *testing.T) {
	for agent, ok := range map[string]bool{"": true, "Mozilla/5.0 (ünlaut)": true, "me\r\nX-Evil: 1": false, "me\nX-Evil: 1": false, "\x00": false} {
		f := job.Asking{Robots: "obey", Timeout: time.Second, Agent: agent}
		if err := f.Check(); (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "--user-agent") {
			t.Errorf("%q: %v", agent, err)
		}
	}
}
