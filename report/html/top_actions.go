package html

import (
	"cmp"
	"net/url"
	"path"
	"slices"
	"strings"

	"sitemend/crawler/audit"
	"sitemend/report/internal/conclude"
	"sitemend/report/internal/page"
	"sitemend/report/messages"
)

// An actionView is one thing to do.
type actionView struct {
	Kind                string
	Title, Text, Button page.Phrase
	Who                 page.Phrase
	Href                string
	Away, Filled        bool // Href leads to another site; it is the one button that is filled
	Copy                string
	Evidence            []evidenceView
	Command             string // the expert's; "" for none
	Notes               []noteView
}

// An evidenceView is a line under an action; Address is set where it is a name or an
// address.
type evidenceView struct {
	Count   int
	Text    page.Phrase
	Address string
}

type noteView struct {
	Text   page.Phrase
	Expert bool
}

// services are where something is to be done outside of the page.
var services = []string{"https://search.google.com/", "https://dash.cloudflare.com/"}

func isService(url string) bool {
	return slices.ContainsFunc(services, func(s string) bool { return strings.HasPrefix(url, s) })
}

// actionKinds are the colours of actions; the others have none.
var actionKinds = map[conclude.ActionKind]string{
	conclude.DoUpload: kindFix, conclude.DoWrite: kindFix, conclude.DoDecide: kindDecide, conclude.DoLeave: kindClean,
}

func actionViews(result *audit.Result, c *conclude.Conclusion, o Options) (out []actionView) {
	for _, a := range c.Actions {
		v := actionView{Kind: actionKinds[a.Kind], Title: phrase(a.Title), Text: phrase(a.Text),
			Button: phrase(a.Button), Who: phrase(a.Who), Filled: a.Filled,
			Command: page.Visible(a.Command)}
		switch command, copies := strings.CutPrefix(a.Target, "copy:"); {
		case copies:
			v.Copy = page.Visible(command)
		case a.Kind == conclude.DoUpload:
			v.Href = cmp.Or(folderOf(result, o), a.Target)
			if o.Served != "" {
				v.Href, v.Button = o.Served+"sitemaps.zip", page.Say(messages.Conclude(), "a-upload-zip")
			}
		default:
			v.Href = a.Target
			if v.Away = !strings.HasPrefix(a.Target, "#"); v.Away && !isService(a.Target) {
				v.Href = "" // what a site sends is no link
			}
		}
		for _, e := range a.Evidence {
			x := evidenceView{Count: e.Count, Text: arrowed(phrase(e.Text))}
			if !x.Text.Differs() {
				x.Address = x.Text.In(o.Lang)
			}
			if v.Copy == "" || x.Address != v.Copy {
				v.Evidence = append(v.Evidence, x)
			}
		}
		if n := phrase(a.Note); n != nil {
			v.Notes = append(v.Notes, noteView{Text: n})
		}
		if c.Spelling != nil && a.Kind == conclude.DoLook {
			check := page.CheckOf(audit.SpellingBounce, c.Spelling.Other)
			v.Notes = append(v.Notes, noteView{say("in-the-log", "command", page.Code(check)), true})
		}
		out = append(out, v)
	}
	return out
}

// arrowed writes the arrow of a pattern as the rest of the page does, and so that no line ends
// within it. The addresses of a pattern have no spaces.
func arrowed(p page.Phrase) page.Phrase {
	for i := range p {
		for j := range p[i].Runs {
			p[i].Runs[j].Text = strings.ReplaceAll(p[i].Runs[j].Text, " -> ", " → ")
		}
	}
	return p
}

// folderOf is a link to where the corrected files lie: the one there is, or the folder that
// has all of them. "" where none is written.
func folderOf(result *audit.Result, o Options) string {
	folder, names := "", 0
	for i := range result.Files {
		name := o.Written(i)
		if name == "" {
			continue
		}
		if names++; names == 1 {
			folder = name
			continue
		}
		folder = dirOf(folder)
		for folder != "" && !strings.HasPrefix(name, folder) {
			folder = dirOf(strings.TrimSuffix(folder, "/"))
		}
	}
	return relative(folder)
}

// dirOf is the folder of a name, with a slash at its end; "" for none.
func dirOf(name string) string {
	if strings.HasSuffix(name, "/") {
		return name
	}
	dir, _ := path.Split(name)
	return dir
}

// relative is a link to a file among the outputs, whatever its name has in it.
func relative(name string) string {
	segments := strings.Split(name, "/")
	for i, s := range segments {
		segments[i] = url.PathEscape(s)
	}
	link := strings.Join(segments, "/")
	if strings.Contains(segments[0], ":") {
		link = "./" + link
	}
	return link
}
