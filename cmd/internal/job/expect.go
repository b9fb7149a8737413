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
	"sitemend/crawler/discover"
)

// expecting reads the map of --expect.
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
	return nil
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
