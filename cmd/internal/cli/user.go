package cli

import (
	"errors"
	"regexp"

	"sitemend/crawler/address"
)

// NoUser returns an error where the value of a flag that takes an address contains a user name or
// password (address.HasUser), because the value appears in outputs, logs and the store. The error
// names the flag, and never repeats the value.
func NoUser(flag string, values ...string) error {
	for _, v := range values {
		if address.HasUser(v) {
			return WithHint(errors.New(flag+": a name or password in a URL is not used"),
				"write the URL without what stands before its @; --user NAME:PASS is for the audited hosts")
		}
	}
	return nil
}

// NoUserInURL is NoUser for values that may also be files, whose names may contain an @.
func NoUserInURL(flag string, values ...string) error {
	for _, v := range values {
		if err := NoUser(flag, v); err != nil && urlLike.MatchString(v) {
			return err
		}
	}
	return nil
}

// urlLike matches the beginning of a URL, which is unlikely for a file.
var urlLike = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:[/\\]`)
