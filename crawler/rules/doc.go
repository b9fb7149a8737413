// Package rules implements redirect rules: a rule is a source, a target and a status. The package
// reads the rule files of static hosts (Set.Read), and finds what the rules of a set do with a
// request (Matcher). How a file of each format is read, and how its host compares sources and writes
// targets, are rows of two tables (files, dialects). Package rules/write turns pairs of addresses
// into rules, and package rules/hosts models what a host does around its rules: its files, slashes
// and 404 pages.
//
// The bytes of a request are its target as it was sent, in which %28 is not "(". Some formats
// compare these, others the decoded path. A literal rule has neither placeholder nor wildcard.
//
// The package opens no files and sends no requests. Its knowledge of each format was recorded from
// the engines of the vendors in November 2026, or is from their documentation; the tests compare it
// with those records.
package rules
