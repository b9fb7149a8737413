//go:build !unix

package storage

// noFollow opens no link, where the system can do that.
const noFollow = 0
