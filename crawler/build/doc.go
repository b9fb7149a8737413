// Package build answers requests for a static build in a folder as its host will once it is
// deployed. It recognizes the host (recognize.go), reads the rule files and the configuration
// (config.go) and the files (files.go), and answers (answer.go) with a model of the
// host (package hosts). The model may differ from the host; hosts.Date is its date.
//
// The folder is not modified. Links that lead out of it are not followed, and files that are not
// regular are not opened.
package build
