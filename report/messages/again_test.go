package messages_test

import (
	"testing"

	"sitemend/report/messages"
)

// The command of an audit is put in once, however often a text passes.
func TestAgainOnce(t *testing.T) {
	const command = "sitemend report 20261123T050205Z --store 'my sitemend report.db'"
	for text, want := range map[string]string{
		"`sitemend report --max-drop 100%`":                "`" + command + " --max-drop 100%`",
		"sitemend report, or sitemend report --new":        command + ", or " + command + " --new",
		command + " --fix locale=replace":                  command + " --fix locale=replace",
		command + ", as sitemend report --format csv does": command + ", as " + command + " --format csv does",
		"sitemend rules --for nginx":                       "sitemend rules --for nginx",
	} {
		got := messages.Again(text, command)
		if got != want || messages.Again(got, command) != got {
			t.Errorf("%s becomes %s, then %s, want %s", text, got, messages.Again(got, command), want)
		}
	}
	if got := messages.Again("sitemend report --new", ""); got != "sitemend report --new" {
		t.Errorf("without a command it becomes %s", got)
	}
}
