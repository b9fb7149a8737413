package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"sitemend/crawler/address"
)

// release is the version of this source: the first heading of CHANGELOG.md.
const release = "0.1.0"

// stamp is the version that a release was built as. The linker sets it (.goreleaser.yaml):
// -X main.stamp=0.1.0.
var stamp string

// version is the version of the program, as SemVer has it: the one it was stamped with, else
// that of the tag it was built from, else release with the commit behind a plus sign.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	return cmp.Or(stamp, versionOf(info))
}

// untagged is how Go calls a commit without a tag (https://go.dev/ref/mod#pseudo-versions).
var untagged = regexp.MustCompile(`\d{14}-([0-9a-f]{12})(\+dirty)?$`)

// versionOf is the version by what the build knows of the module and its commit.
func versionOf(info *debug.BuildInfo) string {
	tag := info.Main.Version
	if pseudo := untagged.FindStringSubmatch(tag); pseudo != nil {
		return release + "+" + pseudo[1] + strings.Replace(pseudo[2], "+dirty", ".modified", 1)
	}
	if tag == "" || tag == "(devel)" {
		return release
	}
	return strings.Replace(strings.TrimPrefix(tag, "v"), "+dirty", "+modified", 1)
}

func newVersion(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, Go's version and the date of the Googlebot spelling model",
		Long: `Print the version, the Go version, and the date of the Googlebot spelling model.

Exit status: 0.`,
		Example: "  sitemend version",
		Args:    takes(0, 0, "no arguments"),
		RunE:    func(*cobra.Command, []string) error { return writeVersion(std.out) },
	}
}

func writeVersion(w io.Writer) error {
	_, err := fmt.Fprintf(w, "sitemend %s\n%s\nGooglebot spelling model of %s\n", version(), runtime.Version(), address.ModelDate)
	return err
}
