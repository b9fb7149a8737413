//go:build !unix

package fetch

// openFiles returns 0: this system sets no limit.
func openFiles() int { return 0 }
