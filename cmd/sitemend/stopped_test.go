package main

import (
	"io"
	"log/slog"
	"strings"
	"testing"

	"sitemend/cmd/internal/job"
)

// An audit that was stopped says how to go on, and how to see what is there: where something is, and
// outputs lie in a folder. What was crawled is the least where there was no time to count.
func TestStoppedSaysWhatIsThere(t *testing.T) {
	const shows = "hint: sitemend report --out here shows what is known so far"
	for _, c := range []struct {
		done, of  int64
		least     bool
		out, says string
		hint      bool
	}{
		{50, 240, true, "here", "stopped; at least 50 of 240 entries were crawled. The same command continues it.", true},
		{240, 240, false, "here", "stopped; 240 of 240 entries were crawled. The same command continues it.", true},
		{0, 240, false, "here", "stopped; 0 of 240 entries were crawled. The same command continues it.", false},
		{50, 240, false, "-", "stopped; 50 of 240 entries were crawled. The same command continues it.", false},
	} {
		var said strings.Builder
		log := slog.New(slog.NewTextHandler(&said, nil))
		spec := &job.Spec{}
		spec.Out = c.out
		err := stopped(stdio{err: io.Discard}, log, spec, &job.Stopped{Done: c.done, Entries: c.of, Least: c.least})
		if err == nil || !strings.Contains(said.String(), c.says) || strings.Contains(said.String(), shows) != c.hint {
			t.Errorf("%d of %d to %s: %v\n%s", c.done, c.of, c.out, err, said.String())
		}
	}
}
