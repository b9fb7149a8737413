package fleet

import (
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"sitemend/crawler/answers"
)

// Every field of an answer comes home, including those that a later version adds.
func TestAnAnswerComesHomeWhole(t *testing.T) {
	hops := rapid.MakeCustom[answers.Hop](rapid.MakeConfig{
		Kinds: map[reflect.Kind]*rapid.Generator[any]{reflect.String: rapid.SampledFrom([]string{"", "octets \xff"}).AsAny()},
		Types: map[reflect.Type]*rapid.Generator[any]{reflect.TypeFor[time.Time](): rapid.SampledFrom([]time.Time{{}, time.Unix(-1, 5).UTC(), time.Date(2026, 11, 2, 3, 4, 5, 6, time.UTC)}).AsAny()},
	})
	rapid.Check(t, func(t *rapid.T) {
		want := hops.Draw(t, "answer")
		want.Links = "" // workers read none: --links and --via exclude one another
		var r result
		if err := unpack(pack(&result{Hops: []answers.Hop{want}}), &r); err != nil {
			t.Fatal(err)
		}
		if got := r.Hops; len(got) != 1 || got[0] != want {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	})
}
