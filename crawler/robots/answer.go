package robots

import (
	"fmt"

	"github.com/fxamacker/cbor/v2"

	"sitemend/crawler/answers"
)

// An Answer is the result of a request for a robots.txt.
type Answer struct {
	Status int
	// Fault is why there is no complete answer, with Detail in words.
	Fault  answers.Fault
	Detail string
	// Strange is set where a host that is not audited took part in the answer: addresses that the
	// file names are requested without the user's headers and credentials.
	Strange bool
	// Challenge is the bot protection that answered in place of the host; "" for none.
	Challenge string
	// File is nil where there are no rules: for a Fault, and any status but 2xx.
	File *File
}

// Read sets the File of a whole answer from its body.
func (a *Answer) Read(body []byte) {
	if a.Fault == "" && a.Status/100 == 2 {
		a.File = Parse(body)
	}
}

// Stopped returns why no request may be sent to the host; "" where the answer decides what may be
// requested. A 3xx (a sixth redirect, or one without a usable Location) and 4xx other than 429 count as
// no file. 429, 5xx, no answer and anything else stop the crawler (Google's robots.txt specification,
// "Handling of errors and HTTP status codes").
func (a *Answer) Stopped() answers.Fault {
	switch {
	case a.Fault == answers.FaultRobotsAddress:
		return a.Fault
	case a.Fault != "", a.Status == 429, a.Status < 200, a.Status >= 500:
		return answers.FaultRobots
	}
	return ""
}

// Words returns, in plain English, what came in place of a file, or which address the guard
// refused.
func (a *Answer) Words() string {
	switch {
	case a.Fault == answers.FaultRobotsAddress && a.Detail != "":
		return a.Detail
	case a.Fault != "":
		return a.Fault.Words()
	case a.Challenge != "": // a bot protection, not the host
		return a.Challenge + " in its place"
	}
	return fmt.Sprintf("status %d", a.Status)
}

// Encode encodes a for DecodeAnswer.
func (a *Answer) Encode() []byte {
	b, _ := cbor.Marshal(a) // no error: its fields are plain
	return b
}

// decoding accepts lines that are no UTF-8.
var decoding, _ = cbor.DecOptions{UTF8: cbor.UTF8DecodeInvalid, MaxArrayElements: 1 << 20}.DecMode() // constant options: no error

// DecodeAnswer decodes the result of Encode.
func DecodeAnswer(b []byte) (*Answer, error) {
	a := &Answer{}
	return a, decoding.Unmarshal(b, a)
}
