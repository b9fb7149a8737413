// Package accesslog reads the access logs of web servers, balancers and CDNs, byte for byte, and
// finds what verified robots of Google and Bing requested.
//
// It recognizes the format of each line by its content. Read yields requests; Robots identifies the
// sender, by published address ranges or by reverse and forward DNS; a Collector counts the
// requests by address; Join compares them with listed addresses.
//
// The target of a request is path and query as they stand in a request line. A request is raw where
// its target is what was sent over the wire. The fold of a target is what all its spellings have in
// common.
//
// The package opens no files and sends no queries of its own: the caller provides logs as readers,
// a resolver, and sorted files for what does not fit in memory. Addresses of clients are used while
// a line is read and never kept, except, in memory, those that wait for a lookup.
package accesslog
