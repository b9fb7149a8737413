//go:build !unix

package storage

// noFollow is the flag to open no link, which this system does not have.
const noFollow = 0
