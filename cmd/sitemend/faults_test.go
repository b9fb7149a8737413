package main

import (
	"encoding/json"
	"fmt"
	"path"

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
