package notify

import (
	"errors"
	"regexp"
)

// reasons say in plain words why a message was not delivered, by the text of the error: some
// services wrap that of another without the error itself.
var reasons = []struct {
	text *regexp.Regexp
	said string
}{
	{regexp.MustCompile(`context canceled`), "sitemend was stopped meanwhile"},
	{regexp.MustCompile(`connection refused|actively refused`), "nothing listens there (connection refused)"},
	{regexp.MustCompile(`no such host|\blookup `), "its host name has no address, or the name server does not answer"},
	{regexp.MustCompile(`x509: |certificate`), "its certificate is not trusted"},
	{regexp.MustCompile(`(?i)deadline exceeded|timeout|timed out`), "it did not accept it in time"},
	{regexp.MustCompile(`connection reset|\bEOF\b`), "it closed the connection without an answer"},
}

// answered matches an HTTP status in the text of a service's error, or the code of a mail server
// before its own. Three digits that stand alone after one of these words are not a secret, and not
// part of an address.
var answered = regexp.MustCompile(`(?i)(?:(?:status|code|response|returned)[^0-9a-z/]{1,12}|^|: )([1-5][0-9]{2})(?:[^0-9a-z._/-]|$)`)

// why returns a message of this package for an error of a delivery; nil for nil. It never contains
// the text of err, which may have the service URL, a secret, in any form.
func why(err error) error {
	if err == nil {
		return nil
	}
	for _, r := range reasons {
		if r.text.MatchString(err.Error()) {
			return errors.New(r.said)
		}
	}
	if status := answered.FindStringSubmatch(err.Error()); status != nil {
		return errors.New("it answered " + status[1])
	}
	return errors.New("the service did not accept it")
}
