package messages

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"sitemend/crawler/audit"
)

// LetIn returns how to allow the crawler where answers refused it, a sentence without a full stop
// for each kind of refusal; nil where nothing was refused. Of info it uses the hosts that were
// given up, the identity, and whether secrets were sent; unseen has the number of entries that
// could not be crawled by cause, as audit.Counts.Unseen. In a sentence, `code` stands between
// backticks.
//
// It never advises allowing a user agent, because anybody can claim one.
func (c *Catalogue) LetIn(info *audit.Info, unseen map[string]int) []string {
	kinds, names := refusals(c, info, unseen)
	var out []string
	say := func(kind string, pairs ...string) {
		if kinds[kind] {
			out = append(out, c.Text("letin-"+kind, pairs...))
		}
	}
	if len(info.Rules.Secret) > 0 && kinds["401"] {
		kinds["401"], kinds["401-sent"] = false, true
	}
	say("401")
	say("401-sent")
	where := c.Text("letin-firewall")
	if len(names) > 0 {
		where = strings.Join(names, c.Text("letin-and"))
	}
	say("403", "where", where)
	if kinds["403"] && info.Identity != "browser" {
		kinds["name"] = true
		say("name", "as", c.Identity(info.Identity))
	}
	say("407")
	if host, wait := info.Wait(); host != "" {
		kinds["wait"] = kinds["429"] || kinds["503"]
		say("wait", "host", host, "wait", c.Wait(wait))
	}
	rate := info.Slower()
	say("429", "rate", rate)
	say("503", "rate", rate)
	say("none", "rate", rate)
	return out
}

// refusals are the kinds of refusal that an audit met, by their status, and the bot
// protections that answered, sorted.
func refusals(c *Catalogue, info *audit.Info, unseen map[string]int) (kinds map[string]bool, names []string) {
	kinds = map[string]bool{}
	for why, n := range unseen {
		_, err := strconv.Atoi(why)
		_, fault := c.Faults[why]
		switch {
		case n == 0 || fault || audit.RobotsStatus(why) > 0 || why == string(audit.Unsteady):
		case err == nil:
			kinds[why] = true
		default:
			kinds["403"] = true
			if why != captcha {
				names = append(names, why)
			}
		}
	}
	for status := range maps.Values(info.Abandoned) {
		kind := "none"
		if status != 0 {
			kind = strconv.Itoa(status)
		}
		kinds[kind] = true
	}
	slices.Sort(names)
	return kinds, names
}

// captcha is the name of a test for people by an unknown vendor.
const captcha = "captcha"
