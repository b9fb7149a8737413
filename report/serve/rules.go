package serve

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"sitemend/crawler/address"
	"sitemend/report/internal/page"
)

// errNoRules says that an audit has no redirect that a rule can express.
var errNoRules = errors.New("there is no rule to write")

// rules sends the redirect rules of an audit in a format: a file, or those of several hosts packed.
func (s *Site) rules(v *visit) error {
	format := v.r.PathValue("format")
	if !slices.Contains(s.o.Library.RuleFormats(), format) {
		return errNoPage
	}
	a, all, err := s.find(v.r.PathValue("id"))
	if err != nil {
		return err
	}
	write := func(ctx context.Context, dir string, _ *progress) ([]string, error) {
		return s.o.Library.Rules(ctx, a.Info.ID, format, dir)
	}
	b, err := s.cache.take(v.r.Context(), fmt.Sprint(key(&a, all), " rules ", format), s.o.Patience, write)
	if err != nil {
		return err
	}
	switch len(b.files) {
	case 0:
		return errNoRules
	case 1:
		v.w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		v.w.Header().Set("Content-Disposition", attachment(&a, b.files[0]))
		return sendFile(v, b, b.files[0])
	}
	return sendPacked(v, b, &a, "rules-"+format+".zip", b.files)
}

// ruled are the formats in which there is a rule to write for an audit; all, where that is not known
// yet.
func (s *Site) ruled(ctx context.Context, a *Audit, all []Audit) ([]string, error) {
	find := func(ctx context.Context, _ string, _ *progress) ([]string, error) {
		return s.o.Library.Ruled(ctx, a.Info.ID)
	}
	b, err := s.cache.take(ctx, fmt.Sprint(key(a, all), " ruled"), s.o.Patience, find)
	if wait := (pending{}); errors.As(err, &wait) {
		return s.o.Library.RuleFormats(), nil
	}
	if err != nil {
		return nil, err
	}
	return b.files, nil
}

// ruleLinks are the downloads of rules in formats, that for the server that answers first; mine says
// whether there is such a one.
func ruleLinks(a *Audit, formats []string) (links []fileLink, mine string) {
	for _, t := range a.Info.Targets {
		if at, err := address.Parse(t); err == nil && mine == "" {
			mine = a.Info.Servers[at.HostPort()]
		}
	}
	first := page.RuleFormats[mine]
	for _, f := range formats {
		link := fileLink{Href: "rules/" + f, Name: f}
		if f == first {
			links = append([]fileLink{link}, links...)
		} else {
			links = append(links, link)
		}
	}
	if !slices.Contains(formats, first) {
		mine = ""
	}
	return links, mine
}
