package fleet

import (
	"reflect"
	"testing"
	"time"

	"sitemend/crawler/answers"
)

// fill gives every field below v a value that is not its zero.
func fill(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 11, 2, 3, 4, 5, 6, time.UTC)))
			return
		}
		for i := range v.NumField() {
			fill(t, v.Field(i))
		}
	case reflect.String:
		v.SetString("octets \xff")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(7)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(3)
	case reflect.Float64:
		v.SetFloat(0.5)
	default:
		t.Fatalf("a %s is in an answer", v.Type())
	}
}

// Every field of an answer comes home, including those that a later version adds.
func TestAnAnswerComesHomeWhole(t *testing.T) {
	var full answers.Hop
	fill(t, reflect.ValueOf(&full).Elem())
	full.Links = "" // workers read none: --links and --via exclude one another
	for _, want := range []answers.Hop{full, {}, {Request: full.Request, At: time.Unix(-1, 5).UTC()}} {
		var r result
		if err := unpack(pack(&result{Hops: []answers.Hop{want}}), &r); err != nil {
			t.Fatal(err)
		}
		if got := r.Hops; len(got) != 1 || got[0] != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
}
