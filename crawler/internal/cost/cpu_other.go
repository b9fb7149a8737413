//go:build !unix

package cost

import "time"

var begin = time.Now()

// cpu returns how long the process has run, in place of its CPU time.
func cpu() time.Duration { return time.Since(begin) }
