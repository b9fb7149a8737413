// Package http1 is HTTP/1.1 without a proxy in the goroutine of the caller: connections that
// are kept open, one request and one answer at a time, octet for octet.
package http1
