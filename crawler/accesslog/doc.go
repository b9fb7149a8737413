// Package accesslog reads the access logs of web servers, balancers and CDNs,
// octet for octet, and says what verified robots of Google and Bing asked for.
//
// The format is told line by line, by content. Read hands out requests; Robots
// tells whose they are, by published address ranges or by DNS there and back; a
// Collector adds them up by address; Join holds them beside listed addresses.
//
// Words: the target is path and query as they stand in a request line. A request
// is raw where its target is what came over the wire. The fold of a target is
// what all its spellings have in common.
//
// The package opens no file and asks nobody: logs are readers, a resolver and
// the sorted files for what does not fit in memory are handed in. Addresses of
// clients are looked at while a line is read and never kept, save those that
// wait for a lookup, in memory.
package accesslog
