package messages

import (
	"maps"
	"strings"

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
	return Decision{r.Verdict, r.Fix.Action, r.StoppedBy()}
}

// DecidedOf returns the decision about the entry of a reported address, or the one that it would
// get.
func DecidedOf(r *audit.ReportedRow) Decision {
	if r.Kept {
		return Decision{r.Verdict, audit.Keep, r.Stop}
	}
	return Decision{Verdict: r.Verdict, Action: r.Verdict.Facts().Fix}
}

// Do returns what to do about an entry. It follows from the decision, so it never advises listing
// an address that a rule keeps out, or removing an entry that stays: where something keeps the
// entry, it says how to settle that; where --fix decided other than the default, what remains to be
// done.
func (c *Catalogue) Do(d Decision) string {
	byDefault := d.Verdict.Facts().Fix
	switch {
	case d.Stop != "":
		return c.Remark(d.Stop).Do
	case d.Action == audit.Keep || d.Action == "":
		if byDefault == audit.Keep {
			return c.Verdict(d.Verdict).Do
		}
		return c.Text("do-kept-by-flag") // only --fix keeps it without a Stop
	case d.Action == byDefault:
		return c.Verdict(d.Verdict).Do
	}
	return c.Action(d.Action).Do
}

// sayLifting adds to the notes that the owner may lift how to do so without a new audit.
func (c *Catalogue) sayLifting() {
	for _, n := range audit.OwnerKnows() {
		x := c.Notes[string(n)]
		x.Do += c.Text("lift", "note", string(n))
		c.Notes[string(n)] = x
	}
}

// shareTarget gives the words of "target", that the new URL does not answer 200 itself, to what says
// how it answers and has none of its own.
func (c *Catalogue) shareTarget() {
	for _, n := range audit.Stops() {
		key := string(n)
		if _, own := c.Notes[key]; strings.HasPrefix(key, "target-") && !own {
			c.Notes[key] = c.Notes["target"]
		}
	}
	delete(c.Notes, "target")
}

// theCommand is how the catalogue writes the command that writes the outputs of an audit again.
const theCommand = "sitemend report"

// Again returns text with command in place of each "sitemend report" in it: the same with
// the store and the folder of this audit, so that it can be pasted. "" is no other command.
// Where text has command already it stays: so Again of what Again returned is the same.
func Again(text, command string) string {
	if !strings.HasPrefix(command, theCommand) {
		return text
	}
	parts := strings.Split(text, command)
	for i := range parts {
		parts[i] = strings.ReplaceAll(parts[i], theCommand, command)
	}
	return strings.Join(parts, command)
}

// With returns c with the commands of its notes as Again writes them.
func (c *Catalogue) With(command string) *Catalogue {
	if command == "" {
		return c
	}
	out := *c
	out.command = command
	out.Notes = maps.Clone(c.Notes)
	for name, x := range out.Notes {
		x.Do = Again(x.Do, command)
		out.Notes[name] = x
	}
	return &out
}
