package html

import (
	"strings"

	"sitemend/crawler/audit"
)

// RulesOfCause are the lines of rules of a cause in English.
func RulesOfCause(c *audit.Cause) string {
	var b strings.Builder
	for _, line := range causeRules(c) {
		for _, text := range line {
			if text.Lang == "en" {
				for _, run := range text.Runs {
					b.WriteString(run.Text)
				}
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}
