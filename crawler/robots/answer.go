package robots

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"sitemend/crawler/address"
	"sitemend/crawler/audit"
)

// An Answer is the result of a request for a robots.txt.
type Answer struct {
	Status int
	// Fault is why there is no complete answer, with Detail in words.
	Fault  audit.Fault
	Detail string
	// Strange is set where a host that is not audited took part in the answer: addresses that the
	// file names are requested without the user's headers and credentials.
	Strange bool
	// Challenge is the bot protection that answered in place of the host; "" for none.
	Challenge string
	// Body is the file as received. DecodeAnswer leaves Body empty and sets File, which is nil
	// where there are no rules: for a Fault, and any status but 2xx.
	Body []byte
	File *File
}

// reading returns what the answer means to Google.
func (a *Answer) reading() Reading {
	if a.Fault != "" {
		return Stop
	}
	return FromStatus(a.Status)
}

// Stopped returns why no request may be sent to the host; "" where the answer decides what may be
// requested.
func (a *Answer) Stopped() audit.Fault {
	switch {
	case a.Fault == audit.FaultRobotsAddress:
		return audit.FaultRobotsAddress
	case a.reading() == Stop:
		return audit.FaultRobots
	}
	return ""
}

// Down reports whether the host answered with a server error, which stops Google, too. Any other
// failure may occur for this machine only, above all a refusal by a bot protection.
func (a *Answer) Down() bool { return a.Fault == "" && a.Status >= 500 && a.Challenge == "" }

// Words returns, in plain English, what came in place of a file, or which address the guard
// refused.
func (a *Answer) Words() string {
	switch {
	case a.Fault == audit.FaultRobotsAddress && a.Detail != "":
		return a.Detail
	case a.Fault != "":
		return a.Fault.Words()
	}
	if a.Challenge != "" { // a bot protection, not the host
		return a.Challenge + " in its place"
	}
	return fmt.Sprintf("status %d", a.Status)
}

// StopStatus returns the status, 429 or 5xx, because of which no request may be sent to the host.
// The status must be that of the host, not of a bot protection in front of it. It returns 0 for
// every other answer, and where there is none.
func (a *Answer) StopStatus() int {
	if a.Stopped() == "" || a.Fault != "" || a.Challenge != "" {
		return 0
	}
	return a.Status
}

// strange is the bit for Strange that is added to the status.
const strange = 1 << 15

// Encode encodes a for DecodeAnswer: status, length of the fault, fault, and as much of the rest as
// that leaves room for. Because the result is stored, it has no passwords in addresses.
func (a *Answer) Encode() []byte {
	status := uint16(a.Status)
	if a.Strange {
		status |= strange
	}
	b := binary.BigEndian.AppendUint16(nil, status)
	b = append(b, byte(len(a.Fault)))
	b = append(b, a.Fault...)
	switch {
	case a.Fault != "":
		return append(b, a.Detail...)
	case a.reading() == Rules:
		return append(b, withoutPasswords(a.Body)...)
	}
	return append(b, a.Challenge...)
}

// withoutPasswords masks the passwords in the addresses of a robots.txt: those of Sitemap lines,
// and those in comments and in lines that are no rule. Patterns stay as they are, whatever they
// look like.
func withoutPasswords(text []byte) []byte {
	if bytes.IndexByte(text, '@') < 0 {
		return text
	}
	return anyLine.ReplaceAllFunc(text, func(b []byte) []byte {
		if bytes.IndexByte(b, '@') < 0 {
			return b
		}
		line, remark, remarked := strings.Cut(string(b), "#")
		if line = maskedLine(line); remarked {
			line += "#" + address.MaskedText(remark)
		}
		return []byte(line)
	})
}

var anyLine = regexp.MustCompile(`[^\r\n]+`)

// maskedLine returns a line without its comment, masked where it is no rule.
func maskedLine(line string) string {
	key, value, _ := cutLine(line)
	switch key = strings.ToLower(strings.TrimPrefix(key, "\uFEFF")); {
	case key != "" && strings.IndexByte("adu", key[0]) >= 0: // allow, disallow, user-agent, misspelled too
		return line
	case strings.HasPrefix(key, "sitemap") || strings.HasPrefix(key, "site-map"):
		line = strings.Replace(line, value, address.Masked(value), 1)
	}
	return address.MaskedText(line)
}

// DecodeAnswer decodes the result of Encode, and parses its rules. It returns an error for any
// other input.
func DecodeAnswer(b []byte) (*Answer, error) {
	if len(b) < 3 || len(b) < 3+int(b[2]) {
		return nil, errors.New("it is cut off")
	}
	n := 3 + int(b[2])
	status := binary.BigEndian.Uint16(b)
	a := &Answer{Status: int(status &^ strange), Strange: status&strange != 0,
		Fault: audit.Fault(b[3:n])}
	switch {
	case a.Status > 999 || a.Fault == "" && a.Status < 100:
		return nil, fmt.Errorf("a robots.txt has the status %d", a.Status)
	case a.Fault != "":
		a.Detail = string(b[n:])
	case a.reading() == Rules:
		a.File = Parse(b[n:])
	default:
		a.Challenge = string(b[n:])
	}
	return a, nil
}
