package audit

import "time"

// A Last counts what changed since the last audit of the same targets, like one (package diff).
type Last struct {
	At    time.Time `json:"at"`    // when that one began
	Fixed int       `json:"fixed"` // addresses with a problem then, and none now or not listed any more
	New   int       `json:"new"`   // addresses with a problem that the earlier audit did not have there
	Open  int       `json:"open"`  // addresses about which somebody had to decide, and still has to
}
