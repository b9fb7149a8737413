package main

import (
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/words"
)

// letIn is the hint of an error that says that a site refused us, or did not answer.
// unseen counts what could not be seen by why, as audit.Counts.Unseen does.
func letIn(info *audit.Info, unseen map[string]int) string {
	ways := words.Of("en").LetIn(info, unseen)
	if len(ways) == 0 {
		ways = []string{"check the name and the network, or ask more slowly (--rate 1)"}
	}
	return strings.ReplaceAll(strings.Join(ways, "; "), "`", "") + "; --resolve or --map audit from inside"
}
