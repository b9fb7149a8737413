// Package crawler asks the web: which hosts, when, as whom, and how often.
//
// Package fetch sends one request and reads one answer, package discover finds the
// sitemaps. A Pace says how fast one host is asked; the rest decides what is asked next.
//
// What the web answers, however bad, is data (an audit.Hop with a fault), never
// a Go error. The package never judges an answer and never writes a file: it
// hands hops to a store that others provide.
package crawler
