// Package job runs one audit, from a Spec to an Outcome: it begins or continues the audit
// in its store, asks, evaluates, writes, compares with earlier audits, remembers,
// and prunes. Run does all of that; Report writes the outputs of an audit of the store
// again; Compare compares two of them.
//
// A Spec is plain data, which the command line, a file or a message can hold; errors name its values as
// the flags of the command line and say what to do (Hint). The package parses no command line and knows
// no standard output and no exit status: Env has what is alive (the log, what shows the progress,
// standard input).
package job
