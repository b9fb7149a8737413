package main

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"path"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// faultsCommand prints the faults of summary.json as "FILE:LINE NAME: text", with how many
// places of them are counted and mended.
func faultsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: faults FILE")
	}
	var summary struct {
		Files []struct {
			Faults []struct {
				Sitemap, Name, Text string
				Line, Count, Mended int
			}
		}
	}
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &summary))
	for _, file := range summary.Files {
		for _, f := range file.Faults {
			at := path.Base(f.Sitemap)
			if f.Line > 0 {
				at += fmt.Sprintf(":%d", f.Line)
			}
			if f.Count > 0 {
				at += fmt.Sprintf(" (%d)", f.Count)
			}
			if f.Mended > 0 {
				at += fmt.Sprintf(" (mended %d)", f.Mended)
			}
			fmt.Fprintf(ts.Stdout(), "%s %s: %s\n", at, f.Name, f.Text)
		}
	}
}

// wholeCommand is a validator of hreflang that has nothing of ours: encoding/xml, and a map of
// all pages. Each page names itself and all that its alternates name, and is named by them.
func wholeCommand(ts *testscript.TestScript, neg bool, args []string) {
	type sitemap struct {
		URLs []struct {
			Loc   string `xml:"loc"`
			Links []struct {
				Lang string `xml:"hreflang,attr"`
				Href string `xml:"href,attr"`
			} `xml:"http://www.w3.org/1999/xhtml link"`
		} `xml:"url"`
	}
	sets := map[string]map[string]string{} // of each page: address by code
	for _, name := range args {
		var s sitemap
		ts.Check(xml.Unmarshal([]byte(ts.ReadFile(name)), &s))
		for _, u := range s.URLs {
			set := map[string]string{}
			for _, l := range u.Links {
				set[strings.ToLower(l.Lang)] = l.Href
			}
			sets[u.Loc] = set
		}
	}
	var wrong []string
	for page, set := range sets {
		self := len(set) == 0
		for _, to := range set {
			self = self || to == page
			if fmt.Sprint(sets[to]) != fmt.Sprint(set) {
				wrong = append(wrong, fmt.Sprintf("%s names %v, %s names %v", page, set, to, sets[to]))
			}
		}
		if !self {
			wrong = append(wrong, page+" does not name itself")
		}
	}
	if (len(wrong) > 0) != neg {
		ts.Fatalf("of %d pages:\n%s", len(sets), strings.Join(wrong, "\n"))
	}
}
