package messages_test

import (
	"fmt"
	"testing"
	"time"

	"sitemend/report/messages"
)

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                "seconds 1 0",
		40 * time.Millisecond:            "seconds 1 0",
		59400 * time.Millisecond:         "seconds 59 0",
		59600 * time.Millisecond:         "minutes 1 0",
		89 * time.Second:                 "minutes 1 0",
		13*time.Minute + 40*time.Second:  "minutes 14 0",
		59*time.Minute + 29*time.Second:  "minutes 59 0",
		59*time.Minute + 31*time.Second:  "hours 1 0",
		125*time.Minute + 20*time.Second: "hours 2 5",
		100 * time.Hour:                  "hours 100 0",
	} {
		unit, n, m := messages.Span(d)
		if got := fmt.Sprint(unit, " ", n, " ", m); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}
