package storage

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"sitemend/crawler/audit"
)

// Whatever link is put in place of a file or folder of ours, its target is not written, truncated,
// removed or used.
func TestLinksBesideTheStore(t *testing.T) {
	const id = "20261121T101502Z"
	for _, place := range []string{"audits.db", "audits.db.spool", "audits.db.spool/" + id, "audits.db.spool/" + id + "/x", "audits.db.spool/" + id + "/.x.part",
		"audits.db.spool/20200101T000000Z"} {
		for _, to := range []string{"outside", "outside/empty", "outside/precious", "nowhere"} {
			t.Run(place+" to "+to, func(t *testing.T) {
				dir := t.TempDir()
				theirs := map[string]string{"outside/empty": "", "outside/precious": "precious", "outside/x": "precious", "outside/.x.part": "precious",
					"outside/20200101T000000Z/x": "precious", "outside/" + id + "/x": "precious", "outside/" + id + "/.x.part": "precious"}
				for name, text := range theirs {
					path := filepath.Join(dir, filepath.FromSlash(name))
					mustDo(t, os.MkdirAll(filepath.Dir(path), 0o755))
					mustDo(t, os.WriteFile(path, []byte(text), 0o644))
				}
				link := filepath.Join(dir, "ours", filepath.FromSlash(place))
				mustDo(t, os.MkdirAll(filepath.Dir(link), 0o755))
				mustDo(t, os.Symlink(filepath.Join(dir, filepath.FromSlash(to)), link))
				useLinked(t, filepath.Join(dir, "ours", "audits.db"))
				for name, text := range theirs {
					if data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name))); err != nil || string(data) != text {
						t.Errorf("%s is %q, %v", name, data, err)
					}
				}
				if _, err := os.Lstat(filepath.Join(dir, "nowhere")); !errors.Is(err, fs.ErrNotExist) {
					t.Error("something was made where the link leads")
				}
			})
		}
	}
}

// useLinked does everything with the store at path that writes or removes files.
func useLinked(t *testing.T, path string) {
	t.Helper()
	s, err := Open(path)
	if err != nil {
		var ours *Error
		if !errors.As(err, &ours) || ours.Hint == "" {
			t.Errorf("a store that is refused: %v", err)
		}
		return
	}
	a, err := s.Begin(audit.Info{Started: start}, "shape")
	if errors.Is(err, errLink) {
		mustDo(t, s.Close())
		return
	}
	mustDo(t, err)
	if r, err := a.OpenSpool(t.Context(), "x"); err == nil {
		if data, err := io.ReadAll(r); err == nil {
			t.Errorf("it reads %q", data)
		}
		mustDo(t, r.Close())
	}
	if w, err := a.SpoolWriter("x"); err == nil {
		_, err := w.Write([]byte("<urlset/>"))
		mustDo(t, errors.Join(err, w.Close()))
	} else if !errors.Is(err, errLink) {
		t.Errorf("writing the spool: %v", err)
	}
	mustDo(t, a.Close())
	if err := s.Remove(a.ID()); err != nil && !errors.Is(err, errLink) {
		t.Errorf("removing: %v", err)
	}
	mustDo(t, s.Close())
}
