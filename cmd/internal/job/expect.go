package job

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/discover"
)

// expecting reads the map of --expect. Where the user named no TARGET the site of its first old address is it.
func (j *job) expecting(ctx context.Context) error {
	if j.f.Expect == "" {
		return nil
	}
	in, err := cli.Open(ctx, j.f.Expect)
	if err != nil {
		return cli.WithHint(fmt.Errorf("--expect: %w", err), discover.ExpectHint)
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
	switch {
	case len(j.d.Targets) > 0:
		return nil
	case m.site == anyHost:
		return cli.WithHint(fmt.Errorf("%s has paths, and no TARGET says of which site", m.Name), "name the site as TARGET, as in https://shop.example")
	}
	return j.suppose(m.site, "the first URL of the map")
}

// suppose audits the site of an export or of a map, where no TARGET is named.
func (j *job) suppose(site, of string) error {
	t, err := discover.SiteTarget(site)
	if err != nil {
		return cli.WithHint(fmt.Errorf("the site of %s: %w", of, err), "name the site as TARGET")
	}
	j.d.Targets, j.noTarget = []discover.Target{t}, true
	j.log.Info(fmt.Sprintf("no TARGET is named: auditing %s, the site of %s", site, of))
	return nil
}
