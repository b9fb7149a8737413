package accesslog

import "bytes"

// Packings, and encodings of text, that are recognized but not read; Command returns what converts
// them to text.
const (
	XZ      Packing = "xz"
	Bzip2   Packing = "bzip2"
	Zip     Packing = "zip"
	UTF16LE Packing = "UTF-16LE"
	UTF16BE Packing = "UTF-16BE"
)

// Command returns the command that writes the unpacked text of FILE to standard output; "" for a
// packing that can be read.
func (p Packing) Command() string {
	switch p {
	case XZ:
		return "xz -dc FILE"
	case Bzip2:
		return "bzip2 -dc FILE"
	case Zip:
		return "unzip -p FILE"
	case UTF16LE, UTF16BE:
		return "iconv -f " + string(p) + " -t UTF-8 FILE"
	}
	return ""
}

// unread returns what a log is that cannot be read, by its first bytes; "" for all others. The
// magic numbers are those of the .xz file format 1.1.0 (2.1.1.1), of bzip2 (with the block that
// follows, since a line may begin with "BZh"), of APPNOTE.TXT 4.3.7 and of the byte order mark.
// UTF-16 without one is recognized by its NULs, which no log contains.
func unread(head []byte) Packing {
	switch {
	case bytes.HasPrefix(head, []byte("\xfd7zXZ\x00")):
		return XZ
	case len(head) >= headSize && bytes.HasPrefix(head, []byte("BZh")) &&
		bzip2Block(head[4:headSize]):
		return Bzip2
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return Zip
	case bytes.HasPrefix(head, []byte("\xff\xfe")), nulsAt(head, 1):
		return UTF16LE
	case bytes.HasPrefix(head, []byte("\xfe\xff")), nulsAt(head, 0):
		return UTF16BE
	}
	return ""
}

// bzip2Block reports whether b begins like a block of bzip2, or like the end of a file without
// blocks.
func bzip2Block(b []byte) bool {
	return bytes.Equal(b, []byte("\x31\x41\x59\x26\x53\x59")) ||
		bytes.Equal(b, []byte("\x17\x72\x45\x38\x50\x90"))
}

// nulsAt reports whether in each pair of bytes of head the one at place is NUL and the other is
// not.
func nulsAt(head []byte, place int) bool {
	for i, c := range head {
		if (c == 0) != (i%2 == place) {
			return false
		}
	}
	return len(head) == headSize
}
