package storage

import (
	"errors"
	"testing"
)

// A note outlives the store's closing, is written by who reads only, and is refused
// while another process writes.
func TestNotes(t *testing.T) {
	path := mustKeep(t, 200)
	for name, open := range map[string]func(string, ...Option) (*Store, error){"writing": Open, "reading": OpenReadOnly, "shared": OpenShared} {
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
