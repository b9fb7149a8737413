// Package rules knows redirect rules: a rule is a source, a target and a status.
// It reads the rule files of static hosts and shops (Read), says what the rules
// of a set do with a request (Matcher), and turns pairs of addresses into rules
// of its own (package rules/write). What a host does around its rules, its files,
// slashes and 404 pages, is in package rules/hosts.
//
// Words: the octets of a request are its target as it was sent, in which %28 is
// not "(". Some formats compare octets, others the decoded path; each reader says
// which. A literal rule has neither placeholder nor wildcard.
//
// The package reads no files and asks nobody. What is known of each format was
// recorded from the engines of the vendors in November 2026, or is from their
// documentation; the tests run those records.
package rules
