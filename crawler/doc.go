// Package crawler decides which requests are sent: to which hosts, when, as whom, and how often.
//
// Package fetch sends a single request and reads its answer, package discover finds the sitemaps. A
// Pace limits the requests to one host; the rest decides what is requested next.
//
// Whatever the web answers is data (an answers.Hop with a fault), never a Go error. The package does
// not judge answers and writes no files: it passes hops to a store that the caller provides.
package crawler
