package job

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sitemend/crawler/rules/write"
	"sitemend/crawler/sitemap"
	"sitemend/storage"
)

// Plan makes the rules of one host, which Pairs has ("" where a map has only paths), in a format,
// with a status that it can say. The pairs of the host are the plan's from then on. An error is one
// of reading the audit, or ctx's.
func (r *Redirects) Plan(ctx context.Context, format *write.Format, host string, status int) (*write.Plan, error) {
	pairs := r.Pairs[host]
	switch {
	case len(pairs) == 0: // not twice in memory
		pairs = r.Pairs[""]
	case host != "":
		pairs = append(pairs, r.Pairs[""]...)
	}
	for i := range pairs {
		x := &pairs[i]
		if format.PerHost && r.Causes[x.N].HTTP && strings.HasPrefix(x.Target, "/") { // https is the default
			x.Target = "http://" + host + x.Target
		}
	}
	var err error
	p := format.Plan(pairs, write.Options{Host: host, Status: status, Keep: r.Keep(ctx, host, &err)})
	return p, err
}

// RuleFormats returns the formats of which Rules writes a file.
func (l Library) RuleFormats() (names []string) {
	for _, name := range write.Names() {
		if write.ByName(name).Text() {
			names = append(names, name)
		}
	}
	return names
}

// Ruled returns the formats of RuleFormats in which Rules writes a file for an audit.
func (l Library) Ruled(ctx context.Context, id string) (formats []string, err error) {
	err = l.with(func(s *storage.Store) error {
		asked, err := AuditRules(ctx, s, id, false)
		if err != nil {
			return err
		}
		for _, name := range l.RuleFormats() {
			if some, err := asked.some(ctx, write.ByName(name)); err != nil {
				return err
			} else if some {
				formats = append(formats, name)
			}
		}
		return nil
	})
	return formats, err
}

// some reports whether a format has a rule for any host. The pairs stay those of r.
func (r *Redirects) some(ctx context.Context, f *write.Format) (bool, error) {
	for host, pairs := range r.Pairs {
		one := *r
		one.Pairs = map[string][]write.Pair{host: slices.Clone(pairs)}
		if host != "" {
			one.Pairs[""] = slices.Clone(r.Pairs[""])
		}
		plan, err := one.Plan(ctx, f, host, f.Statuses[0])
		if err != nil || len(plan.Pairs) > 0 {
			return err == nil, err
		}
	}
	return false, nil
}

// Rules writes the redirect rules of an audit in a format of RuleFormats into dir, a file for each
// host, as sitemend rules does, and returns the names of the files; none where there is no rule.
func (l Library) Rules(ctx context.Context, id, format, dir string) (names []string, err error) {
	f := write.ByName(format)
	if f == nil || !f.Text() {
		return nil, fmt.Errorf("no rules are written for %q", format)
	}
	err = l.with(func(s *storage.Store) error {
		asked, err := AuditRules(ctx, s, id, false)
		if err != nil {
			return err
		}
		for _, host := range slices.Sorted(maps.Keys(asked.Pairs)) {
			plan, err := asked.Plan(ctx, f, host, f.Statuses[0])
			if err != nil {
				return err
			}
			if len(plan.Pairs) == 0 {
				continue
			}
			folder, _, _ := strings.Cut(sitemap.FileName("http://"+host), "/") // safe in a file system
			name := folder + "." + f.Name + ".txt"
			if err := writeNew(filepath.Join(dir, name), plan.Write); err != nil {
				return err
			}
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// writeNew writes a file that is not there.
func writeNew(name string, fill func(io.Writer) error) error {
	file, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if err := fill(file); err != nil {
		file.Close()
		return err
	}
	return file.Close()
}
