package scratch

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gofrs/flock"
)

// A scratch folder counts as left once its lock is released. The locked file is neither read nor
// written, which Windows would refuse.
func TestScratchIsMarkedBesideItsLock(t *testing.T) {
	for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
		t.Setenv(name, t.TempDir())
	}
	s, err := New()
	must(t, err)
	for name, want := range map[string]string{lockName: "", markName: markText} {
		if text, err := os.ReadFile(filepath.Join(s.Dir, name)); name == markName && err != nil || err == nil && string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	temporary, err := os.OpenRoot(os.TempDir())
	must(t, err)
	defer temporary.Close()
	name := filepath.Base(s.Dir)
	if left(temporary, name) {
		t.Error("one that is in use is left")
	}
	must(t, s.lock.Close())
	if !left(temporary, name) {
		t.Error("one whose lock was let go is not left")
	}
	again := flock.New(filepath.Join(s.Dir, lockName))
	if free, err := again.TryLock(); err != nil || !free {
		t.Errorf("its lock: %v, %v", free, err)
	}
	must(t, again.Close())
	must(t, s.Close())
	if _, err := os.Stat(s.Dir); !os.IsNotExist(err) {
		t.Errorf("it is there yet: %v", err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
