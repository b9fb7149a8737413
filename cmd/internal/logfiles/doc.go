// Package logfiles reads the access logs that a command names: files and standard input, several
// at once, with the address ranges and the name server by which robots are known. What a line means
// is crawler/accesslog's; what the findings say beside an audit is package job's.
package logfiles
