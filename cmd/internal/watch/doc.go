// Package watch audits many sites on a schedule in one process, and reports what is new for each.
//
// Load reads the configuration (YAML), with the line and column of whatever is wrong in it.
// A Schedule says when a site is due. Run owns the store for as long as it runs: it starts
// job.Run for each site that is due, keeps in the store which run was made and what is still to
// be delivered, and delivers it (package notify).
//
// The package knows no command line, no standard output and no exit status.
package watch
