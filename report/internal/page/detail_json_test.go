package page

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// MarshalJSON is how encoding/json writes a Piece.
func (p Piece) MarshalJSON() ([]byte, error) { return json.Marshal(string(p.Mark) + p.Text) }

// A detail is written as encoding/json writes it.
func TestDetailAsJSON(t *testing.T) {
	text := rapid.OneOf(rapid.Just(""), rapid.String(), rapid.StringMatching(`[ -~<>&"\\]{0,20}`), rapid.SampledFrom([]string{"\u2028", "\xff", "日本", "a\x00b"}))
	number := rapid.IntRange(-1, 600)
	pieces := func(least int) *rapid.Generator[[]Piece] {
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Piece {
			return Piece{rapid.SampledFrom([]byte("=~+-")).Draw(t, "mark"), text.Draw(t, "text")}
		}), least, 4)
	}
	steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Step {
		return Step{URL: pieces(1).Draw(t, "url"), Readable: text.Draw(t, "readable"), Status: number.Draw(t, "status"), Fault: text.Draw(t, "fault"),
			Detail: text.Draw(t, "detail"), Kind: text.Draw(t, "kind"), Temporary: rapid.Bool().Draw(t, "temporary"), Location: text.Draw(t, "location"),
			Robots: text.Draw(t, "robots"), Line: number.Draw(t, "line"), Challenge: text.Draw(t, "challenge"), MS: number.Draw(t, "ms")}
	}), 0, 3)
	truth := rapid.Bool()
	crawls := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Crawl {
		return Crawl{text.Draw(t, "robot"), text.Draw(t, "other"), truth.Draw(t, "unspelt"), number.Draw(t, "requests"), text.Draw(t, "first"),
			text.Draw(t, "last"), text.Draw(t, "answers"), number.Draw(t, "latest"), truth.Draw(t, "edge")}
	}), 0, 3)
	kept := rapid.Custom(func(t *rapid.T) Kept {
		return Kept{text.Draw(t, "state"), text.Draw(t, "verdict"), text.Draw(t, "canonical"), text.Draw(t, "declared"), text.Draw(t, "crawled"),
			text.Draw(t, "agrees"), text.Draw(t, "failure"), text.Draw(t, "known"), text.Draw(t, "asked")}
	})
	rapid.Check(t, func(t *rapid.T) {
		d := Detail{Steps: steps.Draw(t, "steps"), End: text.Draw(t, "end"), Other: steps.Draw(t, "other"), OtherEnd: text.Draw(t, "other end"),
			Fix: pieces(0).Draw(t, "fix"), Why: text.Draw(t, "why"), Why1: text.Draw(t, "why 1"), Why2: text.Draw(t, "why 2"), Policy: text.Draw(t, "policy"), Syntax: text.Draw(t, "syntax"),
			Title: text.Draw(t, "title"), Canon: pieces(0).Draw(t, "canonical"), Robots: text.Draw(t, "robots"), At: text.Draw(t, "at"),
			Evidence: Evidence{crawls.Draw(t, "crawled"), truth.Draw(t, "never"), truth.Draw(t, "day"), kept.Draw(t, "kept")}}
		want, err := json.Marshal(d)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(d.AppendJSON([]byte("{"))); got != "{"+string(want) {
			t.Fatalf("wrote\n%s\nencoding/json\n%s", got[1:], want)
		}
	})
}
