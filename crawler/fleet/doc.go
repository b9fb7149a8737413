// Package fleet lets many machines send the requests of one audit, over NATS JetStream.
//
// The process of the audit works as it does alone: it decides what is requested next, and keeps the
// answers. A Run is its crawler.Via; it is the only one that knows which requests are on their way. A
// Worker is a crawler.Crawler over a crawler.Frontier that asks the Run for requests: it knows neither
// entries nor rules, stores nothing, and may end at any moment.
//
//	sitemend.t.VERSION.RUN.KEY  a ticket in a work queue: there are requests of a politeness key
//	sitemend.a.RUN              a worker asks the Run for requests of a key; not stored
//	sitemend.r.RUN.KEY          answers, until the audit has stored them
//	sitemend.l.KEY              the lease of a key: the session that may send requests, whatever the run
//	sitemend.s.SESSION          a process that lives renews it; else the servers delete it (TTL)
//	sitemend.c.RUN              an audit: how to send its requests, and whether it is to go on
//	sitemend.w.KEY              an audit wants to send requests itself; not stored
//
// KEY is a hash of the politeness key. The lease of a session that was deleted is free. Of two workers
// that take a lease, a compare-and-set lets one have it; its number in the stream is the greater the
// later it was taken, and answers of an earlier holder are refused by that. A worker sends no requests
// later than the moment up to which its session cannot have been deleted.
package fleet
