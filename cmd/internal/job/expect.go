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

// expecting reads the map of --expect.
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
	return nil
}
