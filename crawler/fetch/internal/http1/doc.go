// Package http1 implements an HTTP/1.1 client without proxies that works in the goroutine of the
// caller: it keeps connections open, sends one request at a time over each, and sends every byte as
// it is given.
package http1
