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

// An Answer is what a request for a robots.txt came to.
type Answer struct {
	Status int
	// Fault is why there is no whole answer, Detail what is known of it in words.
	Fault  audit.Fault
	Detail string
	// Strange is set where a host that is not audited had a hand in the answer: what it
	// names is asked without the user's headers and credentials.
	Strange bool
	// Challenge is the bot protection that answered in its place, "" for none.
	Challenge string
	// Body is the file as it came. DecodeAnswer leaves it out and sets File, which is nil
	// where there are no rules: for a fault and any status but 2xx.
	Body []byte
	File *File
}

// reading says what Google makes of the answer.
func (a *Answer) reading() Reading {
	if a.Fault != "" {
		return Stop
	}
	return FromStatus(a.Status)
}

// Stopped returns why nothing may be asked of the host; "" where the answer says what may
// be.
func (a *Answer) Stopped() audit.Fault {
	switch {
	case a.Fault == audit.FaultRobotsAddress:
		return audit.FaultRobotsAddress
	case a.reading() == Stop:
		return audit.FaultRobots
	}
	return ""
}

// Down reports whether the host answered with a server error, which stops Google, too: any
// other failure may be seen from this machine alone, a refusal by a bot protection most of all.
func (a *Answer) Down() bool { return a.Fault == "" && a.Status >= 500 && a.Challenge == "" }

// Words says in plain English what came in place of a file, or which address the guard
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

// StopStatus returns the status, 429 or 5xx, for which nothing may be asked of the host: its own,
// not that of a bot protection in its place. 0 for every other answer, and for none.
func (a *Answer) StopStatus() int {
	if a.Stopped() == "" || a.Fault != "" || a.Challenge != "" {
		return 0
	}
	return a.Status
}

// strange is the bit of Strange beside a status.
const strange = 1 << 15

// Encode packs a for DecodeAnswer: status, length of the fault, fault, and of the rest what that
// leaves room for. It goes into a store: the addresses of sitemaps are without passwords in it.
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

// withoutPasswords masks the addresses of a robots.txt: what Sitemap lines name, and what stands in
// remarks and in lines that are no rule. Patterns stay octet for octet, whatever they look like.
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

// maskedLine is a line without its remark, masked where it is no rule.
func maskedLine(line string) string {
	key, value, _ := cutLine(line)
	switch key = strings.ToLower(strings.TrimPrefix(key, "\uFEFF")); {
	case key != "" && strings.IndexByte("adu", key[0]) >= 0: // allow, disallow, user-agent, and what is taken for them
		return line
	case strings.HasPrefix(key, "sitemap") || strings.HasPrefix(key, "site-map"):
		line = strings.Replace(line, value, address.Masked(value), 1)
	}
	return address.MaskedText(line)
}

// DecodeAnswer reads what Encode made, and the rules in it. The error says what is wrong
// with it.
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
