package sketch_test

import (
	"testing"

	"pgregory.net/rapid"

	"sitemend/crawler/internal/sketch"
)

// An address has one hash, as text and in bytes.
func TestHashLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.String().Draw(t, "address")
		if h := sketch.Hash(a); h == 0 || h != sketch.HashBytes([]byte(a)) {
			t.Fatalf("%q: %d as text, %d in bytes", a, h, sketch.HashBytes([]byte(a)))
		}
	})
}
