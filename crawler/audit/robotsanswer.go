package audit

import (
	"strconv"
	"strings"
)

// statusDetail begins the Detail of a fault that an answer caused, and robotsWhy the reason why a
// row could not be seen whose robots.txt answered.
const (
	statusDetail = "status "
	robotsWhy    = "robots-"
)

// StatusDetail says for Hop.Detail which status came in place of what was needed: "status 503".
func StatusDetail(status int) string { return statusDetail + strconv.Itoa(status) }

// RobotsWhy is the key of Counts.Unseen for a robots.txt that answered with a status: "robots-503".
func RobotsWhy(status int) string { return robotsWhy + strconv.Itoa(status) }

// RobotsStatus returns what a robots.txt answered, 429 or 5xx, where why is a key of Counts.Unseen
// that says so, as "robots-503"; 0 for any other, FaultRobots among them: then nothing is known of
// an answer. A crawler stops for each of them, but what is to be done differs.
func RobotsStatus(why string) int {
	status, err := strconv.Atoi(strings.TrimPrefix(why, robotsWhy))
	if err != nil || !strings.HasPrefix(why, robotsWhy) {
		return 0
	}
	return status
}

// stoppedBy is why a hop that was not requested could not be seen: its fault, or what its
// robots.txt answered.
func stoppedBy(h *Hop) string {
	why := robotsWhy + strings.TrimPrefix(h.Detail, statusDetail)
	if h.Fault == FaultRobots && strings.HasPrefix(h.Detail, statusDetail) && RobotsStatus(why) > 0 {
		return why
	}
	return string(h.Fault)
}
