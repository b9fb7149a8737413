package job

import (
	"errors"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
	"sitemend/report/messages"
)

// letIn is the hint of an error that says that a site refused us, or did not answer.
// unseen counts what could not be seen by why, as audit.Counts.Unseen does.
func letIn(info *audit.Info, unseen map[string]int) string {
	ways := messages.Of("en").LetIn(info, unseen)
	if len(ways) == 0 {
		ways = []string{"Check the name and the network, or ask more slowly (--rate 1)."}
	}
	return strings.ReplaceAll(strings.Join(ways, " "), "`", "") + " --resolve or --map audit from inside."
}

// letInto adds to the error of a site that refused us its sitemaps how to be let in. now
// is what is known of the audit.
func letInto(err error, now func() (audit.Info, error)) error {
	var none *discover.Error
	if !errors.As(err, &none) || len(none.Refused) == 0 {
		return err
	}
	info, e := now()
	if e != nil {
		return errors.Join(err, e)
	}
	hint := letIn(&info, none.Refused)
	if none.Fix != "" {
		hint += "; or " + none.Fix
	}
	return cli.WithHint(err, hint)
}
