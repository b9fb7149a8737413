package audit

import "time"

// A Last is what the last audit of the same targets, like one, counted.
type Last struct {
	At     time.Time     // when it began
	Groups map[Group]int // entries by group
	// Noindex is how many of these it removed for their noindex; 0 where an older version counted.
	Noindex int
	// Since says what the later audit found of what this one had to say; nil where the two
	// were not compared.
	Since *Since
}
