package storage

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// Notes that are written together are there together, sorted by name below a prefix, and a removed
// one is gone.
func TestNotesTogether(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audits.db")
	s, _ := mustBegin(t, path)
	mustDo(t, s.NoteAll(map[string][]byte{"other": []byte("x")}))
	mustDo(t, s.NoteAll(map[string][]byte{"out/2": []byte("b"), "out/1": []byte("a"), "ou": []byte("c"), "out0": []byte("d")}))
	mustDo(t, s.NoteAll(map[string][]byte{"out/2": nil, "out/3": []byte("e"), "out/9": nil}))
	mustDo(t, s.Close())
	s, err := OpenReadOnly(path)
	mustDo(t, err)
	if v, ok, err := s.Noted("other"); string(v) != "x" || !ok || err != nil {
		t.Errorf("Noted: %q, %v, %v", v, ok, err)
	}
	var got []string
	mustDo(t, s.NotedUnder("out/", func(name string, value []byte) error {
		got = append(got, name+"="+string(value))
		return nil
	}))
	if want := "out/1=a out/3=e"; strings.Join(got, " ") != want {
		t.Errorf("got %q, want %s", got, want)
	}
	stop := errors.New("enough")
	if err := s.NotedUnder("out/", func(string, []byte) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("an error of fn: %v", err)
	}
	if err := s.NoteAll(map[string][]byte{"a": nil}); !errors.Is(err, ErrReadOnly) {
		t.Errorf("open for reading: %v", err)
	}
	mustDo(t, s.Close())
}
