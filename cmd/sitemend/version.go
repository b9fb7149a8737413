package main

import (
	"cmp"
	"fmt"
	"runtime"

	"github.com/spf13/cobra"

	"sitemend/crawler/address"
)

// release is the version of this source: the first heading of CHANGELOG.md.
const release = "0.1.0"

// stamp is the version that a release was built as. The linker sets it (.goreleaser.yaml):
// -X main.stamp=0.1.0.
var stamp string

// version is the version of the program: the one it was stamped with, else that of this source.
func version() string { return cmp.Or(stamp, release) }

func newVersion(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, Go's version and the date of the Googlebot spelling model",
		Long: `Print the version, the Go version, and the date of the Googlebot spelling model.

Exit status: 0.`,
		Example: "  sitemend version",
		Args:    takes(0, 0, "no arguments"),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintf(std.out, "sitemend %s\n%s\nGooglebot spelling model of %s\n", version(), runtime.Version(), address.ModelDate)
			return err
		},
	}
}
