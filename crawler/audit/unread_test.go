package audit_test

import (
	"errors"
	"iter"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/answers"
	"sitemend/crawler/audit"
)

// unread is a site of which the answers after the first few cannot be read.
type unread struct {
	*site
	mu   sync.Mutex
	left int
	err  error
}

var errUnread = errors.New("broken")

func (u *unread) Hop(r answers.Request) (answers.Hop, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.left--; u.left < 0 {
		u.err = errUnread
		return answers.Hop{}, false
	}
	return u.site.Hop(r)
}

func (u *unread) Err() error {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.err
}

// Wherever the memory begins to fail, what needed it ends with the error.
func TestNoWalkHidesAnError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, rules := drawnSite(t)
		info := audit.Info{Rules: *rules}
		u := &unread{site: s, left: rapid.IntRange(0, 400).Draw(t, "answers that can be read")}
		result, err := audit.Evaluate(t.Context(), u, info, nil, func(url string) string { return url }, nil)
		if u.failed(t, "Evaluate", err) {
			return
		}
		for i := range result.Files {
			if u.failed(t, "Rows", lastError(result.Rows(t.Context(), i))) || u.failed(t, "Edits", lastError(result.Edits(t.Context(), i))) {
				return
			}
		}
	})
}

// failed reports whether the memory has failed, and holds that what was done last
// says so.
func (u *unread) failed(t *rapid.T, what string, err error) bool {
	failed := u.Err()
	if !errors.Is(err, failed) || failed == nil && err != nil {
		t.Fatalf("%s ends with %v, the memory with %v", what, err, failed)
	}
	return failed != nil
}

// lastError walks to the end, and returns the error that it ends with.
func lastError[T any](seq iter.Seq2[T, error]) (err error) {
	for _, err = range seq {
	}
	return err
}
