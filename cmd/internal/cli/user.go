package cli

import (
	"errors"
	"regexp"

	"sitemend/crawler/address"
)

// NoUser returns an error where the value of a flag that takes an address names who calls
// (address.HasUser): what is written there stands in outputs, logs and the store. The error
// names the flag, and never repeats the value.
func NoUser(flag string, values ...string) error {
	for _, v := range values {
		if address.HasUser(v) {
			return WithHint(errors.New(flag+": a name or password in an address is not used"),
				"write the address without what stands before its @; --user NAME:PASS is for the audited hosts")
		}
	}
	return nil
}

// NoUserInURL is NoUser for values that are files, too, whose names may have an @.
func NoUserInURL(flag string, values ...string) error {
	for _, v := range values {
		if err := NoUser(flag, v); err != nil && urlLike.MatchString(v) {
			return err
		}
	}
	return nil
}

// urlLike is how a URL begins, and hardly a file.
var urlLike = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*:[/\\]`)
