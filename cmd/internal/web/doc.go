// Package web is a small web described as text and served on loopback: the one
// that "sitemend demo" audits, and the one that test scripts bring along.
//
// A description is a list of blocks, one for each answer:
//
//	# a comment
//	http://shop.example/old?a=%28  301 /new
//	https://shop.example/new       200
//	  Content-Type: text/html; charset=utf-8
//	  X-Robots-Tag: noindex
//	  | <title>New</title>
//	  | a line of the body
//	http://shop.example/twice      503
//	http://shop.example/twice      200      # the second request, and every later one
//	http://shop.example/map.xml    200 file=sitemap.xml
//	http://shop.example/map.xml.gz 200 file=sitemap.xml gzip
//	http://shop.example/files/*    200      # any rest; the longest prefix wins, exact first
//	http://shop.example/dead       fault=reset
//	http://shop.example/shy        404 if User-Agent~Googlebot
//	http://shop.example/shy        200
//
// The first line of a block holds, separated by spaces: the address; the status;
// a value for the Location header; and any of the options
//
//	file=NAME    the body is that file
//	gzip         the body is packed: no Content-Encoding is sent unless a header
//	             line says so, which is how a sitemap.xml.gz is served
//	fault=NAME   no answer: reset (the connection is reset), hang (nothing comes
//	             until the client goes)
//	if NAME~RE   only for requests whose header NAME matches the RE2 expression,
//	             to the end of the line; also "NAME: RE", and NAME!~RE for those
//	             that do not match. A header that was not sent is ""
//
// A word that begins with # starts a comment. Indented lines are header fields,
// sent in the order written, or lines of the body after "|" and one space. In
// addresses, header fields and bodies \xNN is the byte NN and \\ a backslash, so
// that every byte can be written, spaces and a # at the start of a word
// included. An address that really ends in * is written with \x2a.
//
// Several blocks of one address and condition answer its first, second, ...
// request; the last one repeats. Blocks with a condition are looked at first, in
// the order written.
//
// A block without a body gets a short HTML page whose title is made of the
// address, and no body where it has a Content-Length line, which is sent as
// written, whatever the body is. The Content-Type goes by the name of the file,
// else it is HTML. All other addresses of an origin (scheme, host, port) that is
// named are 404, robots.txt too. An origin that is not named does not exist: its
// connections close without an answer, CONNECT is refused with 502, and TLS with
// unrecognized_name.
//
// Addresses are compared byte for byte with what came over the wire. That is
// why the package reads HTTP/1.1 itself: net/http refuses targets that are
// spelled badly, and sitemaps have such addresses.
package web
