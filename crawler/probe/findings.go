package probe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// compare sets where each spelling leads. titled reports whether another title means another page.
func (p *Result) compare(titled bool) {
	for i := range p.Answers {
		s := &p.Answers[i]
		s.Lead = lead(&s.Trail, s.URL, p, titled)
	}
}

// lead returns where the redirect chain t, which begins at url, leads in comparison with that of p.
func lead(t *audit.Trail, url address.Address, p *Result, titled bool) Lead {
	given, first := &p.Trail, firstHop(t)
	sameFirst := first.Status == firstHop(given).Status
	moved := len(t.Steps) > 1
	ends := t.End == audit.EndAnswer && given.End == audit.EndAnswer
	switch hidden := t.End == audit.EndForbidden || t.End == audit.EndUnseen; {
	case t.End == audit.EndUnknown:
		return LeadLeftOut
	case hidden && moved:
		return LeadElsewhere
	case hidden && first.Fault == audit.FaultForbidden:
		return LeadForbidden
	case hidden && (first.Fault != "" || first.Status == 429 || first.Status == 503 && first.Challenge == ""):
		return LeadUnseen
	case hidden:
		return LeadRefused
	case t.End != audit.EndAnswer && t.End == given.End && sameFirst:
		return LeadSame
	case t.End != audit.EndAnswer:
		return LeadNowhere
	case moved && final(t) == p.Given:
		return LeadBack
	case moved && final(t) == final(given) && sameFirst:
		return LeadSame
	case moved:
		return LeadElsewhere
	case ends && len(given.Steps) > 1 && url == final(given):
		return LeadEnd
	case !ends || len(given.Steps) != 1 || !sameFirst:
		return LeadAnswer
	case titled && first.Status == 200 && title(t) != title(given):
		return LeadPage
	}
	return LeadSame
}

// final returns the last address of a chain; the zero Address for an empty one.
func final(t *audit.Trail) address.Address { return address.Wire(t.Last().Hop.URL) }

func title(t *audit.Trail) string { return t.Last().Hop.Page.Title }

// firstHop returns the first answer of a chain; an empty one for an empty chain.
func firstHop(t *audit.Trail) *audit.Hop {
	if len(t.Steps) == 0 {
		return &audit.Hop{}
	}
	return &t.Steps[0].Hop
}

// Statuses returns every answer of a chain up to its end: "301, then 404". For a loop it is "301,
// loop"; for any other chain without an end its first answer.
func Statuses(t *audit.Trail) string {
	if len(t.Steps) == 0 {
		return "not requested"
	}
	var said []string
	for i := range t.Steps {
		said = append(said, answerOf(&t.Steps[i].Hop))
	}
	switch last := len(said) - 1; {
	case t.End == audit.EndLoop:
		return said[0] + ", loop"
	case last == 0 || t.End != audit.EndAnswer && t.End != audit.EndUnseen && t.End != audit.EndForbidden:
		return said[0]
	default:
		return strings.Join(said[:last], ", ") + ", then " + said[last]
	}
}

// answerOf returns an answer in a word or two.
func answerOf(h *audit.Hop) string {
	switch {
	case h.Fault == audit.FaultForbidden:
		return "robots.txt"
	case h.Fault != "":
		return string(h.Fault)
	}
	return strings.TrimSpace(strconv.Itoa(h.Status) + " " + h.Challenge)
}

// WhyUnseen returns why nothing could be learned about the first address of a chain.
func WhyUnseen(t *audit.Trail) string {
	switch h := firstHop(t); {
	case h.Fault == audit.FaultRobots:
		return "its robots.txt did not answer: " + h.Detail
	case h.Fault == audit.FaultRobotsAddress:
		return h.Fault.Words() + ": " + h.Detail
	case h.Fault != "" && h.Fault != audit.FaultForbidden:
		return h.Fault.Words()
	}
	return Statuses(t)
}

// UnseenBy returns WhyUnseen in the form of audit.Counts.Unseen: a status, a fault or the name of a
// bot protection.
func UnseenBy(t *audit.Trail) string {
	r := audit.Row{Verdict: audit.Unverified, Trail: *t}
	return r.UnseenBy()
}

// leads say how a spelling is answered: %[1]s are its statuses, %[2]s is where it ends.
var leads = map[Lead]string{
	LeadSame:      "answered as the given form is, %[1]s",
	LeadBack:      "answered %[1]s, and leads back to the given form",
	LeadEnd:       "answered %[1]s at once: that is where the given form leads",
	LeadElsewhere: "answered %[1]s, and leads elsewhere, to %[2]s",
	LeadNowhere:   "answered %[1]s, and leads nowhere",
	LeadAnswer:    "answered %[1]s",
	LeadPage:      "answered %[1]s with another title: perhaps another page",
	LeadRefused:   "refused to us (%[1]s), which says nothing about Googlebot",
	LeadUnseen:    "no answer that counts (%[1]s)",
	LeadForbidden: "robots.txt forbids it",
	LeadLeftOut:   "left out for want of requests",
}

// findings returns what a probe found, in sentences: one for the given form where it is no page, and one
// for all spellings that are answered alike.
func findings(p *Result) []string {
	t := &p.Trail
	var out []string
	switch {
	case !p.Seen():
		return []string{"the given form could not be seen (" + WhyUnseen(t) + "), so no other spelling was requested"}
	case len(p.Answers) == 0:
		return []string{"there is no other spelling of this URL to request"}
	case p.Unsteady:
		out = append(out, fmt.Sprintf("the given form was answered %s at first and %s at the end: what follows is not certain", Statuses(t), Statuses(&p.Again)))
	}
	switch {
	case t.End != audit.EndAnswer:
		out = append(out, "the given form is answered "+Statuses(t)+", and leads nowhere")
	case len(t.Steps) > 1:
		as := ""
		if address.OnlyEncoding(address.Compare(p.Given, final(t))) {
			as = ", the same URL in another spelling"
		}
		out = append(out, fmt.Sprintf("the given form is answered %s, and leads to %s%s", Statuses(t), final(t), as))
	case firstHop(t).Status != 200:
		out = append(out, "the given form is answered "+Statuses(t))
	}
	var said []string
	names, late := map[string][]string{}, map[string]int{}
	for i := range p.Answers {
		s := &p.Answers[i]
		how := fmt.Sprintf(leads[s.Lead], Statuses(&s.Trail), final(&s.Trail))
		if names[how] == nil {
			said = append(said, how)
			late[how] = slices.Index([]Lead{LeadSame, LeadLeftOut}, s.Lead)
		}
		names[how] = append(names[how], s.Names...)
	}
	slices.SortStableFunc(said, func(a, b string) int { return late[a] - late[b] })
	for _, how := range said {
		out = append(out, strings.Join(names[how], "; ")+": "+how)
	}
	return out
}
