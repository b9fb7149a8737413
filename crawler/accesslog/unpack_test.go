package accesslog_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"sitemend/crawler/accesslog"
)

// requestsFor returns lines of a log, one for each target.
func requestsFor(targets ...string) string {
	var b strings.Builder
	for _, target := range targets {
		fmt.Fprintf(&b, `66.249.66.1 - - [03/Nov/2026:12:00:00 +0000] "GET %s HTTP/1.1" 200 5`+"\n", target)
	}
	return b.String()
}

// gzipped returns a member of gzip.
func gzipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, err1 := z.Write([]byte(text))
	if err := errors.Join(err1, z.Close()); err != nil {
		panic(err)
	}
	return b.String()
}

// zstded returns a frame of zstd.
func zstded(text string, o ...zstd.EOption) string {
	z, err := zstd.NewWriter(nil, o...)
	if err != nil {
		panic(err)
	}
	return string(z.EncodeAll([]byte(text), nil))
}

// unpacked reads a log and returns the requested targets, the changes of packing, and the error.
func unpacked(r io.Reader) (targets, follows []string, err error) {
	o := accesslog.Options{Follows: func(is, was accesslog.Packing, at int64) {
		follows = append(follows, fmt.Sprintf("%s after %s at %d", is, was, at))
	}}
	_, err = accesslog.Read(context.Background(), r, o, func(r *accesslog.Request) error {
		targets = append(targets, string(r.Target))
		return nil
	})
	return targets, follows, err
}

// TestPacking: each part of a log is read, however it is packed, and an error has the place of what
// is not read.
func TestPacking(t *testing.T) {
	a, b, c := requestsFor("/a"), requestsFor("/b"), requestsFor("/c")
	middle := len(b) / 2
	za, zb := zstded(a), zstded(b, zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true))
	ga, gb := gzipped(a), gzipped(b)
	const skipped = "\x53\x2a\x4d\x18\x05\x00\x00\x00(\xb5/\xfd\x00"
	spoilt := []byte(gb)
	spoilt[len(spoilt)-8] ^= 1 // its checksum
	for name, x := range map[string]struct {
		log     string
		targets string
		follows []string
		err     error
		says    string
	}{
		"text":             {log: a + b, targets: "/a /b"},
		"gzip":             {log: ga, targets: "/a"},
		"members":          {log: ga + gb + gzipped(c), targets: "/a /b /c"},
		"a line in two":    {log: gzipped(a+b[:middle]) + gzipped(b[middle:]), targets: "/a /b"},
		"empty members":    {log: gzipped("") + ga + gzipped(""), targets: "/a"},
		"frames":           {log: za + zb + zstded("") + zstded(c), targets: "/a /b /c"},
		"skippable frames": {log: skipped + za + skipped + zb + skipped, targets: "/a /b"},
		"many blocks":      {log: zstded(strings.Repeat(a, 20_000)) + zb, targets: strings.Repeat("/a ", 20_000) + "/b"},
		"gzip after zstd":  {log: za + gb, targets: "/a /b", follows: []string{fmt.Sprint("gzip after zstd at ", len(za))}},
		"zstd after gzip":  {log: ga + zb, targets: "/a /b", follows: []string{fmt.Sprint("zstd after gzip at ", len(ga))}},
		"text after gzip":  {log: ga + b, targets: "/a /b", follows: []string{fmt.Sprint("text after gzip at ", len(ga))}},
		"text after zstd":  {log: zb + "\n" + a, targets: "/b /a", follows: []string{fmt.Sprint("text after zstd at ", len(zb))}},
		"gzip after text":  {log: a + gb, targets: "/a /b", follows: []string{fmt.Sprint("gzip after text at ", len(a))}},
		"cat access.log*": {log: a + zb + gzipped(c) + a, targets: "/a /b /c /a", follows: []string{
			fmt.Sprint("zstd after text at ", len(a)), fmt.Sprint("gzip after zstd at ", len(a+zb)), fmt.Sprint("text after gzip at ", len(a+zb+gzipped(c)))}},
		"padding":          {log: ga + strings.Repeat("\x00", 700), targets: "/a"},
		"padding between":  {log: ga + strings.Repeat("\x00", 700) + gb, targets: "/a /b"},
		"within a line":    {log: "x" + ga + "\n" + a, targets: "/a"},
		"a line like gzip": {log: a + "\x1f\x8b\x08\xff\n" + b, targets: "/a /b"},
		"a line like zstd": {log: a + "(\xb5/\n" + b, targets: "/a /b"},
		"something after":  {log: ga + "\x01\x02\x03", targets: "/a", err: accesslog.ErrRest, says: fmt.Sprintf("after its gzip, at byte %d: what follows is neither", len(ga))},
		"a checksum that fails": {log: ga + string(spoilt), targets: "/a /b", err: accesslog.ErrDamaged,
			says: fmt.Sprintf("it is damaged: the gzip that begins at byte %d, before byte %d:", len(ga), len(ga+gb))},
		"gzip cut off": {log: za + gb[:len(gb)-3], targets: "/a /b", follows: []string{fmt.Sprint("gzip after zstd at ", len(za))}, err: accesslog.ErrCut,
			says: fmt.Sprintf("it is cut off: the gzip that begins at byte %d does not end, the file does, at byte %d", len(za), len(za+gb)-3)},
		"zstd cut off": {log: za + zb[:len(zb)-3], targets: "/a", err: accesslog.ErrCut},
	} {
		for how, r := range map[string]io.Reader{"whole": strings.NewReader(x.log), "by the octet": iotest.OneByteReader(strings.NewReader(x.log))} {
			if how == "by the octet" && len(x.log) > 10_000 {
				continue
			}
			targets, follows, err := unpacked(r)
			if strings.Join(targets, " ") != x.targets || !slices.Equal(follows, x.follows) || !errors.Is(err, x.err) || err != nil && (x.err == nil || !strings.Contains(err.Error(), x.says)) {
				t.Errorf("%s, %s: got %.200q, %q, %v; want %.200q, %q, %v %s", name, how, targets, follows, err, x.targets, x.follows, x.err, x.says)
			}
		}
	}
}

// TestUnread: a log in a form that cannot be read is reported as such, and a line that begins like
// one is text.
func TestUnread(t *testing.T) {
	line := requestsFor("/a")
	wide := func(order func([]byte, uint16) []byte) string {
		var b []byte
		for _, c := range []byte(line) {
			b = order(b, uint16(c))
		}
		return string(b)
	}
	little, big := wide(binary.LittleEndian.AppendUint16), wide(binary.BigEndian.AppendUint16)
	for name, x := range map[string]struct {
		log  string
		form accesslog.Packing
		hint string
	}{
		"xz":                    {"\xfd7zXZ\x00\x00\x04\xe6\xd6\xb4\x46", accesslog.XZ, "xz -dc FILE"},
		"bzip2":                 {"BZh91AY&SY\x6e\x05", accesslog.Bzip2, "bzip2 -dc FILE"},
		"bzip2 of nothing":      {"BZh9\x17rE8P\x90\x00\x00\x00\x00", accesslog.Bzip2, "bzip2 -dc FILE"},
		"zip":                   {"PK\x03\x04\x14\x00\x00\x00\x08\x00", accesslog.Zip, "unzip -p FILE"},
		"UTF-16":                {"\xff\xfe" + little, accesslog.UTF16LE, "iconv -f UTF-16LE -t UTF-8 FILE"},
		"UTF-16, big":           {"\xfe\xff" + big, accesslog.UTF16BE, "iconv -f UTF-16BE -t UTF-8 FILE"},
		"UTF-16 without mark":   {little, accesslog.UTF16LE, "iconv -f UTF-16LE -t UTF-8 FILE"},
		"big, without mark":     {big, accesslog.UTF16BE, "iconv -f UTF-16BE -t UTF-8 FILE"},
		"a line like bzip2":     {"BZh9 is a user\n" + line, "", ""},
		"a line like zip":       {"PK is a user\n" + line, "", ""},
		"UTF-8 with its mark":   {"\xef\xbb\xbf" + line, "", ""},
		"NULs that a disk left": {"\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\n" + line, "", ""},
	} {
		for how, r := range map[string]io.Reader{"whole": strings.NewReader(x.log), "by the octet": iotest.OneByteReader(strings.NewReader(x.log))} {
			targets, _, err := unpacked(r)
			var unread *accesslog.UnpackError
			switch {
			case x.form == "" && (err != nil || !slices.Equal(targets, []string{"/a"})):
				t.Errorf("%s, %s: got %q, %v", name, how, targets, err)
			case x.form != "" && (!errors.Is(err, accesslog.ErrUnread) || !errors.As(err, &unread) || unread.Packing != x.form || unread.Packing.Command() != x.hint || len(targets) > 0):
				t.Errorf("%s, %s: got %q, %v, want %s", name, how, targets, err, x.form)
			}
		}
	}
}

// TestCutAnywhere: wherever a packed log is cut off, that is reported, and only its own lines are
// read.
func TestCutAnywhere(t *testing.T) {
	a, b := requestsFor("/a1", "/a2"), requestsFor("/b")
	first := gzipped(a)
	log := first + zstded(b)
	all := []string{"/a1", "/a2", "/b"}
	for n := 1; n <= len(log); n++ {
		whole := n == len(first) || n == len(log)
		targets, _, err := unpacked(strings.NewReader(log[:n]))
		// A cut magic number is not a part.
		said := errors.Is(err, accesslog.ErrCut) || errors.Is(err, accesslog.ErrRest) || n == 1 || n > len(first) && n < len(first)+4
		if whole != (err == nil) && !said || len(targets) > len(all) || !slices.Equal(targets, all[:len(targets)]) {
			t.Errorf("%d of %d octets: %q, %v", n, len(log), targets, err)
		}
	}
}

// FuzzUnpack: whatever follows a log is read, or is an error with a place; and the result does not
// depend on how the bytes arrive.
func FuzzUnpack(f *testing.F) {
	a := requestsFor("/a")
	for _, seed := range []string{"", a, gzipped(a), zstded(a), gzipped(a) + "\x00\x00" + zstded(a), "\x1f\x8b\x08\x00", "(\xb5/\xfd\x04\x00", "\x50\x2a\x4d\x18\x00\x00\x00\x00"} {
		f.Add([]byte(seed), true)
		f.Add([]byte(seed), false)
	}
	f.Fuzz(func(t *testing.T, rest []byte, packed bool) {
		log := append([]byte(a), rest...)
		if packed {
			log = append([]byte(gzipped(a)), rest...)
		}
		targets, follows, err := unpacked(bytes.NewReader(log))
		if len(targets) == 0 || targets[0] != "/a" {
			t.Errorf("what came first was not read: %q, %v", targets, err)
		}
		var broken *accesslog.UnpackError
		if err != nil && (!errors.As(err, &broken) || broken.From < int64(len(log)-len(rest)) || broken.From > broken.To || broken.To > int64(len(log))) {
			t.Errorf("of %d octets: %v", len(log), err)
		}
		again, followsAgain, errAgain := unpacked(iotest.HalfReader(bytes.NewReader(log)))
		if !slices.Equal(targets, again) || !slices.Equal(follows, followsAgain) || fmt.Sprint(err) != fmt.Sprint(errAgain) {
			t.Errorf("in pieces: %q %q %v, want %q %q %v", again, followsAgain, errAgain, targets, follows, err)
		}
	})
}
