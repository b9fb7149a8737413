//go:build unix

package watch_test

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A configuration that is a pipe is refused at once, for nobody may ever write to it.
func TestConfigThatIsAPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "watch.yaml")
	must(t, syscall.Mkfifo(path, 0o600))
	_, err := loader(nil).Load(path)
	if err == nil || !strings.Contains(err.Error(), path+" is no regular file") {
		t.Errorf("got %v", err)
	}
}

// Of a file that is too large no more is read than shows that: this one has a terabyte of zeros.
func TestConfigThatIsTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "watch.yaml")
	must(t, os.WriteFile(path, nil, 0o600))
	if err := os.Truncate(path, 1<<40); err != nil {
		t.Fatal(err)
	}
	_, err := loader(nil).Load(path)
	if err == nil || !strings.Contains(err.Error(), "watch.yaml: it is larger than 4 MB") {
		t.Errorf("got %v", err)
	}
}
