package robots

// Reading is what the answer to a request for robots.txt means for its host.
type Reading uint8

// The readings.
const (
	Rules    Reading = iota // parse the body and obey it
	AllowAll                // there is no robots.txt: everything may be requested
	Stop                    // nothing of the host may be requested now
)

// FromStatus returns what the HTTP status of a robots.txt means, after at most 5 redirects; 0 means
// that no answer came.
//
// 2xx has rules. 3xx (a sixth redirect, or one without a usable Location) and 4xx other than 429
// count as no file. 429, 5xx, no answer and anything else stop the crawler (Google's robots.txt
// specification, "Handling of errors and HTTP status codes").
func FromStatus(status int) Reading {
	switch {
	case status >= 200 && status < 300:
		return Rules
	case status == 429:
		return Stop
	case status >= 300 && status < 500:
		return AllowAll
	}
	return Stop
}
