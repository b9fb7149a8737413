package main

import (
	"encoding/csv"
	"fmt"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// columnsCommand prints columns of a CSV file, by their names, a line for each of its lines.
func columnsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: columns FILE NAME...")
	}
	all, err := csv.NewReader(strings.NewReader(strings.TrimPrefix(ts.ReadFile(args[0]), "\uFEFF"))).ReadAll()
	ts.Check(err)
	for _, line := range all[1:] {
		var cells []string
		for _, name := range args[1:] {
			at := slices.Index(all[0], name)
			if at < 0 {
				ts.Fatalf("%s has no column %q", args[0], name)
			}
			cells = append(cells, line[at])
		}
		fmt.Fprintln(ts.Stdout(), strings.Join(cells, " | "))
	}
}
