package record

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

type part struct{ Text, Other string }

type before struct {
	URL, Gone string
	N         int
	Part      part
	Kind      int
	Gone2     uint64
	At        time.Time
}

// after is before of a later version: fields came, went, moved, and one is of another kind.
type after struct {
	At   time.Time
	New  []string
	Part part
	Kind string
	Yes  bool
	N    int
	URL  string
}

// A later version reads the fields that it still has, and an earlier one those that it knew; what is
// written stays readable by the names that the store keeps.
func TestFieldsChange(t *testing.T) {
	at := time.Date(2027, 1, 2, 3, 4, 5, 6e6, time.UTC)
	old := New[before](nil)
	data, err := old.Encode(nil, &before{"u", "gone", -7, part{"text/html", "like"}, 9, 1 << 40, at}, "like")
	if err != nil {
		t.Fatal(err)
	}
	later := New[after](old.Names())
	got, err := later.Decode(data, "like")
	if want := (after{URL: "u", N: -7, Part: part{"text/html", "like"}, At: at}); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v, %v, want %+v", got, err, want)
	}
	want := after{at, []string{"a", "\xff"}, part{"", "x"}, "kind", true, 3, "\x00"}
	if data, err = later.Encode(nil, &want, ""); err != nil {
		t.Fatal(err)
	}
	if got, err := later.Decode(data, ""); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("got %+v, %v, want %+v", got, err, want)
	}
	back, err := New[before](later.Names()).Decode(data, "")
	if want := (before{URL: "\x00", N: 3, Part: part{"", "x"}, At: at}); err != nil || back != want {
		t.Fatalf("got %+v, %v, want %+v", back, err, want)
	}
}

// Whatever bytes come, there is a value or an error.
func TestAnyBytes(t *testing.T) {
	c := New[after](New[before](nil).Names())
	rapid.Check(t, func(rt *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(rt, "data")
		_, _ = c.Decode(data, "like")
	})
	whole, err := c.Encode(nil, &after{New: []string{"a"}, URL: strings.Repeat("u", 300), Kind: "k"}, "")
	if err != nil {
		t.Fatal(err)
	}
	for n := range whole {
		if got, err := c.Decode(whole[:n], ""); err == nil && got.URL != "" && got.Kind != "" && got.New != nil {
			t.Errorf("%d of %d bytes are all of it", n, len(whole))
		}
	}
}
