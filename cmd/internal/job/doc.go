// Package job runs one audit, from a Spec to an Outcome: it begins or continues the audit in its store,
// requests, decides, writes, compares with the last audit, and removes old ones. Run does all of that.
//
// The other commands have a function each: Report writes the outputs of an audit of the store again,
// Compare compares two, Inspect asks Google's index, Logs reads access logs, AuditRules and MapRules make
// redirect rules, Work sends requests for audits elsewhere. A Library is the store for package serve.
//
// A Spec is plain data, which the command line, a file or a message can hold; errors name its values as
// the flags of the command line and say what to do (Hint). The package parses no command line and knows
// no standard output and no exit status: Env has what is alive (the log, what shows the progress,
// standard input).
package job
