package job

import (
	"context"
	"strings"

	"sitemend/crawler/audit"
)

// A Scope says which entries are audited as which robot: audits of the same Scope can be set
// beside one another.
type Scope struct {
	Targets        []string
	Identity, Part string
	Site           string // the folder of a build
	Agent          string // the User-Agent header; its versions are one, and "" (not recorded) is any
}

// Has reports whether an audit is of the scope.
func (s Scope) Has(info audit.Info) bool {
	return s.Equal(scopeOf(&info))
}

func scopeOf(i *audit.Info) Scope { return Scope{i.Targets, i.Identity, i.Part, i.Site, i.Agent} }

// Equal reports whether two scopes are the same.
func (s Scope) Equal(t Scope) bool {
	return s.Identity == t.Identity && sameAgent(s.Agent, t.Agent) && s.Part == t.Part && s.Site == t.Site && audit.SameTargets(s.Targets, t.Targets)
}

// Key returns a text that scopes which are Equal have in common. Those of one Key may differ in the agent.
func (s Scope) Key() string {
	return strings.Join(append([]string{s.Identity, s.Part, s.Site}, audit.SpeltTargets(s.Targets)...), "\x00")
}

// sameAgent reports whether two agents are one, as far as is known.
func sameAgent(a, b string) bool { return a == "" || b == "" || unversioned(a) == unversioned(b) }

// unversioned is an agent without what changes with each version of its program.
func unversioned(agent string) string {
	return strings.Map(func(r rune) rune {
		if r == '.' || '0' <= r && r <= '9' {
			return -1
		}
		return r
	}, agent)
}

// Check looks at a Spec as Run does before it begins, and returns the scope of its audits. It
// reads the files that the Spec names, and touches neither network nor store.
func Check(s Spec, env Env) (Scope, error) {
	j, err := newJob(context.Background(), &s, env)
	if err != nil {
		return Scope{}, err
	}
	scope := Scope{j.targets(), j.o.Ask.Identity.Name, j.f.part(), j.f.Site.Dir, j.o.Ask.Identity.Agent}
	return scope, j.closers.Close()
}
