// Package logfiles reads the access logs that a command names: files and standard input, several at
// once, with the address ranges and the name server for the verification of robots. Package
// crawler/accesslog parses the lines; package job evaluates the findings beside an audit.
package logfiles
