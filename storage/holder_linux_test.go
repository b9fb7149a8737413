package storage

import (
	"strings"
	"testing"
)

func TestLockPID(t *testing.T) {
	const locks = `1: POSIX  ADVISORY  WRITE 11 fe:00:77 0 EOF
2: FLOCK  ADVISORY  WRITE 22 08:01:77 0 EOF
2: -> FLOCK  ADVISORY  WRITE 33 fe:00:77 0 EOF
3: FLOCK  ADVISORY  READ  44 fe:00:77 0 EOF
4: FLOCK  ADVISORY  WRITE -1 103:02:78 0 EOF
5: FLOCK  ADVISORY  WRITE 55 103:02:79 0 EOF
6: FLOCK
`
	cases := map[string]struct {
		dev, inode uint64
		want       int
	}{
		"shared lock":                   {0xfe00, 77, 44},
		"the same inode elsewhere":      {0x0801, 77, 22},
		"held from outside a container": {0x10302, 78, 0},
		"large device number":           {0x10302, 79, 55},
		"nobody":                        {0xfe00, 1, 0},
	}
	for name, c := range cases {
		if got := lockPID(strings.NewReader(locks), c.dev, c.inode); got != c.want {
			t.Errorf("%s: got %d, want %d", name, got, c.want)
		}
	}
}
