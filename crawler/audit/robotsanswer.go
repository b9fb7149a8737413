package audit

import "fmt"

// robotsWhy is the key of Counts.Unseen for rows whose robots.txt answered with a status.
const robotsWhy = "robots-%d"

// RobotsStatus returns what a robots.txt answered, 429 or 5xx, where why is a key of Counts.Unseen
// that says so, as "robots-503"; 0 for any other, FaultRobots among them: then nothing is known of
// an answer. A crawler stops for each of them, but what is to be done differs.
func RobotsStatus(why string) (status int) {
	fmt.Sscanf(why, robotsWhy, &status)
	return status
}

// stoppedBy is why a hop that was not requested could not be seen: its fault, what its robots.txt
// answered, or the fault of its host that kept robots.txt from being read.
func stoppedBy(h *Hop) string {
	if h.RobotsStatus > 0 {
		return fmt.Sprintf(robotsWhy, h.RobotsStatus)
	}
	for _, f := range []Fault{FaultDNS, FaultTLS, FaultRefused} { // each address of the host meets it
		if h.Fault == FaultRobots && h.Detail == f.Words() {
			return string(f)
		}
	}
	return string(h.Fault)
}
