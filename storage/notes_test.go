package storage

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A note is there after the store was closed, can be written by a reader, and is refused while
// another process writes.
func TestNotes(t *testing.T) {
	path := mustKeep(t, 200)
	for name, open := range map[string]func(string, ...Option) (*Store, error){"writing": Open, "reading": OpenReadOnly} {
		t.Run(name, func(t *testing.T) {
			s, err := open(path)
			mustDo(t, err)
			if _, ok, err := s.Noted(name); ok || err != nil {
				t.Errorf("before: %v, %v", ok, err)
			}
			a := mustAudit(t, s, Latest)
			for _, value := range []string{"one", "two"} {
				mustDo(t, s.Note(name, []byte(value)))
				if got, ok, err := s.Noted(name); !ok || err != nil || string(got) != value {
					t.Errorf("got %q, %v, %v; want %q", got, ok, err, value)
				}
			}
			compareShared(t, a, 200)
			mustDo(t, a.Close())
			mustDo(t, s.Close())
			if err := s.Note(name, nil); !errors.Is(err, ErrClosed) {
				t.Errorf("after Close: %v", err)
			}
		})
	}
	s, err := OpenReadOnly(path)
	mustDo(t, err)
	other, err := OpenReadOnly(path)
	mustDo(t, err)
	if err := s.Note("x", nil); !errors.Is(err, ErrLocked) {
		t.Errorf("while another process reads: %v", err)
	}
	if got, ok, err := s.Noted("reading"); !ok || err != nil || string(got) != "two" {
		t.Errorf("then: %q, %v, %v", got, ok, err)
	}
	mustDo(t, errors.Join(other.Close(), s.Close()))
}

// A note is not written through a link in place of the store.
func TestANoteFollowsNoLink(t *testing.T) {
	path := mustKeep(t, 3)
	s, err := OpenReadOnly(path, NoLink)
	mustDo(t, err)
	theirs := filepath.Join(t.TempDir(), "theirs.db")
	before, err := os.ReadFile(path)
	mustDo(t, err)
	mustDo(t, os.WriteFile(theirs, before, 0o644))
	mustDo(t, os.Remove(path))
	mustDo(t, os.Symlink(theirs, path))
	var refused *Error
	if err := s.Note("x", []byte("y")); !errors.As(err, &refused) || refused.Hint == "" {
		t.Errorf("Note: %v", err)
	}
	if after, err := os.ReadFile(theirs); err != nil || !bytes.Equal(before, after) {
		t.Errorf("what the link leads to was written to (%v)", err)
	}
	_ = s.Close()
}

// Notes that are written together are there together, sorted by name below a prefix, and a removed
// one is gone.
func TestNotesTogether(t *testing.T) {
	path := mustKeep(t, 3)
	s, err := Open(path)
	mustDo(t, err)
	mustDo(t, s.Note("other", []byte("x")))
	mustDo(t, s.NoteAll(map[string][]byte{"out/2": []byte("b"), "out/1": []byte("a"), "ou": []byte("c"), "out0": []byte("d")}))
	mustDo(t, s.NoteAll(map[string][]byte{"out/2": nil, "out/3": []byte("e"), "out/9": nil}))
	mustDo(t, s.Close())
	s, err = OpenReadOnly(path)
	mustDo(t, err)
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
