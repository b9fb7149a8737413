package main

import (
	"slices"
	"strings"
)

// meantFor are words that people write for those of --fail-on and --fix: statuses and
// everyday names.
var meantFor = map[string]string{
	"404": "not-found", "410": "not-found", "gone": "not-found", "missing": "not-found", "notfound": "not-found", "broken": "problem",
	"redirect": "problem", "redirects": "problem", "redirected": "problem", "3xx": "problem", "301": "moved", "308": "moved", "permanent": "moved",
	"302": "temporary", "303": "temporary", "307": "temporary", "5xx": "error", "4xx": "error", "500": "error", "502": "error", "504": "error",
	"errors": "error", "401": "unverified", "403": "unverified", "429": "unverified", "503": "unverified", "timeout": "unverified", "blocked": "disallowed",
	"robots": "disallowed", "robots.txt": "disallowed", "soft404": "soft-404", "canonical": "noncanonical", "canonicalized": "noncanonical",
	"all": "any", "everything": "any", "warning": "any", "warnings": "any", "home": "homepage", "external": "offsite", "encoding": "respelled",
	"never": "none", "off": "none", "no": "none", "false": "none", "true": "problem", "yes": "problem", "fault": "faults",
}

// formatFor are words that people write for formats.
var formatFor = map[string]string{
	"excel": "xlsx", "xls": "xlsx", "ods": "xlsx", "spreadsheet": "xlsx", "workbook": "xlsx", "json": "jsonl", "ndjson": "jsonl", "markdown": "md",
	"htm": "html", "report": "html", "xml": "junit", "tsv": "csv", "text": "md", "txt": "md",
}

// meant returns which of the known words somebody who wrote word most likely meant:
// one of these in other letters, signs or number, one that begins so, or what others
// has for it, where that is known; "" for none.
func meant(word string, known []string, others map[string]string) string {
	bare := func(s string) string {
		return strings.TrimSuffix(strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s)), "s")
	}
	if to := others[strings.ToLower(word)]; slices.Contains(known, to) {
		return to
	}
	for _, k := range known {
		if bare(k) == bare(word) {
			return k
		}
	}
	for _, k := range known {
		if len(word) > 2 && strings.HasPrefix(bare(k), bare(word)) {
			return k
		}
	}
	return ""
}

// didYouMean begins a hint: "did you mean not-found? ", or "" for nothing.
func didYouMean(word string) string {
	if word == "" {
		return ""
	}
	return "did you mean " + word + "? "
}
