package accesslog

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// A Sum counts findings.
type Sum struct {
	Entries   int // listed addresses, each once
	AsListed  int // of these, those that Googlebot requested exactly as listed
	Otherwise int // those that it requested in another spelling; some are both
	Never     int // those that it did not request
	Unspelt   int // those that it requested in a spelling that the log does not show
	Unlisted  int // addresses that redirected it and that no sitemap lists
	Differ    int // findings whose last answer to Googlebot differs from ours
	// Back counts requests for other spellings that were all redirected, where we saw that the
	// redirect leads back to the listed address and that this has a page; Rest counts all others.
	Back, Rest Respelled

	letters map[letter]*Letter
	last    int64 // Seq of the last address that was added
	counted [2]bool
	// unlisted is the URL of the last RedirectedUnlisted that was added.
	unlisted string
	refused  bool // that address did not answer Googlebot with a page as listed
}

// Respelled counts requests for listed addresses in other spellings.
type Respelled struct {
	Entries   int // addresses, each once
	Requests  int64
	Redirects int64 // of these, requests that were answered by a redirect
	Errors    int64 // requests that were answered neither by a redirect nor by a page
	// requests of Redirects and Errors for addresses that have no page as listed
	Refused int64
	Unseen  int64 // the same for addresses of which that is unknown
	Broken  int   // entries that have no page as listed
	First   int64 // in seconds since 1970
	Last    int64

	kinds  map[string]int64
	codes  map[int]bool // of Errors
	last   int64        // 1 + Seq of the last address that was added
	broken int64        // the same for Broken
}

// Codes returns the statuses of Errors; 0 stands for requests without an answer.
func (r *Respelled) Codes() []int { return slices.Sorted(maps.Keys(r.codes)) }

// Kinds returns in what the spellings differ from the listed ones, the most frequent difference
// first.
func (r *Respelled) Kinds() []string {
	return slices.SortedFunc(maps.Keys(r.kinds), func(a, b string) int {
		return cmp.Or(cmp.Compare(r.kinds[b], r.kinds[a]), cmp.Compare(a, b))
	})
}

// add adds a finding; answers reports whether its listed spelling has a page, where that is known.
func (r *Respelled) add(f *Finding, answers, known bool) {
	if r.last != f.Seq+1 {
		r.Entries++
		r.last = f.Seq + 1
	}
	r.Requests += f.Seen.Requests
	bad := f.Seen.redirects()
	r.Redirects += bad
	for status, n := range f.Seen.Statuses {
		if SameAnswer(status, 200) && status != 0 || redirects(status) {
			continue
		}
		if r.codes == nil {
			r.codes = map[int]bool{}
		}
		r.codes[status] = true
		r.Errors, bad = r.Errors+n, bad+n
	}
	switch {
	case !known:
		r.Unseen += bad
	case !answers:
		r.Refused += bad
		if r.broken != f.Seq+1 {
			r.Broken++
			r.broken = f.Seq + 1
		}
	}
	if first := f.Seen.First; first != 0 && (r.First == 0 || first < r.First) {
		r.First = first
	}
	r.Last = max(r.Last, f.Seen.Last)
	if r.kinds == nil {
		r.kinds = map[string]int64{}
	}
	for _, kind := range f.DiffersIn {
		r.kinds[kind] += f.Seen.Requests
	}
}

// Ours is what our own requests for the same address showed.
type Ours struct {
	Status  int  // of our answer to the same target; 0 where it is unknown
	Differs bool // the last answer to the robot is of another kind
	// Back is set where the spelling redirected us to the listed address, which answers 2xx.
	Back bool
	// Listed is the status of our answer to the listed address; 0 where it is unknown.
	Listed int
}

// Answers reports whether the listed address has a page, as the robot saw it last and as we did.
// known is false where neither requested it, and where one got a page and the other did not, for it
// is unknown then what is true now.
func (o Ours) Answers(f *Finding) (yes, known bool) {
	robot, our := SameAnswer(f.Listed, 200), SameAnswer(o.Listed, 200)
	if f.Listed == 0 {
		return our, o.Listed != 0
	}
	return robot, o.Listed == 0 || robot == our
}

// letter is a character and its listed spelling.
type letter struct {
	char    string
	escaped bool
}

// A Letter is how Googlebot spells one character of listed addresses.
type Letter struct {
	Char    string // "(", "space", or "hex-case" for the case of the hex digits of escapes
	Listed  string // as listed: "%28"
	Asked   string // Googlebot's other spelling: "("; "" where it has none
	Entries int    // listed addresses with this spelling that it requested
	Same    int64  // requests with the character as listed
	Other   int64  // requests with it spelt otherwise
	Status  int    // the last answer to one of Other
}

// Add adds a finding, and the result of our own requests. The findings of one address must be
// adjacent, the listed spelling first, as Join yields them.
func (s *Sum) Add(f *Finding, ours Ours) {
	if f.Robot != Googlebot {
		return
	}
	if ours.Differs {
		s.Differ++
	}
	if f.Class == RedirectedUnlisted {
		if s.Unlisted == 0 || f.URL != s.unlisted {
			s.Unlisted++
			s.unlisted = f.URL
		}
		return
	}
	if s.Entries == 0 || f.Seq != s.last {
		s.Entries++
		s.last, s.counted, s.refused = f.Seq, [2]bool{}, false
	}
	switch {
	case f.Class == Never:
		s.Never++
		return
	case f.Class == Unspelt:
		s.Unspelt++
		return
	case f.Class == AsListed:
		if !s.counted[0] {
			s.AsListed++
		}
		s.refused = s.refused || !SameAnswer(f.Seen.LastStatus, 200)
	case f.Class == OtherSpelling:
		if !s.counted[1] {
			s.Otherwise++
		}
		into := &s.Rest
		if ours.Back && !s.refused && f.Seen.redirects() == f.Seen.Requests {
			into = &s.Back
		}
		answers, known := ours.Answers(f)
		into.add(f, answers, known)
	}
	if f.Rawness.Spells() {
		s.spelled(f, s.counted == [2]bool{})
	}
	s.counted[min(f.Class, OtherSpelling)] = true
}

// spelled counts the characters of a listed address that can be spelled differently; first is set
// for the first finding of an address.
func (s *Sum) spelled(f *Finding, first bool) {
	_, target, _ := strings.Cut(f.URL, "://")
	if i := strings.IndexByte(target, '/'); i >= 0 {
		target = target[i:]
	}
	path1, query1, _ := signs(target)
	path2, query2, _ := signs(f.Asked)
	seen := map[letter]bool{}
	for _, part := range [][2][]sign{{path1, path2}, {query1, query2}} {
		for i := range min(len(part[0]), len(part[1])) {
			s.sign(part[0][i], part[1][i], f, first, seen)
		}
	}
}

// sign counts one character, once for each address. An escape that was requested as a literal byte
// is counted under octets, not under the case of its digits (Differ).
func (s *Sum) sign(listed, asked sign, f *Finding, first bool, seen map[letter]bool) {
	char, show := named(listed)
	if isEscape(listed) && (listed.octet < ' ' || listed.octet >= 0x7f) {
		bare := asked.as == literal
		s.count("octets", escapeOf(listed), listed, asked, !bare, f, first, seen)
		if bare {
			return
		}
	}
	if char == "" {
		return
	}
	same := listed.as == asked.as || char != "hex-case" && isEscape(listed) && isEscape(asked)
	s.count(char, show, listed, asked, same, f, first, seen)
}

func isEscape(x sign) bool { return x.as == upper || x.as == lower }

// escapeOf returns an escape as it is spelled.
func escapeOf(x sign) string {
	escape := "%" + string(digits[x.octet>>4]) + string(digits[x.octet&15])
	if x.as == lower {
		escape = strings.ToLower(escape)
	}
	return escape
}

// count counts one kind of spelling.
func (s *Sum) count(char, show string, listed, asked sign, same bool, f *Finding, first bool,
	seen map[letter]bool) {
	k := letter{char, listed.as != literal && listed.as != plus}
	if char == "hex-case" {
		k.escaped = listed.as == lower
	}
	if seen[k] {
		return
	}
	seen[k] = true
	if s.letters == nil {
		s.letters = map[letter]*Letter{}
	}
	l := s.letters[k]
	if l == nil {
		l = &Letter{Char: char, Listed: show}
		s.letters[k] = l
	}
	if first {
		l.Entries++
	}
	if same {
		l.Same += f.Seen.Requests
		return
	}
	l.Other += f.Seen.Requests
	l.Status = f.Seen.LastStatus
	_, l.Asked = named(asked)
}

// digits are those of escapes.
const digits = "0123456789ABCDEF"

// named returns the name under which a sign is counted, and its spelling; "" for one that has a
// single spelling.
func named(x sign) (char, show string) {
	escape := escapeOf(x)
	switch {
	case x.octet == ' ' && x.as == plus:
		return "space", "+"
	case x.octet == ' ' && x.as == literal:
		return "space", " "
	case x.octet == ' ':
		return "space", escape
	case x.octet > ' ' && x.octet < 0x7f:
		if strings.IndexByte("!$'()*,;:@~[]|\"<>^`{}\\", x.octet) < 0 {
			return "", ""
		}
		if x.as == literal {
			return string(rune(x.octet)), string(rune(x.octet))
		}
		return string(rune(x.octet)), escape
	case x.as == literal:
		return "octets", "\\x" + escape[1:]
	case strings.ContainsAny(escape, "ABCDEFabcdef"):
		return "hex-case", map[spelling]string{upper: "%E3", lower: "%e3"}[x.as]
	}
	return "", ""
}

// Letters returns how Googlebot spelled the characters of listed addresses, sorted by the number of
// requests with another spelling, descending.
func (s *Sum) Letters() []Letter {
	var out []Letter
	for k, l := range s.letters {
		if k.char == "octets" && k.escaped && l.Other == 0 {
			continue // the entry of their digits says that escapes were requested as escapes
		}
		out = append(out, *l)
	}
	slices.SortFunc(out, func(a, b Letter) int {
		return cmp.Or(cmp.Compare(b.Other, a.Other), cmp.Compare(b.Same, a.Same),
			cmp.Compare(a.Char, b.Char), cmp.Compare(a.Listed, b.Listed))
	})
	return out
}

// Kinds returns in what the other spellings differ according to their findings, the most frequent
// difference first.
func (s *Sum) Kinds() []string {
	both := Respelled{kinds: map[string]int64{}}
	for _, kinds := range []map[string]int64{s.Back.kinds, s.Rest.kinds} {
		for kind, n := range kinds {
			both.kinds[kind] += n
		}
	}
	return both.Kinds()
}

// SameAnswer reports whether two statuses are of the same kind: 2xx and 304, another 3xx, 4xx, or
// 5xx. It returns true where one of them is unknown (0).
func SameAnswer(a, b int) bool {
	kind := func(status int) int {
		if status == 304 {
			return 2
		}
		return status / 100
	}
	return a == 0 || b == 0 || kind(a) == kind(b)
}
