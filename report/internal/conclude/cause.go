package conclude

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
	"sitemend/crawler/pattern"
	"sitemend/report/command"
	"sitemend/report/internal/plain"
	"sitemend/report/messages"
)

// A Cause is what is behind many entries, in words.
type Cause struct {
	Index    int    // in result.Causes: what Result.CauseOf says of a row
	ID       string // the same in every audit that has the cause: "d-temporary-1x4f9z"
	Count    int    // entries
	Sitemaps int    // files concerned
	Title    Sentence
	Pattern  Pattern
	Ask      Sentence   // the question to decide; zero where there is nothing to ask
	Do       []Sentence // the answers to Ask ("Yes: ...", "No: ..."), else what to do
	Who      Sentence   // who does it, by their role: "Site owner", "Developer", "Server admin"
	Lift     Sentence   // what Command does: "Take them out, without another crawl:"
	Command  string     // "" for none
	// Flag is what the next audit needs to see more, "--rate 1", and Retry the command with it;
	// "" for nothing.
	Flag, Retry string
	Examples    []Example // up to three
	Generator   string    // what wrote the sitemaps concerned; "" for unknown
	// Files are those of most entries, at most audit.MostFiles of Sitemaps.
	Files []FileCount

	line  Sentence
	brief Sentence // line in fewer words; zero where there are none
}

// An Example is an address as listed, where it leads, "" for nowhere, and where it stands:
// "sitemap.xml:12", "" for unknown. Back is set where it is Final that redirects: another spelling,
// to the one that is listed.
type Example struct {
	Listed, Final, At string
	Back              bool
}

// A FileCount is how many entries of a cause a sitemap has.
type FileCount struct {
	Name  string // as FileNames has it
	Count int
}

// named is what a cause is called wherever it is reported: its Count, Title, Pattern and Line. would is
// set where no sitemap is written, so that nothing was removed.
func named(x *audit.Cause, would bool) Cause {
	kind := kindOf(x)
	out := Cause{Count: x.Count, Title: titleOf(kind, x, would), Pattern: patternOf(x, common)}
	out.line = lineOf(kind, x, &out)
	return out
}

func (c *concluding) cause(i int) Cause {
	x := &c.result.Causes[i]
	kind := c.wordsOf(x)
	out := named(x, c.unwritten())
	out.Index, out.ID, out.Sitemaps, out.Who, out.Generator = i, idOf(x), x.Sitemaps, say("role-"+roleOf(kind)), c.result.Generator(x)
	c.byRule(x, &out)
	switch lane := x.Group.Lane(); {
	case lane == audit.Upload:
		if x.Trait != audit.ToMissing { // who generates the sitemaps
			out.Who = say("role-developer")
		}
		out.Do = stays(x)
	case lane == audit.Spelling && !c.askedOtherwise():
		then := say("then-" + kind + "-if")
		if n := c.reportedOtherwise(); n > 0 {
			then = say("then-"+kind+"-reported", "n", n)
		}
		out.Do = []Sentence{say("do-spelt"), then}
	default:
		out.decide(kind, x)
		if flag := c.retry(kind); flag != "" && (kind != "unseen-private" || len(x.Finals) > 0 && c.isTarget(x.Finals[0])) {
			name, value, _ := strings.Cut(flag, "=")
			out.Flag, out.Retry = strings.TrimSpace(name+" "+value), command.Audit(&c.result.Info, []string{flag})
		}
	}
	switch {
	case x.Stop == audit.Braked:
		out.Lift, out.Command = say("lift-brake"), c.again()+" --max-drop 100%"
	case (out.Ask.IsZero() || x.Stop == audit.OtherHost) && slices.Contains(audit.OwnerKnows(), x.Stop): // no answer to another question writes the new address
		out.Lift, out.Command = say("lift-rule"), c.again()+" --fix "+string(x.Stop)+"=replace"
	}
	for j, loc := range x.Examples {
		e := Example{Listed: visible(loc), Back: leadsBack(x)}
		if j < len(x.Finals) && x.Finals[j] != loc {
			e.Final = visible(x.Finals[j])
		}
		if j < len(x.Places) {
			e.At = c.place(x.Places[j])
		}
		out.Examples = append(out.Examples, e)
	}
	for _, f := range x.Most {
		if name := c.names[f.Sitemap]; name != "" {
			out.Files = append(out.Files, FileCount{name, f.Count})
		}
	}
	return out
}

// place writes where an entry is listed, "sitemap.xml:12"; "" where that is not known.
func (c *concluding) place(at audit.Place) string {
	name := c.names[at.Sitemap]
	if name == "" || at.Line == 0 {
		return name
	}
	return name + ":" + strconv.Itoa(at.Line)
}

// FileNames are the names of the files for people: the last segment of the path, the
// whole URL where two have the same.
func FileNames(result *audit.Result) []string {
	out, seen := make([]string, len(result.Files)), map[string]int{}
	for i := range result.Files {
		if base := path.Base(result.Files[i].Sitemap.URL); base != "." && base != "/" {
			out[i] = plain.Visible(base)
		}
		seen[out[i]]++
	}
	for i := range out {
		if seen[out[i]] > 1 || out[i] == "" {
			out[i] = plain.Visible(result.Files[i].Sitemap.URL)
		}
	}
	return out
}

// idOf names a cause in links: its lane, what it is, and a hash of its key.
func idOf(x *audit.Cause) string {
	h := fnv.New32a()
	h.Write([]byte(x.Key))
	lane := "n"
	switch x.Group.Lane() {
	case audit.Upload:
		lane = "u"
	case audit.Decide:
		lane = "d"
	case audit.Spelling:
		lane = "s"
	}
	return fmt.Sprintf("%s-%s-%s", lane, kindOf(x), strconv.FormatUint(uint64(h.Sum32()), 36))
}

// removedAsListed reports whether the entries of a cause are removed because what would be
// written for them is listed already.
func removedAsListed(x *audit.Cause) bool {
	return x.Group == audit.Corrected && x.Trait == audit.Repeated
}

// wordsOf is the key of what a cause asks for: kindOf, but where a login or a consent stands before most
// entries, or before those that were clean in the last audit. To take these out would empty the sitemap.
func (c *concluding) wordsOf(x *audit.Cause) string {
	kind, n := kindOf(x), c.result.Counts.Notes[audit.Gate]
	switch {
	case kind == "unseen-status" && c.someForbidden(label(x, "unseen")):
		return "unseen-some"
	case kind != string(audit.Gate):
		return kind
	}
	was := 0
	if last := c.result.Last; last != nil && last.Since != nil {
		was = SharesOf(func(g audit.Group) int { return last.Groups[g] }).Clean - c.now.Clean
	}
	if n*2 >= c.now.Checked() || was >= n {
		return "gate-before-all"
	}
	return kind
}

// kindOf is the key of a cause's words.
func kindOf(x *audit.Cause) string {
	stop := x.Stop
	if stop == audit.Braked && x.Verdict.Facts().Fix == audit.Replace { // many would be merged into one
		stop = audit.Collapsed
	}
	switch {
	case removedAsListed(x) && x.Verdict == audit.Noncanonical:
		return "repeated-canonical"
	case removedAsListed(x):
		return "repeated"
	case x.Trait == audit.MixedSignals && x.Group == audit.TakenOut:
		return "removed-mixed-signals"
	case x.Trait == audit.MixedSignals && (x.Stop == "" || x.Stop == audit.Braked):
		return "mixed-signals"
	case x.Trait == audit.ToMissing && x.Group == audit.TakenOut:
		return "removed-to-missing"
	case x.Trait == audit.ToMissing:
		return string(audit.ToMissing)
	case x.Group == audit.TakenOut:
		if x.Verdict.Facts().Fix == audit.Drop {
			return "removed-" + string(x.Verdict)
		}
		return "removed"
	case x.Trait == audit.Contrary && x.Stop == audit.TargetNote(audit.Noncanonical):
		return string(audit.Contrary)
	case stop != "" && x.Verdict == audit.Noncanonical && has("title-canonical-"+stopKind(stop)):
		return "canonical-" + stopKind(stop)
	case x.Verdict == audit.Homepage && x.Stop == "" && ofRoots(x):
		return "homepage-locale"
	case x.Stop == audit.Locale && renamed(x):
		return "locale-permanent"
	case x.Stop == audit.TargetNote(audit.Offsite):
		return string(audit.Offsite)
	case stop != "" && stop != audit.Braked:
		return stopKind(stop)
	case x.Verdict == audit.Error:
		return errorKind(label(x, "status"))
	case x.Verdict == audit.Unverified:
		kind := unseenKind(label(x, "unseen"))
		if (kind == "unseen-dns" || kind == "unseen-tls") && leadsAway(x) {
			kind += "-redirect"
		}
		return kind
	}
	return string(x.Verdict)
}

// stopKind is the key of what keeps entries: what new URLs answer that do not answer 200 is one.
func stopKind(n audit.Note) string {
	if target := "target-"; strings.HasPrefix(string(n), target) && !has("title-"+string(n)) && n != audit.TargetNote(audit.Offsite) {
		return "target"
	}
	return string(n)
}

// ofRoots reports whether the entries of a cause are home pages themselves, which redirect to that of
// a language.
func ofRoots(x *audit.Cause) bool {
	for _, loc := range x.Examples {
		if wireOf(loc).Target() != "/" {
			return false
		}
	}
	return len(x.Examples) > 0
}

// renamed reports whether a folder of a language or country may have been renamed: all that a cause's
// entries answer is a permanent redirect, and to as many folders as before.
func renamed(x *audit.Cause) bool {
	for status := range x.Answers {
		if status != 301 && status != 308 {
			return false
		}
	}
	for i, loc := range x.Examples {
		if i >= len(x.Finals) || strings.Count(wireOf(loc).Path(), "/") != strings.Count(address.Wire(x.Finals[i]).Path(), "/") {
			return false
		}
	}
	return len(x.Answers) > 0 && len(x.Examples) > 0
}

// someForbidden reports whether why is a 403 that few entries get: a part of the site is closed,
// rather than the site to this computer.
func (c *concluding) someForbidden(why string) bool {
	return why == "403" && c.now.Unseen*10 < c.now.Crawled()
}

// leadsAway reports whether what a cause's entries lead to is on other hosts than they are.
func leadsAway(x *audit.Cause) bool {
	for i, loc := range x.Examples {
		if i >= len(x.Finals) || x.Finals[i] == "" || wireOf(loc).Host() == address.Wire(x.Finals[i]).Host() {
			return false
		}
	}
	return len(x.Examples) > 0
}

// label is what a cause's term of a name says; "" where it has none.
func label(x *audit.Cause, name string) string {
	for _, t := range x.Terms {
		if t.Name == name {
			return t.From
		}
	}
	return ""
}

func errorKind(status string) string {
	switch {
	case status == "":
		return "error-location"
	case status[0] == '5' && len(status) == 3:
		return "error-5xx"
	}
	return "error"
}

// unseenFaults are the kinds of the faults for which to crawl more slowly changes nothing: of a
// name, a network, a certificate, an answer that is wrong in itself, or an address that the guard of the audit refused.
var unseenFaults = map[audit.Fault]string{
	audit.FaultDNS: "unseen-dns", audit.FaultTLS: "unseen-tls",
	audit.FaultRobots: "unseen-network", audit.FaultUnreachable: "unseen-network", audit.FaultRefused: "unseen-network",
	audit.FaultNotHTTP: "unseen-answer", audit.FaultEncoding: "unseen-answer", audit.FaultHeader: "unseen-answer",
	audit.FaultPrivate: "unseen-to-private", audit.FaultAddress: "unseen-private", audit.FaultRobotsAddress: "unseen-robots-private",
}

// unseenKind is the kind of what could not be seen, by why (audit.Counts.Unseen).
func unseenKind(why string) string {
	_, err := strconv.Atoi(why)
	robots := audit.RobotsStatus(why)
	switch {
	case robots == 429:
		return "unseen-robots-slow"
	case robots > 0:
		return "unseen-robots"
	case why == "401" || why == "407": // 407 is of a proxy, whose password no site is to get
		return "unseen-" + why
	case why == "429":
		return "unseen-slow"
	case why == "503":
		return "unseen-busy"
	case err == nil:
		return "unseen-status"
	case why == string(audit.FaultOutside) || why == string(audit.FaultUnmodelled):
		return "unseen-" + why
	case why == string(audit.FaultAbandoned) || why == string(audit.FaultNotAgain) || why == string(audit.Unsteady):
		return "unseen-" + why
	case unseenFaults[audit.Fault(why)] != "":
		return unseenFaults[audit.Fault(why)]
	case why == "" || messages.Of("en").Fault(audit.Fault(why)) != why:
		return "unseen-fault"
	}
	return "unseen-refused"
}

// unseenWord says why something could not be seen.
func unseenWord(why string) word {
	return func(c *messages.Catalogue) string { return c.Fault(audit.Fault(why)) }
}

// ruleWord is a rule in words.
func ruleWord(terms []pattern.Term) word {
	return func(c *messages.Catalogue) string { return c.Rule(terms) }
}

// faultText is the sentence of a sitemap's fault, for a sentence that has a stop of its own.
func faultText(f audit.SitemapFault) word {
	return func(c *messages.Catalogue) string {
		_, text := c.SitemapFault(f)
		return strings.TrimRight(text, ".。")
	}
}

// doers are who does what a kind asks for, by their role, where it is no question, and not the
// developer.
var doers = map[string]string{
	"loop": "operator", "too-many-redirects": "operator", "error-5xx": "operator", "error": "operator", "error-location": "operator",
	"session": "operator", "contrary": "operator", "target": "operator", "target-soft-404": "operator", "target-noncanonical": "operator",
	"to-http": "operator", "cut": "operator", "locale": "operator", "locale-permanent": "operator", "gate-before-all": "operator", "varies": "operator", "spelling-bounce": "operator", "spelling-conflict": "operator",
	"removed-to-missing": "operator", // whose redirect is to be looked at first
	"moved":              "owner", "respelled": "owner",
	"unseen-refused": "operator", "unseen-status": "operator", "unseen-some": "operator", "unseen-unsteady": "operator", "unseen-outside": "developer",
	"unseen-unmodelled": "auditor", "unseen-host-left": "auditor", "unseen-not-looked-at-again": "auditor",
	"unseen-401": "owner", "unseen-407": "auditor", "unseen-slow": "auditor", "unseen-busy": "auditor", "unseen-fault": "auditor",
	"unseen-tls": "operator", "unseen-tls-redirect": "operator", "unseen-dns-redirect": "operator", "unseen-to-private": "operator",
	"unseen-dns-listed": "developer", "unseen-robots-private": "operator", "unseen-answer": "operator",
	"unseen-network": "auditor", "unseen-robots": "operator", "unseen-robots-slow": "auditor", "secrets-withheld": "auditor", "unwritten-outdated": "auditor", "unsteady": "auditor", "not-asked": "auditor", "target-long": "operator",
}

// roles are who does what an action asks for, where it does not depend on its causes.
var roles = map[ActionKind]string{
	DoUpload: "webmaster", DoWrite: "webmaster", DoResubmit: "webmaster", DoLook: "webmaster", DoReported: "webmaster", DoName: "webmaster", DoRepair: "webmaster", DoLeave: "webmaster", DoList: "webmaster",
	DoFiles: "developer", DoServer: "operator", DoLetIn: "operator", DoExpected: "operator", DoBrowser: "auditor", DoWithout: "auditor", DoWhole: "auditor", DoContinue: "auditor",
}

// roleOf is who decides or repairs what a cause asks for: a question is for the owner of the site.
func roleOf(kind string) string {
	switch role := doers[kind]; {
	case has("ask-" + kind):
		return "owner"
	case role != "":
		return role
	}
	return "developer"
}

// deciders are who decides on the causes of the lane of decisions, or repairs them.
func (c *concluding) deciders(lanes []Lane) Sentence {
	entries, order := map[string]int{}, []string{"owner", "operator", "developer", "auditor"}
	for i := range lanes {
		if lanes[i].Lane != audit.Decide {
			continue
		}
		for _, x := range lanes[i].Causes {
			entries[roleOf(c.wordsOf(&c.result.Causes[x.Index]))] += x.Count
		}
	}
	slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(entries[b], entries[a]) })
	var parts []Sentence
	for _, role := range order {
		if entries[role] > 0 {
			parts = append(parts, say("role-"+role))
		}
	}
	for i := range parts {
		parts[i].within = i > 0
	}
	return join("list", parts...)
}

// retries are the flags with which another audit may see what this one could not.
var retries = map[string]string{
	"unseen-refused": "--rate=1", "unseen-status": "--rate=1", "unseen-some": "--rate=1", "unseen-slow": "--rate=1", "unseen-busy": "--rate=1", "unseen-fault": "--rate=1", "unseen-robots-slow": "--rate=1", "unseen-401": "--user=NAME:PASS",
	"unseen-private": "--allow-private",
}

// retry is the flag with which another audit may see what this one could not for a reason of a
// kind; "" for none. A rate is lower than that of this audit.
func (c *concluding) retry(kind string) string {
	flag := retries[kind]
	if strings.HasPrefix(flag, "--rate=") {
		rate, _, _ := c.result.Info.Slower()
		return "--rate=" + rate
	}
	return flag
}

// decide says what somebody has to decide or to repair.
func (out *Cause) decide(kind string, x *audit.Cause) {
	if has("ask-" + kind) {
		origin, _, _ := x.To.Parts()
		_, host, _ := strings.Cut(origin, "://")
		key := "ask-" + kind
		if (host == "" || host == "*") && has(key+"-many") {
			key += "-many"
		}
		out.Ask = say(key, "host", host)
		out.Do = []Sentence{say("yes", "what", say("yes-"+kind)), say("no", "what", say("no-"+kind))}
		return
	}
	out.Do = []Sentence{say("do-" + kind)}
	if has("then-" + kind) {
		out.Do = append(out.Do, say("then-"+kind))
	}
}

// has reports whether the catalogue has words for key.
func has(key string) bool { _, ok := messages.Conclude()["en"][key]; return ok }

// titleOf says in words what a cause is.
func titleOf(kind string, x *audit.Cause, would bool) Sentence {
	var title Sentence
	key := "title-" + kind
	if would && has("title-would-"+kind) {
		key = "title-would-" + kind
	}
	unseen := label(x, "unseen")
	switch {
	case removedAsListed(x):
		title = say(key)
	case x.Group == audit.Corrected && x.Verdict != audit.Noncanonical && x.Redirects():
		title = ruleTitle(x)
	case strings.HasPrefix(kind, "unseen-"):
		status := unseen
		if n := audit.RobotsStatus(unseen); n > 0 {
			status = strconv.Itoa(n)
		}
		title = say(key, "status", status, "who", unseen, "what", unseenWord(unseen))
	case strings.HasSuffix(kind, string(audit.NotFound)) && len(x.Answers) > 0:
		title = say("with-status", "what", say(key), "status", statuses(x))
	default:
		title = say(key, "n", x.Count, "status", statuses(x))
	}
	switch several := x.Targets > 1 && x.Targets < audit.ManyTargets && x.Targets < x.Count; {
	case x.Stop == audit.Collapsed && x.Targets > 1 && !several: // to many, or to one each
		title = say(key, "n", 1)
	case x.Redirects() && x.Stop != audit.Collapsed:
	case several && x.Group == audit.NeedsDecision && has("title-"+kind+"-many"):
		title = say("title-"+kind+"-many", "n", x.Targets)
	case kind == string(audit.Moved) && x.Group == audit.Corrected:
		title = movedTitle(x, title)
	}
	return chained(x, title)
}

// statuses are the answers of a cause's rows, those of most rows first: "404, 410".
func statuses(x *audit.Cause) string {
	all := slices.SortedFunc(maps.Keys(x.Answers), func(a, b int) int { return cmp.Or(x.Answers[b]-x.Answers[a], a-b) })
	var out []string
	for _, s := range all[:min(3, len(all))] {
		out = append(out, strconv.Itoa(s))
	}
	if len(out) == 0 {
		return label(x, "status")
	}
	return strings.Join(out, ", ")
}

// ruleTitle says what a rule does to the addresses that are listed.
func ruleTitle(x *audit.Cause) Sentence {
	var parts []Sentence
	for i, t := range x.Terms {
		part := termTitle(t, x.Count)
		part.within = i > 0
		parts = append(parts, part)
	}
	return join("list", parts...)
}

// movedTitle says from which folder to which entries moved that follow no rule; other where
// they have none in common.
func movedTitle(x *audit.Cause, other Sentence) Sentence {
	_, from, _ := x.From.Parts()
	_, to, _ := x.To.Parts()
	if from, to = folder(from), folder(to); from == "" || to == "" || from == to || x.From.One() || x.To.One() {
		return other
	}
	return say("term-path", "from", from, "to", to)
}

func termTitle(t pattern.Term, n int) Sentence {
	name := t.Name
	from, to := t.From, t.To
	switch {
	case name == "scheme":
		from, to = strings.TrimSuffix(from, "://"), strings.TrimSuffix(to, "://")
	case name == "host" && to == "www."+from:
		name = "www-added"
	case name == "host" && from == "www."+to:
		name = "www-removed"
	case name == "path":
		from, to = folder(from), folder(to)
		if from == "" || to == "" || from == to {
			name = "path-away"
		}
	}
	return say("term-"+name, "from", from, "to", to, "n", n)
}

// folder is what stands before the first part of a path that differs: "" where that says
// nothing.
func folder(pattern string) string {
	before, _, _ := strings.Cut(pattern, "*")
	before, _, _ = strings.Cut(before, "{any}")
	before, _, _ = strings.Cut(before, "?")
	if before == "/" {
		return ""
	}
	return before
}

// stays says what to change so that the upload stays right.
func stays(x *audit.Cause) (out []Sentence) {
	key := ""
	switch {
	case x.Group == audit.TakenOut && x.Verdict == audit.NotFound && x.By != (audit.RuleAt{}):
		key = "stay-by-rule-missing"
	case x.Group == audit.TakenOut && x.Trait == audit.ToMissing:
		key = "stay-to-missing"
	case x.Group == audit.TakenOut:
		if key = "stay-" + string(x.Verdict); !has(key) {
			key = "stay-removed"
		}
	case removedAsListed(x) && x.Verdict == audit.Noncanonical:
		key = "stay-removed"
	case removedAsListed(x):
		key = "stay-repeated"
	case x.Verdict == audit.Noncanonical:
		key = "stay-noncanonical"
	case x.By != (audit.RuleAt{}):
		key = "stay-by-rule"
	default:
		for _, t := range x.Terms {
			if k := messages.RemedyOf(t); k != "" {
				key = "stay-" + k
				break
			}
		}
		if key == "" {
			key = "stay-other"
		}
	}
	return []Sentence{say(key)}
}
