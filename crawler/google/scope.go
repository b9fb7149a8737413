package google

import (
	"fmt"
	"slices"
	"strings"
)

// A Scope is what a token may do.
type Scope string

// The scopes of Search Console (its discovery document). ReadWrite includes ReadOnly.
const (
	ReadOnly  Scope = "https://www.googleapis.com/auth/webmasters.readonly"
	ReadWrite Scope = "https://www.googleapis.com/auth/webmasters"
)

// grants reports whether a list of scopes, in the form of tokens, includes s.
func (s Scope) grants(list string) bool {
	granted := strings.Fields(list)
	return slices.Contains(granted, string(s)) ||
		s == ReadOnly && slices.Contains(granted, string(ReadWrite))
}

// lacking returns the error of a token without the scope s.
func (c *Credentials) lacking(s Scope) error {
	err := fmt.Errorf("%s is not granted", s)
	switch c.Kind {
	case DesktopClient:
		if s == ReadWrite {
			return withHint(err, "sitemend google login --submit asks for it; leave its box ticked")
		}
		return withHint(err, "sitemend google login asks for it; leave its box ticked")
	case AuthorizedUser:
		return withHint(err, "gcloud auth application-default login --client-id-file=CLIENT.json --scopes="+string(s)+",https://www.googleapis.com/auth/cloud-platform; or take a Desktop client (docs/google.md)")
	}
	return withHint(err, "docs/google.md says what a service account needs")
}
