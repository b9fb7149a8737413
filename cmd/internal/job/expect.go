package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
	"sitemend/report/command"
)

// expecting reads the map of --expect. Where the user named no TARGET the site of most of its
// old addresses is it.
func (j *job) expecting(ctx context.Context) error {
	if j.f.Expect == "" {
		return nil
	}
	in, err := j.openMap(ctx)
	if err != nil {
		return err
	}
	defer in.Close()
	origin := anyHost
	for _, t := range slices.Backward(j.d.Targets) {
		if len(t.URLs) > 0 {
			origin = t.URLs[0].Origin()
		}
	}
	m, err := readMap(j.f.Expect, in, origin)
	if err != nil {
		return err
	}
	digest := sha256.Sum256(m.text)
	j.expects, j.d.Expect = hex.EncodeToString(digest[:]), &m.Expect
	if len(j.d.Targets) > 0 {
		return nil
	}
	if !m.Absolute {
		return cli.WithHint(fmt.Errorf("%s has paths, and no TARGET says of which site", m.Name), "name the site, as in sitemend audit --expect "+command.Word(j.f.Expect)+" https://shop.example")
	}
	return j.suppose(m.site(), cli.Plural(m.hosts[m.site()], "URL", "URLs")+" of the map")
}

func (j *job) openMap(ctx context.Context) (io.ReadCloser, error) {
	if j.f.Expect != "-" {
		f, err := cli.Open(ctx, j.f.Expect)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			err = cli.WithHint(fmt.Errorf("--expect: %s: there is no such file", j.f.Expect), discover.ExpectHint)
		case err != nil:
			err = cli.WithHint(fmt.Errorf("--expect: %w", err), discover.ExpectHint)
		}
		return f, err
	}
	if slices.ContainsFunc(j.d.Targets, func(t discover.Target) bool { return t.Kind == discover.TargetStdin }) {
		return nil, cli.WithHint(errors.New("TARGET and --expect are both -"), "standard input is read once: name one of them as a file")
	}
	return cli.Reading(ctx, j.env.Stdin), nil
}

// suppose makes the site of an export or of a map the target.
func (j *job) suppose(site, of string) error {
	t, err := discover.SiteTarget(site)
	if err != nil {
		return cli.WithHint(fmt.Errorf("the site of %s: %w", of, err), "name the site as TARGET")
	}
	j.d.Targets, j.noTarget = []discover.Target{t}, true
	j.log.Info(fmt.Sprintf("no TARGET is named: auditing %s, the site of %s", site, of))
	return nil
}

// unseenAside is the error of an audit that is about an export or a map alone and saw less than half
// of it.
func unseenAside(ctx context.Context, t *audit.Result) error {
	if t.Counts.Entries > 0 {
		return nil
	}
	hidden, all, unseen := 0, 0, map[string]int{}
	see := func(r *audit.Row) {
		if r.Verdict == audit.Unverified {
			hidden++
			unseen[r.UnseenBy()]++
		}
	}
	if sc := t.SearchConsole; sc != nil {
		all = sc.Addresses - sc.OtherSite
		for r, err := range sc.Rows(ctx) {
			if err != nil {
				return err
			}
			see(&r.Row)
		}
	}
	if x := t.Expected; x != nil {
		all += x.Addresses
		for r, err := range x.Rows(ctx) {
			if err != nil {
				return err
			}
			see(&r.Row)
		}
	}
	if !audit.MostlyUnseen(hidden, all) {
		return nil
	}
	return cli.WithHint(fmt.Errorf("%s could not be checked: the site refuses us or does not answer", cli.Of(hidden, all, "URL", "URLs")),
		letIn(&t.Info, unseen)+"; the report says what came back")
}
