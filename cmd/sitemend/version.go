package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sitemend/crawler/accesslog"
	"sitemend/crawler/address"
	"sitemend/crawler/fetch"
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
		Short: "Print the version, Go's version and the dates of what it knows of Googlebot",
		Long: `Print the version, the Go version, and the dates of what it knows of Googlebot.

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
		old = "\n  older than six months: a newer sitemend, or --header 'User-Agent: ...' with the version of today (" + chrome.Where + ")"
	}
	_, err := fmt.Fprintf(w, "sitemend %s\n%s\nGooglebot spelling model of %s\naddress ranges of robots as of %s\n%s %s in the user agent, the stable version on %s%s\n",
		version(), runtime.Version(), address.ModelDate, accesslog.KnownDate, chrome.Name,
		chrome.Value, chrome.Day.Format(time.DateOnly), old)
	return err
}
