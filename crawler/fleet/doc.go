// Package fleet lets many machines send the requests of one audit, over NATS JetStream.
//
// The process of the audit works as it does alone: it decides what is requested next, and keeps the
// answers. A Run is its crawler.Via: requests go out as messages, a hundred at a time, and come
// home as results. A Worker is a crawler.Crawler over a crawler.Frontier that is a message queue:
// it knows neither entries nor rules, stores nothing, and may end at any moment.
//
// A compare-and-set of JetStream on the last message of a subject ensures that two workers never
// send requests to one site at once, and that no answer is lost or counted twice:
//
//	sitemend.u.RUN.KEY    requests of a politeness key, in order
//	sitemend.t.RUN.KEY    its ticket: there is work; one worker pulls it at a time
//	sitemend.r.RUN.KEY    its results; the last one says how far the key is
//	sitemend.l.KEY        its lease: the session that may send requests, whatever the run
//	sitemend.w.KEY        an audit wants to send requests itself; not stored
//	sitemend.s.SESSION    a worker that lives renews it; others declare it dead
//	sitemend.c.RUN        an audit: how to send its requests, and whether it is to go on
//
// KEY is a hash of the politeness key. A session counts as dead only after a compare-and-set on its
// cell, and no worker sends requests later than the moment up to which nobody can have done that.
package fleet
