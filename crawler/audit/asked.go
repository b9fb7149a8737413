package audit

import (
	"slices"
	"strings"
)

// OwnAgent returns the User-Agent header of an audit whose agent the user named and that is not that
// of its Identity, of another version; else "".
func (i *Info) OwnAgent() string {
	name, _, _ := strings.Cut(i.Identity, "-")
	if name == "browser" {
		name = "mozilla/"
	}
	if strings.Contains(strings.ToLower(i.Agent), name) {
		return ""
	}
	return i.Agent
}

// agentGiven is how a flag of Info.Given begins that names the User-Agent header, which is no secret.
const agentGiven = "--header=User-Agent: "

// Credentials returns the flags whose headers and credentials were sent to the audited hosts
// ("--header", "--user"), sorted: both where it is not known which of them was given; nil for none.
// Google sends neither, so that nothing is known of what it gets.
func (i *Info) Credentials() (flags []string) {
	if len(i.Rules.Secret) == 0 {
		return nil
	}
	both := []string{"--header", "--user"}
	for _, f := range both {
		if slices.ContainsFunc(i.Given, func(given string) bool {
			return strings.HasPrefix(given, f+"=") && !strings.HasPrefix(given, agentGiven)
		}) {
			flags = append(flags, f)
		}
	}
	if flags == nil {
		return both
	}
	return flags
}

// Inside reports whether the audit was led to other machines than the addresses of the site name: a
// staging server, most likely.
func (i *Info) Inside() bool {
	return slices.ContainsFunc(i.Given, func(f string) bool { return strings.HasPrefix(f, "--map=") || strings.HasPrefix(f, "--resolve=") })
}
