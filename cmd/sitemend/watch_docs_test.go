package main

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sitemend/cmd/internal/watch"
)

// The configurations that the documentation shows are right.
func TestDocumentedConfigurations(t *testing.T) {
	text, err := os.ReadFile("../../docs/watch.md")
	must(t, err)
	_, shown, _ := strings.Cut(string(text), "```yaml\n")
	shown, _, ok := strings.Cut(shown, "```")
	if !ok {
		t.Fatal("docs/watch.md shows no configuration")
	}
	l, err := watchLoader(slog.New(slog.NewTextHandler(io.Discard, nil)), new(watch.Secrets))
	must(t, err)
	l.Getenv = func(name string) (string, bool) {
		return map[string]string{"TOKEN": "0123456789abcdef", "SLACK": "slack://xoxb:123456789012-123456789012-abcdefghijklmnopqrstuvwx@C0123456789", "HOOK": "secret"}[name], true
	}
	path := filepath.Join(t.TempDir(), "watch.yaml")
	must(t, os.WriteFile(path, []byte(shown), 0o600))
	for _, file := range []string{path, "../../docs/examples/watch.yaml"} {
		c, err := l.Load(t.Context(), file)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if len(c.Sites) == 0 {
			t.Errorf("%s: no sites", file)
		}
	}
}
