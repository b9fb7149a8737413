package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"sitemend/crawler/address"
)

// version is the version of the program: what the build knows of the module, or
// "dev".
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return "dev"
	}
	return info.Main.Version
}

func newVersion(std stdio) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, Go's version and the date of the Googlebot spelling model",
		Long: `Print the version of sitemend, the Go version it was built with, and the date of
its model of how Googlebot spells addresses.

Exit status: 0.`,
		Example: "  sitemend version",
		Args:    atMost(0, "no arguments"),
		RunE:    func(*cobra.Command, []string) error { return writeVersion(std.out) },
	}
}

func writeVersion(w io.Writer) error {
	_, err := fmt.Fprintf(w, "sitemend %s\n%s\nGooglebot spelling model of %s\n", version(), runtime.Version(), address.ModelDate)
	return err
}
