package messages_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"sitemend/report/messages"
)

// A file of words has each key once: of two with one name the reader of JSON keeps the last, and
// whoever changes the first changes nothing.
func TestEachKeyIsThereOnce(t *testing.T) {
	for _, lang := range messages.Langs() {
		data, err := os.ReadFile(lang + ".json")
		if err != nil {
			t.Fatal(err)
		}
		twice, err := repeated(string(data))
		if err != nil || len(twice) > 0 {
			t.Errorf("%s.json has keys twice: %q, %v", lang, twice, err)
		}
	}
	for text, want := range map[string][]string{
		`{"a": "1", "b": {"a": "2"}}`:              nil, // each in its own object
		`{"a": "1", "b": {"c": "", "c": ""}}`:      {"/b/c"},
		`{"a": {"x": ""}, "b": "", "a": {}}`:       {"/a"},
		`{"a": [{"x": "", "x": ""}], "\u0061":""}`: {"/a/x", "/a"},
	} {
		if got, err := repeated(text); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s has keys twice: %q, %v, want %q", text, got, err, want)
		}
	}
}

// repeated returns the paths of the keys that an object of a JSON text has again.
func repeated(text string) (twice []string, err error) {
	in := json.NewDecoder(strings.NewReader(text))
	var value func(path string) error
	value = func(path string) error {
		token, err := in.Token()
		if err != nil {
			return err
		}
		seen := map[string]bool{}
		switch token {
		case json.Delim('{'):
			for in.More() {
				key, err := in.Token()
				if err != nil {
					return err
				}
				at := path + "/" + fmt.Sprint(key)
				if seen[at] {
					twice = append(twice, at)
				}
				seen[at] = true
				if err := value(at); err != nil {
					return err
				}
			}
		case json.Delim('['):
			for in.More() {
				if err := value(path); err != nil {
					return err
				}
			}
		default:
			return nil
		}
		_, err = in.Token() // what closes it
		return err
	}
	return twice, value("")
}
