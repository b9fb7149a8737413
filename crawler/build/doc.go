// Package build answers requests for a static build in a folder as its host will once it is
// deployed: which host that is (recognize.go), which rule files it has and what is configured
// (config.go, netlify.go), the files (files.go), and the answers (answer.go), which a model makes
// (package hosts). It is a model, not the host; hosts.Date says of when.
//
// The folder is only read. Links that lead out of it are not followed, and what is no
// regular file is not opened; Build.Left says what was left out.
package build
