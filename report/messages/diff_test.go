package messages_test

import (
	"testing"

	"sitemend/crawler/audit"
	"sitemend/report/messages"
)

// There is a word for each kind of change, and for each effect but what was written for a
// correction, which has no line of its own.
func TestDiffWords(t *testing.T) {
	en := messages.Of("en").Diff().Texts
	for _, e := range audit.Effects() {
		if e != audit.Written && en[string(e)] == "" {
			t.Errorf("no word for %s", e)
		}
	}
	for _, k := range audit.ChangeKinds() {
		if en[string(k)+".one"] == "" || en[string(k)+".many"] == "" {
			t.Errorf("no words for %s", k)
		}
	}
	for _, l := range audit.AlsoLists() {
		if en["list-"+string(l)] == "" {
			t.Errorf("no word for %s", l)
		}
	}
	all := audit.Differ{As: true, Robots: true, Spelling: true, MaxHops: true, Soft404: true, Targets: true, Part: true, Reversed: true}
	for _, name := range all.Names() {
		if en["differ-"+name] == "" {
			t.Errorf("no words for two audits that differ in %s", name)
		}
	}
}
