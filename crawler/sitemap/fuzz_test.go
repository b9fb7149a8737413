package sitemap

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func seeds(f *testing.F) {
	for _, c := range marked {
		text, _, _ := unmark(c.in)
		f.Add([]byte(text), uint64(len(text)))
	}
	for _, c := range rewrites {
		f.Add([]byte(c.in), uint64(1))
	}
	for _, s := range []string{
		"<urlset><url><loc>a</loc></url>\x00", "\xff\xfe<\x00u\x00r\x00l\x00>\x00",
		`<?xml version="1.0" encoding="Shift_JIS"?><url><loc>` + "\x83\x5c</loc></url>",
		`<?xml version="1.0" encoding="gb18030"?><url><loc>` + "\x81\x30\x81\x30</loc></url>",
		strings.Repeat("<a>", 600) + "<url><loc>x</loc></url>" + strings.Repeat("</a>", 600),
	} {
		f.Add([]byte(s), uint64(2))
		f.Add(packed(f, s), uint64(3))
	}
}

// unpackAll returns the unpacked text of a file.
func unpackAll(t *testing.T, file []byte) []byte {
	t.Helper()
	s := &source{in: &input{r: bytes.NewReader(file)}}
	s.Reader = bufio.NewReader(s.in)
	for len(s.layers) < maxLayers && s.unpack() {
	}
	text, err := io.ReadAll(s)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func readAll(r io.Reader, o Options) ([]Entry, Info, error) {
	var list []Entry
	info, err := Read(r, o, func(e Entry) error { list = append(list, e); return nil })
	return list, info, err
}

// The laws of Rewrite, for any bytes: without edits the file is the same; the
// entries of an edited file are those of the original with the edits applied; and
// every byte outside what was edited is the same.
func FuzzRewrite(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, file []byte, seed uint64) {
		before, _, err := readAll(bytes.NewReader(file), Options{})
		var format *FormatError
		if err != nil && !errors.As(err, &format) {
			t.Fatalf("Read: %v", err)
		}
		sameInSmallSteps(t, file, before)
		var out bytes.Buffer
		res, err2 := Rewrite(bytes.NewReader(file), &out, unedited)
		if res.Entries != len(before) || (err == nil) != (err2 == nil) {
			t.Fatalf("Rewrite finds %d entries (%v), Read %d (%v)", res.Entries, err2, len(before), err)
		}
		text := unpackAll(t, file)
		if e, _ := utf16Of(text); e != nil { // half a pair is read as U+FFFD
			return
		}
		if !bytes.Equal(unpackAll(t, out.Bytes()), text) {
			t.Fatalf("without edits %q became %q", text, unpackAll(t, out.Bytes()))
		}
		if err == nil {
			editedReadsBack(t, file, before, newRandom(seed))
		}
	})
}

// sameInSmallSteps reads the file again byte by byte, through the smallest window.
func sameInSmallSteps(t *testing.T, file []byte, want []Entry) {
	t.Helper()
	if len(file) > 10_000 {
		return
	}
	got, _, _ := readAll(iotest.OneByteReader(bytes.NewReader(file)), Options{scale: windows(1)})
	if !slices.Equal(got, want) {
		t.Fatalf("byte by byte the entries are %v, else %v", got, want)
	}
}

// editedReadsBack makes edits at random and reads the result.
func editedReadsBack(t *testing.T, file []byte, before []Entry, random *rand.Rand) {
	t.Helper()
	list := make([]Edit, len(before))
	var want []string
	for i, e := range before {
		switch random.IntN(3) {
		case 0:
			list[i] = Edit{Action: Replace, Loc: []string{"http://new/", "https://n/?a=1&b='2'", "http://<\">/"}[random.IntN(3)]}
			want = append(want, list[i].Loc)
			continue
		case 1:
			if e.Element.End != 0 {
				list[i].Action = Drop
				continue
			}
		}
		want = append(want, e.Loc)
	}
	var out bytes.Buffer
	res, err := Rewrite(bytes.NewReader(file), &out, Edits{Entry: func(n int, _ []byte) (Edit, error) { return list[n], nil }})
	if err != nil || res.Kept > 0 {
		t.Fatalf("Rewrite: %+v, %v", res, err)
	}
	after, info, err := readAll(bytes.NewReader(out.Bytes()), Options{})
	_, old, _ := readAll(bytes.NewReader(file), Options{})
	if len(after)+len(want) == 0 || info.Kind != old.Kind && (old.Kind == Text || !looksXML(out.Bytes())) {
		return // the result is not a sitemap, or not XML, any more
	}
	var got []string
	for _, e := range after {
		got = append(got, e.Loc)
	}
	if err != nil || !slices.Equal(got, want) {
		t.Fatalf("after %v the entries are %q (%v), want %q\n in %q\nout %q", list, got, err, want, file, out.Bytes())
	}
}

func newRandom(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0)) }

func looksXML(b []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(b), []byte("<")) }
