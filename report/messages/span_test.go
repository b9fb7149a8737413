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

// No wait is said to be shorter than it was asked for.
func TestWait(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Second:                    "1 second",
		500 * time.Millisecond:         "1 second",
		time.Minute:                    "1 minute",
		90 * time.Second:               "90 seconds",
		2 * time.Minute:                "2 minutes",
		121 * time.Second:              "3 minutes",
		time.Hour:                      "1 hour",
		90 * time.Minute:               "90 minutes",
		2*time.Hour + time.Millisecond: "3 hours",
		24 * time.Hour:                 "1 day",
		2*time.Hour - time.Second:      "2 hours", // a date two hours ahead of the answer
		time.Hour - time.Second:        "1 hour",
		48*time.Hour - 2*time.Second:   "2 days",
		119 * time.Minute:              "119 minutes",
		49 * time.Hour:                 "3 days",
	} {
		if got := messages.Of("en").Wait(d); got != want {
			t.Errorf("%v: got %s, want %s", d, got, want)
		}
	}
}
