package messages

import (
	"cmp"
	"regexp"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
)

// A Decision is the basis of advice: the verdict on an entry, and what was decided about it.
type Decision struct {
	Verdict audit.Verdict
	Action  audit.Action // audit.Keep where it is ""
	Stop    audit.Note   // what keeps it from being edited (audit.Stops), "" for none
}

// Decided returns the decision about a row.
func Decided(r *audit.Row) Decision {
	return Decision{r.Verdict, r.Fix.Action, r.Fix.Stop}
}

// Do returns what to do about an entry. It follows from the decision, so it never advises listing
// an address that a rule keeps out, or removing an entry that stays: where something keeps the
// entry, it says how to settle that; where --fix decided other than the default, what remains to be
// done. Of what is listed twice it says what the cause says.
func (c *Catalogue) Do(d Decision) string {
	switch {
	case d.Stop != "":
		return Again(c.Remark(d.Stop).Do, c.command)
	case d.Action == audit.Merge:
		return c.Remedies["once"]
	case cmp.Or(d.Action, audit.Keep) == d.Verdict.Facts().Fix:
		return c.Verdict(d.Verdict).Do
	}
	return c.Text("do-by-flag")
}

// told is what is told in the words of another.
var told = map[string]string{
	// faults of answers
	string(answers.FaultRobotsAddress): string(answers.FaultAddress), string(answers.FaultHeader): string(answers.FaultNotHTTP),
	string(answers.FaultEncoding): string(answers.FaultNotHTTP),
	// differences
	string(address.Unreserved): "encoding", string(address.Reserved): "encoding", string(address.Unencoded): "encoding", string(address.Space): "encoding", string(address.Unicode): "charset",
	string(address.WWW): "host", string(address.Port): "host", string(address.Index): "name", string(address.Extension): "name",
}

// share gives notes the words of others: those of "target" go with the verdict of the new URL.
func (c *Catalogue) share() {
	for _, n := range audit.Stops() {
		x := c.Notes[string(n)]
		if verdict, ok := strings.CutPrefix(string(n), "target-"); ok {
			x = c.Notes["target"]
			name := c.Verdict(audit.Verdict(verdict)).Name
			x.Name, x.What = x.Name+": "+name, fill(x.What, "what", name)
		} else if n.OwnerKnows() { // who may know better is told how to lift it
			x.Do += c.Text("lift", "note", string(n))
		}
		c.Notes[string(n)] = x
	}
	for key, as := range told {
		for _, texts := range []map[string]string{c.Faults, c.Reasons} {
			if text, ok := texts[as]; ok {
				texts[key] = text
			}
		}
	}
	c.Faults[string(answers.FaultForbidden)] = c.Verdict(audit.Disallowed).Name
	delete(c.Notes, "target")
	delete(c.Reasons, "encoding")
	delete(c.Reasons, "name")
}

// named fills the names of findings: a heading is of one, and what stands after a number has a small letter.
func named(all map[string]Finding) {
	for key, f := range all {
		if f.Few == "" {
			f.Few = f.Name
			if len(f.Few) > 1 && (f.Few[1] >= 'a' && f.Few[1] <= 'z' || f.Few[0] == '{') {
				f.Few = small.ReplaceAllStringFunc(f.Few, strings.ToLower)
			}
		}
		f.Name = fill(f.Name, "n", 1)
		all[key] = f
	}
}

// small is what begins a name: its first letter, or that of both its forms.
var small = regexp.MustCompile(`^(\{n:[^}]*\}|.)`)

// Again returns text with command in place of each "sitemend report" in it: the same with the store
// and the folder of this audit, so that it can be pasted. A text that has command, or is to have "",
// stays.
func Again(text, command string) string {
	if command == "" || strings.Contains(text, command) {
		return text
	}
	return strings.ReplaceAll(text, "sitemend report", command)
}

// With returns c with the commands in what it says to do as Again writes them.
func (c *Catalogue) With(command string) *Catalogue {
	out := *c
	out.command = command
	return &out
}
