// Package fleet lets many machines send the requests of one audit, over NATS JetStream.
//
// The audit is where it always is: its process decides what is requested next, and keeps
// what was answered. A Run is its crawler.Via: requests go out as messages, a hundred at a
// time, and come home as results. A Worker is a crawler.Crawler over a crawler.Frontier that
// is a message queue: it knows neither entries nor rules, holds nothing, and may end at any
// moment.
//
// What keeps a site from being asked by two at once, and an answer from being lost or counted
// twice, is the engine's compare-and-set on the last message of a subject:
//
//	sitemend.u.RUN.KEY    requests of a politeness key, in order
//	sitemend.t.RUN.KEY    its ticket: there is work; one worker pulls it at a time
//	sitemend.r.RUN.KEY    its results; the last one says how far the key is
//	sitemend.l.KEY        its lease: the session that may ask, whatever the run
//	sitemend.w.KEY        said by an audit that wants to ask itself; not kept
//	sitemend.s.SESSION    a worker that lives renews it; others declare it dead
//	sitemend.c.RUN        an audit: how to ask, and whether it is to go on
//
// KEY is a hash of the politeness key. Nobody is believed dead but by a compare-and-set on
// its session, and nobody asks longer than its session is sure to be believed alive.
package fleet
