// Package crawler decides which requests are sent: to which hosts, when, as whom, and how often.
//
// Package fetch sends a single request and reads its answer, package discover finds the sitemaps. A
// pace limits the requests to one host; the rest decides what is requested next, for which package
// audit judges each entry by the answers so far.
//
// Whatever the web answers is data (an answers.Hop with a fault), never a Go error. The package writes no
// files: it passes hops to a store that the caller provides.
package crawler
