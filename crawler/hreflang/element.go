package hreflang

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/internal/sketch"
	"sitemend/crawler/sitemap"
)

// A target is an address that an element names.
type target struct {
	wire  string
	host  string
	link  int      // the first link that names it
	fix   fix      // what becomes of that link
	langs []string // as written
}

// maxLinks is how many links of an element are checked: fewer pairs of a language and a region are
// in use.
const maxLinks = 1_000

// maxPairs is how many links the pages of an element have together: each entry of an element names
// every address that the element names. Which addresses a page names beyond that is not known.
const maxPairs = 10_000

// element finds the faults of an element by itself, and puts its records on the shelf.
func (j *joining) element(ctx context.Context, at place, own []sitemap.Entry, links []sitemap.Link) error {
	if err := j.assets(ctx, at, own, links); err != nil {
		return err
	}
	alternates := 0
	for i := range links {
		if links[i].Kind == sitemap.Alternate {
			alternates++
		}
	}
	if alternates > maxLinks {
		j.find(tooMany, at, strconv.Itoa(maxLinks))
		return nil
	}
	fixes, err := j.fixes(ctx, at, own, links)
	if err != nil {
		return err
	}
	if err := j.devices(at, links, fixes); err != nil {
		return err
	}
	targets := j.targets(at, links, fixes)
	if len(targets) == 0 {
		return nil
	}
	j.twoAddresses(at, links)
	j.ukraine(at, links, targets)
	pairs := 0
	for i := range own {
		page, err := address.Parse(own[i].Loc)
		if err != nil || own[i].TooLong {
			continue
		}
		if pairs += len(targets); pairs <= maxPairs {
			err = j.page(at, page.String(), targets)
		} else {
			err = j.put(key(page.String()), append(j.buf[:0], ofPassed))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// devices puts on the shelf the links for a kind of device: those without hreflang, which belong to
// no set.
func (j *joining) devices(at place, links []sitemap.Link, fixes []fix) error {
	for i, l := range links {
		a, err := address.Parse(l.Href)
		if l.Kind != sitemap.Alternate || l.Lang != "" || err != nil {
			continue
		}
		at.link = i
		r := deviceRecord{at: at, fix: fixes[i]}
		if err := j.put(key(a.String()), r.append(j.buf[:0])); err != nil {
			return err
		}
	}
	return nil
}

// targets returns the addresses that links with hreflang name, sorted, with the fix of each link.
// It reports links that name no address.
func (j *joining) targets(at place, links []sitemap.Link, fixes []fix) []target {
	var targets []target
	for i, l := range links {
		if l.Lang == "" {
			continue
		}
		a, err := address.Parse(l.Href)
		if err != nil {
			at.link = i
			j.find(noAddress, at)
			continue
		}
		targets = append(targets, target{wire: a.String(), host: a.Host(), link: i, fix: fixes[i], langs: []string{l.Lang}})
	}
	slices.SortStableFunc(targets, func(a, b target) int { return strings.Compare(a.wire, b.wire) })
	one := targets[:0]
	for _, t := range targets {
		if n := len(one); n > 0 && one[n-1].wire == t.wire {
			one[n-1].langs = append(one[n-1].langs, t.langs...)
			continue
		}
		one = append(one, t)
	}
	return one
}

// setOf returns a hash of the addresses that an element names and of which of them is x-default.
func setOf(targets []target) uint64 {
	var all strings.Builder
	for i := range targets {
		t := &targets[i]
		all.WriteString(t.wire)
		if slices.ContainsFunc(t.langs, func(l string) bool { return strings.EqualFold(l, xDefault) }) {
			all.WriteByte(' ')
		}
		all.WriteByte('\n')
	}
	return sketch.Hash(all.String())
}

// page puts on the shelf the records of a page whose element names targets.
func (j *joining) page(at place, wire string, targets []target) error {
	self, own := key(wire), ""
	set := setOf(targets)
	n, listed := slices.BinarySearchFunc(targets, wire, func(t target, w string) int { return strings.Compare(t.wire, w) })
	if listed {
		t := &targets[n]
		own = codesOf(t.langs)
		if t.fix == heldLanguage || t.fix == heldDisputed { // otherwise the verdict of its entry is enough
			link := place{at.file, at.element, t.link}
			if err := j.put(self, selfRecord{link, t.fix}.append(j.buf[:0])); err != nil {
				return err
			}
		}
	} else {
		at.link = targets[0].link
		for i := range targets {
			at.link = min(at.link, targets[i].link)
		}
		j.find(noSelf, at)
		set = setOf(slices.Insert(slices.Clone(targets), n, target{wire: wire})) // a page that leaves out only itself does not have another set
	}
	if err := j.put(self, elementRecord{at: at, set: set, own: own}.append(j.buf[:0])); err != nil {
		return err
	}
	for i := range targets {
		t := &targets[i]
		if t.wire == wire {
			continue
		}
		codes, other := codesOf(t.langs), key(t.wire)
		to := pairRecord{other: other, codes: codes}
		if err := j.put(self, to.append(j.buf[:0])); err != nil {
			return err
		}
		at.link = t.link
		from := pairRecord{other: self, theirs: true, codes: codes, at: at, set: set, own: own, audited: j.hosts[t.host], fix: t.fix}
		if err := j.put(other, from.append(j.buf[:0])); err != nil {
			return err
		}
	}
	return nil
}

// put puts a record on the shelf. It reuses the record's buffer for the next one.
func (j *joining) put(key string, record []byte) error {
	j.buf = record
	return j.shelf.Add(key, string(record))
}

// twoAddresses reports links that give a second address for a code.
func (j *joining) twoAddresses(at place, links []sitemap.Link) {
	first := map[string]string{}
	for i, l := range links {
		a, err := address.Parse(l.Href)
		if l.Lang == "" || err != nil {
			continue
		}
		code := strings.ToLower(l.Lang)
		if other, known := first[code]; !known {
			first[code] = a.String()
		} else if other != a.String() {
			at.link = i
			j.find(twoAddresses, at, l.Lang)
		}
	}
}

// noLanguages are country codes that are used by mistake and are not languages: next to them uk
// stands for the United Kingdom. In ISO 639 uk is Ukrainian.
var noLanguages = []string{"us", "au", "nz", "gb", "hk", "jp", "cn", "mx"}

// ukraine reports uk where it stands for the United Kingdom: at an address under .uk, or in a set
// with codes that are countries.
func (j *joining) ukraine(at place, links []sitemap.Link, targets []target) {
	country := func(l sitemap.Link) bool { return slices.Contains(noLanguages, strings.ToLower(l.Lang)) }
	countries := slices.ContainsFunc(links, country)
	for i := range targets {
		t := &targets[i]
		uk := func(l string) bool { return strings.EqualFold(l, "uk") }
		if slices.ContainsFunc(t.langs, uk) && (countries || strings.HasSuffix(t.host, ".uk")) {
			at.link = t.link
			j.find(ukraine, at)
		}
	}
}
