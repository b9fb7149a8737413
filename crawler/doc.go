// Package crawler asks the web: who is asked, when, as whom, and how often.
//
// It is made of layers, each about one thing. A Client (ask.go) sends one
// request and reads one answer; it is the only part that knows the fetching
// library. An Identity says as whom; a Guard which addresses may be dialled; a
// Pace how fast one host is asked; the rest decides what is asked next.
//
// What the web answers, however bad, is data (an audit.Hop with a fault), never
// a Go error. The package never judges an answer and never writes a file: it
// hands hops to a store that others provide.
package crawler
