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
	switch t.End {
	case audit.EndUnknown:
		return LeadLeftOut
	case audit.EndForbidden, audit.EndUnseen:
		if len(t.Steps) == 1 {
			return hidden(&t.Steps[0].Hop)
		}
		return LeadElsewhere
	case audit.EndAnswer:
		if len(t.Steps) > 1 {
			return redirected(t, p)
		}
		return direct(t, url, p, titled)
	}
	if t.End == p.Trail.End && firstStatus(t) == firstStatus(&p.Trail) {
		return LeadSame
	}
	return LeadNowhere
}

// hidden returns the lead of a first answer that shows nothing, or of no answer.
func hidden(h *audit.Hop) Lead {
	switch {
	case h.Fault == audit.FaultForbidden:
		return LeadForbidden
	case h.Fault != "" || h.Status == 429 || h.Status == 503 && h.Challenge == "":
		return LeadUnseen
	}
	return LeadRefused
}

func redirected(t *audit.Trail, p *Result) Lead {
	switch end := final(t); {
	case end == p.Given:
		return LeadBack
	case end == final(&p.Trail) && firstStatus(t) == firstStatus(&p.Trail):
		return LeadSame
	}
	return LeadElsewhere
}

func direct(t *audit.Trail, url address.Address, p *Result, titled bool) Lead {
	switch {
	case len(p.Trail.Steps) > 1 && p.Trail.End == audit.EndAnswer && url == final(&p.Trail):
		return LeadEnd
	case len(p.Trail.Steps) != 1 || p.Trail.End != audit.EndAnswer ||
		firstStatus(t) != firstStatus(&p.Trail):
		return LeadAnswer
	case titled && firstStatus(t) == 200 && title(t) != title(&p.Trail):
		return LeadPage
	}
	return LeadSame
}

// final returns the last address of a chain; the zero Address for an empty one.
func final(t *audit.Trail) address.Address { return address.Wire(t.Last().Hop.URL) }

func title(t *audit.Trail) string { return t.Last().Hop.Page.Title }

func firstStatus(t *audit.Trail) int {
	if len(t.Steps) == 0 {
		return 0
	}
	return t.Steps[0].Hop.Status
}

// FirstAnswer returns a chain's first answer in a word or two: its status, or why there is none.
func FirstAnswer(t *audit.Trail) string {
	if len(t.Steps) == 0 {
		return "not requested"
	}
	return answerOf(&t.Steps[0].Hop)
}

// Statuses returns every answer of a chain up to its end: "301, then 404". For a loop it is "301,
// loop"; for any other chain without an end, FirstAnswer.
func Statuses(t *audit.Trail) string {
	if t.End == audit.EndLoop {
		return FirstAnswer(t) + ", loop"
	}
	if len(t.Steps) < 2 || t.End != audit.EndAnswer && t.End != audit.EndUnseen &&
		t.End != audit.EndForbidden {
		return FirstAnswer(t)
	}
	var said []string
	for i := range t.Steps {
		said = append(said, answerOf(&t.Steps[i].Hop))
	}
	last := len(said) - 1
	return strings.Join(said[:last], ", ") + ", then " + said[last]
}

// onPage reports whether a chain ends on a page: an answer that counts as 200.
func onPage(t *audit.Trail) bool {
	if t.End != audit.EndAnswer {
		return false
	}
	switch t.Last().Hop.Status {
	case 200, 201, 203, 206:
		return true
	}
	return false
}

// answerOf returns an answer in a word or two.
func answerOf(h *audit.Hop) string {
	switch {
	case h.Fault == audit.FaultForbidden:
		return "robots.txt"
	case h.Fault != "":
		return string(h.Fault)
	case h.Challenge != "":
		return strconv.Itoa(h.Status) + " " + h.Challenge
	}
	return strconv.Itoa(h.Status)
}

// WhyUnseen returns why nothing could be learned about the first address of a chain.
func WhyUnseen(t *audit.Trail) string {
	if len(t.Steps) > 0 {
		switch h := &t.Steps[0].Hop; h.Fault {
		case "", audit.FaultForbidden:
		case audit.FaultRobots:
			return "its robots.txt did not answer: " + h.Detail
		case audit.FaultRobotsAddress:
			return h.Fault.Words() + ": " + h.Detail
		default:
			return h.Fault.Words()
		}
	}
	return FirstAnswer(t)
}

// UnseenBy returns WhyUnseen in the form of audit.Counts.Unseen: a status, a fault or the name of a
// bot protection.
func UnseenBy(t *audit.Trail) string {
	r := audit.Row{Verdict: audit.Unverified, Trail: *t}
	return r.UnseenBy()
}

// findings returns what a probe found, in sentences.
func findings(p *Result) []string {
	if !p.Seen() {
		return []string{"the given form could not be seen (" + WhyUnseen(&p.Trail) +
			"), so no other spelling was requested"}
	}
	var out []string
	if p.Unsteady {
		out = append(out, fmt.Sprintf("the given form was answered %s at first and %s at the end: what follows is not certain", FirstAnswer(&p.Trail), FirstAnswer(&p.Again)))
	}
	out = append(out, opening(p)...)
	out = append(out, wanted(p)...)
	out = append(out, singles(p)...)
	out = append(out, programs(p)...)
	out = append(out, topics(p)...)
	return append(out, unasked(p)...)
}

// opening describes the answer to the given form, where it is not just 200.
func opening(p *Result) []string {
	t := &p.Trail
	switch {
	case t.End != audit.EndAnswer:
		return []string{"the given form " + nowhere(t)}
	case len(t.Steps) > 1:
		as := ""
		if onPage(t) && address.OnlyEncoding(address.Compare(p.Given, final(t))) {
			as = ", the same URL in another spelling"
		}
		return []string{fmt.Sprintf("the given form is answered %s and leads to %s%s", Statuses(t),
			final(t), as)}
	case firstStatus(t) != 200:
		return []string{fmt.Sprintf("the given form answers %d", firstStatus(t))}
	}
	return nil
}

// nowhere describes how a chain without an end fails.
func nowhere(t *audit.Trail) string {
	switch t.End {
	case audit.EndLoop:
		return "is redirected in a loop"
	case audit.EndTooMany:
		return "is redirected too many times"
	}
	return "is redirected to no usable URL"
}

// A group is a set of spellings that differ in the same way and have the same answer.
type group struct {
	respelling // of the first
	first      *Answer
	chars      []string
	dos        []func(address.Address) address.Address // respell each of chars
}

// grouped groups the single differences for which pick returns true.
func grouped(p *Result, pick func(*Answer) bool) []group {
	var groups []group
	for i := range p.Answers {
		s := &p.Answers[i]
		if s.twist == nil || !pick(s) {
			continue
		}
		at := slices.IndexFunc(groups, func(g group) bool { return g.takes(s) })
		if at < 0 {
			groups, at = append(groups, group{respelling: *s.twist, first: s}), len(groups)
		}
		if c := s.twist.char; c != "" {
			groups[at].chars = append(groups[at].chars, quoteChar(c))
			groups[at].dos = append(groups[at].dos, s.twist.do)
		}
	}
	return groups
}

// takes reports whether s is another character with the same difference and answer as those of the
// group.
func (g *group) takes(s *Answer) bool {
	f, t := g.first, s.twist
	return g.char != "" && t.char != "" && g.is == t.is && g.where == t.where && f.Lead == s.Lead &&
		Statuses(&f.Trail) == Statuses(&s.Trail) &&
		(s.Lead != LeadElsewhere || final(&f.Trail) == final(&s.Trail))
}

func quoteChar(c string) string {
	if len(c) > 1 {
		return c
	}
	return "`" + c + "`"
}

// wants returns how the given form spells the characters, form how the others do; full is form with
// the characters.
func (g *group) wants() string { return g.phrase(g.was) }
func (g *group) full() string  { return g.phrase(g.is) }

func (g *group) form() string {
	if len(g.chars) == 0 {
		return g.is
	}
	return "the " + strings.TrimPrefix(g.is, "as ") + " form"
}

func (g *group) phrase(how string) string {
	if len(g.chars) == 0 {
		return how
	}
	return join(g.chars) + " " + how + " " + g.where
}

func join(list []string) string {
	if n := len(list); n > 1 {
		return strings.Join(list[:n-1], ", ") + " and " + list[n-1]
	}
	return strings.Join(list, "")
}

// wanted describes the spelling that the server wants, as seen from the address that the given form
// redirects to, where that is another spelling of the same address.
func wanted(p *Result) []string {
	var out []string
	for _, g := range grouped(p, p.asWanted) {
		out = append(out, fmt.Sprintf(
			"this server wants %s: it answers %d for the given form and leads there", g.full(),
			firstStatus(&p.Trail)))
	}
	return out
}

// asWanted reports whether the address that the given form redirects to has the spelling of s.
func (p *Result) asWanted(s *Answer) bool {
	if s.twist == nil || !p.toItself() {
		return false
	}
	end := final(&p.Trail)
	return slices.Contains(address.Compare(p.Given, end), s.twist.why) && s.twist.do(end) == end
}

// toItself reports whether the given form redirects to a page whose address is the same except for
// its spelling.
func (p *Result) toItself() bool {
	if len(p.Trail.Steps) < 2 || !onPage(&p.Trail) {
		return false
	}
	for _, r := range address.Compare(p.Given, final(&p.Trail)) {
		if r != address.Slash && r != address.PathCase &&
			!address.OnlyEncoding([]address.Reason{r}) {
			return false
		}
	}
	return true
}

// singles describes the answer to each single difference.
func singles(p *Result) []string {
	var out []string
	for _, g := range grouped(p, func(s *Answer) bool {
		return s.Lead != LeadSame && s.Lead != LeadLeftOut && !p.asWanted(s)
	}) {
		out = append(out, g.sentence(p))
	}
	return out
}

func (g *group) sentence(p *Result) string {
	t, answer := &g.first.Trail, FirstAnswer(&g.first.Trail)
	given := FirstAnswer(&p.Trail)
	switch g.first.Lead {
	case LeadBack:
		if !onPage(&p.Trail) {
			return fmt.Sprintf("with %s it answers %s and leads back to the given form, which is no page", g.full(), Statuses(t))
		}
		return fmt.Sprintf("this server wants %s: it answers %s for %s and leads back", g.wants(),
			answer, g.form())
	case LeadEnd:
		return fmt.Sprintf("with %s it answers %s at once: that is where the given form leads",
			g.full(), answer)
	case LeadElsewhere:
		return fmt.Sprintf("with %s it answers %s and leads elsewhere, to %s", g.full(),
			Statuses(t), final(t))
	case LeadNowhere:
		return fmt.Sprintf("with %s it answers %s and %s", g.full(), answer, nowhere(t))
	case LeadPage:
		return fmt.Sprintf("with %s it answers %s with another title: perhaps another page",
			g.full(), answer)
	case LeadRefused:
		return fmt.Sprintf("with %s it refused us (%s), the given form not (%s); that says nothing about Googlebot", g.full(), answer, given)
	case LeadUnseen:
		return fmt.Sprintf("nothing can be said of %s: there was no answer that counts (%s)",
			g.full(), answer)
	case LeadForbidden:
		return fmt.Sprintf("nothing can be said of %s: robots.txt forbids it", g.full())
	}
	if given == "200" {
		return fmt.Sprintf("this server wants %s: it answers %s for %s", g.wants(), answer,
			g.form())
	}
	return fmt.Sprintf("with %s it answers %s, the given form %s", g.full(), Statuses(t),
		Statuses(&p.Trail))
}

// programs describes the answers to the spellings of programs where these differ, and to all
// differences at once where no single one explains them.
func programs(p *Result) []string {
	var out []string
	single := slices.ContainsFunc(p.Answers,
		func(s Answer) bool { return s.twist != nil && s.Lead.Otherwise() })
	for i := range p.Answers {
		s := &p.Answers[i]
		what := s.programs()
		if what == "" && s.twist == nil && !single {
			what = "with " + s.Names[0]
		}
		if s.Lead.Otherwise() && what != "" {
			out = append(out, fmt.Sprintf("%s it answers %s%s", what, s.answers(), s.leads()))
		}
	}
	return out
}

// programs returns the names of the programs that spell as s does; "" for none.
func (s *Answer) programs() string {
	var names []string
	for _, name := range s.Names {
		switch address.Spelling(name) {
		case address.Googlebot:
			names = append(names, name+" (model of "+address.ModelDate+")")
		case address.RFC3986, address.WHATWG:
			names = append(names, name)
		}
	}
	if names == nil {
		return ""
	}
	return "in the spelling of " + join(names)
}

// answers returns the answers of s; for a spelling that redirects back to the given form, the first
// answer only.
func (s *Answer) answers() string {
	if s.Lead == LeadBack {
		return FirstAnswer(&s.Trail)
	}
	return Statuses(&s.Trail)
}

// leads describes an answer that differs.
func (s *Answer) leads() string {
	switch s.Lead {
	case LeadBack:
		return " and leads back to the given form"
	case LeadElsewhere:
		return " and leads elsewhere, to " + final(&s.Trail).String()
	case LeadEnd:
		return " at once: that is where the given form leads"
	case LeadNowhere:
		return " and " + nowhere(&s.Trail)
	case LeadPage:
		return " with another title: perhaps another page"
	case LeadRefused:
		return ": it refused us, which says nothing about Googlebot"
	}
	return ""
}

// topics describes which differences do not matter for a page. There are none where the given form
// is not a page, for a difference may matter for a page, nor where it redirects to another spelling
// of itself: that others are redirected there as well says nothing about the spelling that is
// answered at once.
func topics(p *Result) []string {
	if same := p.Count(LeadSame); !onPage(&p.Trail) {
		if same > 0 && same == len(p.Answers) {
			return []string{fmt.Sprintf(
				"all %d spellings are answered alike, %s: none of them is a page", same+1,
				Statuses(&p.Trail))}
		}
		return nil
	}
	if p.toItself() {
		return nil
	}
	var list, both []string
	for _, g := range grouped(p, func(s *Answer) bool { return s.Lead == LeadSame }) {
		topic := g.topic
		if len(g.chars) > 0 {
			topic = "how " + join(g.chars) + " " + isAre(len(g.chars)) + " spelled " + g.where
			both = append(both, g.together(p)...)
		}
		if !slices.Contains(list, topic) {
			list = append(list, topic)
		}
	}
	same := p.Count(LeadSame)
	switch {
	case same == 0:
		return nil
	case same == len(p.Answers):
		return []string{fmt.Sprintf("all %d spellings are answered alike, %s: %s", same+1,
			Statuses(&p.Trail), matter(list))}
	case len(list) == 0:
		return nil
	}
	if slices.ContainsFunc(p.Answers, func(s Answer) bool { return p.onlyTogether(&s) }) {
		return []string{strings.Join(
			append([]string{matter(list) + " where only one differs"}, both...), "; ")}
	}
	return []string{matter(list)}
}

// onlyTogether reports whether s has several differences and another answer, and none of the
// differences alone has that.
func (p *Result) onlyTogether(s *Answer) bool {
	return s.twist == nil && s.Lead.Otherwise() &&
		!slices.ContainsFunc(p.Answers, func(one Answer) bool {
			return one.twist != nil && one.Lead.Otherwise() && one.twist.do(s.URL) == s.URL
		})
}

// together describes the answer where all characters of g, and nothing else, are spelled
// differently at once. It returns nothing where that answer does not differ, or was not requested.
func (g *group) together(p *Result) []string {
	all := p.Given
	for _, do := range g.dos {
		all = do(all)
	}
	at := slices.IndexFunc(p.Answers,
		func(s Answer) bool { return s.URL == all && p.onlyTogether(&s) })
	if at < 0 {
		return nil
	}
	which := "both"
	if n := len(g.chars); n > 2 {
		which = "all " + strconv.Itoa(n)
	}
	s := &p.Answers[at]
	return []string{fmt.Sprintf("%s %s: %s%s", which, g.is, s.answers(), s.leads())}
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func matter(list []string) string {
	switch len(list) {
	case 0:
		return "it does not matter which is used"
	case 1:
		return list[0] + " does not matter"
	}
	return join(list) + " do not matter"
}

// unasked describes which spellings were left out.
func unasked(p *Result) []string {
	if len(p.Answers) == 0 {
		return []string{"there is no other spelling of this URL to request"}
	}
	var names []string
	for i := range p.Answers {
		if s := &p.Answers[i]; s.Lead == LeadLeftOut {
			names = append(names, s.Names[0])
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d spellings were left out for want of requests: %s",
		len(names), len(p.Answers), strings.Join(names, "; "))}
}
