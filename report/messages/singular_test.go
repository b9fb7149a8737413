package messages_test

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"
)

// A counted is a number that stands before a word for several.
var counted = regexp.MustCompile(`\{(\w+)\} (?:\w+ )?(URLs|files|causes|faults|sitemaps|pages|redirects|links|warnings|errors|edits|requests|corrections|rows|places|hosts|decisions|audits|sitemaps)\b`)

// verb are names that redirect, and no number.
var verb = map[string]bool{"{1} redirects": true, "{site} redirects": true}

// severals are the texts whose number is never 1.
var severals = []string{
	"/notes/hops/what",                       // chains have two redirects and more
	"/whys/braked", "/conclude/alarm-braked", // of more than ten
	"/page/cut", // the first thousands
}

// Whatever is counted, one of it is told as one: the text chooses its word by the number, has
// a form for one, or is of several by its nature.
func TestOneIsSaidAsOne(t *testing.T) {
	data, err := os.ReadFile("en.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(data, &all); err != nil {
		t.Fatal(err)
	}
	choice, used := regexp.MustCompile(`\{\w+:[^}]*\}`), map[string]bool{}
	var walk func(path string, texts map[string]any)
	walk = func(path string, texts map[string]any) {
		for key, v := range texts {
			at := path + "/" + key
			switch v := v.(type) {
			case map[string]any:
				walk(at, v)
			case string:
				m := counted.FindStringSubmatch(choice.ReplaceAllString(v, "X"))
				if m == nil || verb[m[0]] {
					continue
				}
				used[at] = true
				if !contains(severals, at) {
					t.Errorf("%s says %q of one, too: %s", at, m[0], v)
				}
			}
		}
	}
	walk("", all)
	for _, at := range severals {
		if !used[at] {
			t.Errorf("%s is no text with a number before a word for several", at)
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}
