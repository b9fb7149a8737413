package job

import (
	"testing"
	"time"
)

// The hint promises what lifting the ceiling would save, and is silent where that is little, not
// the user's to lift, or no matter of the ceiling.
func TestHint(t *testing.T) {
	const (
		second = time.Second
		minute = time.Minute
	)
	english := Spec{Asking: Asking{Rate: 10}, Parallel: 4, Lang: "en"}
	japanese, free, single := english, english, english
	japanese.Lang, free.Rate, single.Parallel = "ja", 0, 0
	for name, c := range map[string]struct {
		spec  Spec
		spent spent
		want  string
	}{
		"the ceiling took the time": {english, spent{7 * minute, 380 * second, 160 * second, false},
			"if this is your own server, --rate 0 crawls as fast as it answers: about 40 s instead of 7 min"},
		"in Japanese": {japanese, spent{7 * minute, 380 * second, 160 * second, false},
			"自分のサーバーなら --rate 0 を付けると、間隔を空けずに取得します。今回の7分が約40秒になります"},
		"many hosts were crawled side by side": {english, spent{minute, 55 * second, 40 * second, false},
			"if this is your own server, --rate 0 crawls as fast as it answers: about 10 s instead of 1 min"},
		"one request at once": {single, spent{7 * minute, 6 * minute, minute, false},
			"if this is your own server, --rate 0 crawls as fast as it answers: about 1 min instead of 7 min"},
		"the answers took the time":     {english, spent{7 * minute, minute, 26 * minute, false}, ""},
		"reading sitemaps took it":      {english, spent{7 * minute, minute, minute, false}, ""},
		"a host wanted a slower pace":   {english, spent{7 * minute, 380 * second, 160 * second, true}, ""},
		"there is no ceiling":           {free, spent{7 * minute, 380 * second, 160 * second, false}, ""},
		"it is not worth a word":        {english, spent{10 * second, 9 * second, second, false}, ""},
		"others sent the requests":      {english, spent{all: 7 * minute}, ""},
		"less than half would be saved": {english, spent{7 * minute, 180 * second, 4 * 200 * second, false}, ""},
	} {
		if got := (&job{f: &c.spec, spent: c.spent}).hint(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
