package main

import (
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/address"
	"sitemend/crawler/fetch"
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
		Short: "Print the version, Go's version and the dates of what it knows of Googlebot",
		Long: `Print the version of sitemend, the Go version it was built with, the date of its
model of how Googlebot spells addresses, that of the address ranges by which logs
tells robots, and the version of Chrome that it sends in the user agent, as Googlebot
does, with the day on which that was the stable one. What is older than six months is said to be: Googlebot is further by then.

Exit status: 0.`,
		Example: "  sitemend version",
		Args:    atMost(0, "no arguments"),
		RunE:    func(*cobra.Command, []string) error { return writeVersion(std.out, time.Now()) },
	}
}

// writeVersion writes what version prints at the time now.
func writeVersion(w io.Writer, now time.Time) error {
	chrome := fetch.Chrome
	old := ""
	if chrome.Old(now) {
		old = "\n  older than six months: a newer sitemend, or --user-agent with the version of today (" + chrome.Where + ")"
	}
	_, err := fmt.Fprintf(w, "sitemend %s\n%s\nGooglebot spelling model of %s\naddress ranges of robots as of %s\n%s %s in the user agent, the stable version on %s%s\n",
		version(), runtime.Version(), address.ModelDate, accesslog.KnownDate, chrome.Name, chrome.Value, chrome.Day.Format(time.DateOnly), old)
	return err
}
