package audit

import "time"

// A Last is what the last audit of the same targets, like one, counted.
type Last struct {
	At     time.Time     // when it began
	Groups map[Group]int // entries by group
	// Noindex is how many of these it removed for their noindex; 0 where an older version counted.
	Noindex int
	// Since is what changed since it; nil where the two were not compared.
	Since *Since
}

// A Since counts what changed from one audit to the next (package diff).
type Since struct {
	Fixed int `json:"fixed"` // addresses with a problem then, and none now or not listed any more
	New   int `json:"new"`   // addresses with a problem that the earlier audit did not have there
	Open  int `json:"open"`  // addresses about which somebody had to decide, and still has to
}
