package audit

import (
	"strconv"
	"strings"
)

// robotsWhy begins the key of Counts.Unseen for rows whose robots.txt answered.
const robotsWhy = "robots-"

// RobotsWhy is the key of Counts.Unseen for a robots.txt that answered with a status: "robots-503".
func RobotsWhy(status int) string { return robotsWhy + strconv.Itoa(status) }

// RobotsStatus returns what a robots.txt answered, 429 or 5xx, where why is a key of Counts.Unseen
// that says so, as "robots-503"; 0 for any other, FaultRobots among them: then nothing is known of
// an answer. A crawler stops for each of them, but what is to be done differs.
func RobotsStatus(why string) int {
	text, ok := strings.CutPrefix(why, robotsWhy)
	status, err := strconv.Atoi(text)
	if err != nil || !ok {
		return 0
	}
	return status
}

// stoppedBy is why a hop that was not requested could not be seen: its fault, what its robots.txt
// answered, or the fault of its host that kept robots.txt from being read.
func stoppedBy(h *Hop) string {
	if h.RobotsStatus > 0 {
		return RobotsWhy(h.RobotsStatus)
	}
	for _, f := range []Fault{FaultDNS, FaultTLS, FaultRefused} { // each address of the host meets it
		if h.Fault == FaultRobots && h.Detail == f.Words() {
			return string(f)
		}
	}
	return string(h.Fault)
}
