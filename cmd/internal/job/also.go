package job

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"sitemend/cmd/internal/cli"
	"sitemend/crawler/audit"
	"sitemend/crawler/discover"
	"sitemend/storage"
)

// AlsoNone is the value of Spec.Also for no list.
const AlsoNone = "none"

// also reads --also.
func (f *Spec) also() (discover.Also, error) {
	also := discover.Also{Shelf: func() (audit.Shelf, io.Closer) {
		s := storage.NewSorter("")
		return shelf{s}, s
	}}
	known := audit.AlsoLists()
	if f.Also != nil && len(f.Also) == 0 { // a variable that is not set, most likely
		return also, cli.WithHint(errors.New("--also names nothing"), "--also takes "+strings.Join(AlsoNames(), ", "))
	}
	for _, name := range f.Also {
		if name != AlsoNone && !slices.Contains(known, audit.AlsoList(name)) {
			return also, cli.WithHint(fmt.Errorf("--also %q is unknown", name), cli.DidYouMean(name, AlsoNames())+"--also takes "+strings.Join(AlsoNames(), ", "))
		}
	}
	if slices.Contains(f.Also, AlsoNone) && len(f.Also) > 1 {
		return also, cli.WithHint(fmt.Errorf("--also %s: none is no list beside others", strings.Join(f.Also, ",")), "--also none crawls URLs alone")
	}
	for _, l := range known { // in this order, whatever that of the flag
		if slices.Contains(f.Also, string(l)) {
			also.Lists = append(also.Lists, l)
		}
	}
	return also, nil
}

// AlsoNames returns the values that --also takes, none last. The caller owns the slice.
func AlsoNames() (names []string) {
	for _, l := range audit.AlsoLists() {
		names = append(names, string(l))
	}
	return append(names, AlsoNone)
}
