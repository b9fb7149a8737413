package main

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"
)

// A manual page has what --help says, and nothing of it is taken for markup.
func TestManualPage(t *testing.T) {
	root := &cobra.Command{Use: "sitemend"}
	c := &cobra.Command{
		Use:   "boil WATER...",
		Short: "Make tea",
		Long: `Boil each WATER, as _headers and
.htaccess say: 'tea' of C:\tea, not ` + "`tea`" + `.

The kinds:

  green   80 C
  black  100 C

Exit status:
  0  there is tea
  2  there is none, or
     it is cold`,
		Example: "  sitemend boil --hot tap",
		Run:     func(*cobra.Command, []string) {},
	}
	c.Flags().BoolP("quiet", "q", false, "say nothing")
	c.Flags().Int("cups", 2, "how many `N`")
	c.Flags().String("secret", "", "not listed")
	if err := c.Flags().MarkHidden("secret"); err != nil {
		t.Fatal(err)
	}
	root.AddCommand(c)
	want := `.SH "NAME"
sitemend\-boil \- Make tea
.SH "SYNOPSIS"
sitemend boil WATER... [flags]
.SH "DESCRIPTION"
Boil each WATER, as _headers and
\&.htaccess say: \(aqtea\(aq of C:\etea, not \(gatea\(ga.
.PP
The kinds:
.PP
.EX
  green   80 C
  black  100 C
.EE
.SH "OPTIONS"
.TP
\fB\-\-cups\fR \fIN\fR
how many N (default 2)
.TP
\fB\-q\fR, \fB\-\-quiet\fR
say nothing
.SH "EXIT STATUS"
.TP
\fB0\fR
there is tea
.TP
\fB2\fR
there is none, or
it is cold
.SH "EXAMPLES"
.EX
  sitemend boil \-\-hot tap
.EE
.SH "SEE ALSO"
sitemend(1)
`
	title, got, _ := strings.Cut(manualPage(c), "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if want := `.TH "SITEMEND\-BOIL" "1" "" "sitemend ` + version() + `" "sitemend"`; title != want {
		t.Errorf("the page is headed %s, want %s", title, want)
	}
}

// A cask of Homebrew names each manual page: a new command is not forgotten there.
func TestCaskNamesEveryManualPage(t *testing.T) {
	var config struct {
		Casks []struct {
			Manpages []string `yaml:"manpages"`
		} `yaml:"homebrew_casks"`
	}
	if err := yaml.Unmarshal([]byte(ofProject(t, ".goreleaser.yaml")), &config); err != nil || len(config.Casks) != 1 {
		t.Fatalf("%d casks, %v", len(config.Casks), err)
	}
	var got, want = map[string]bool{}, map[string]bool{}
	for _, name := range config.Casks[0].Manpages {
		got[name] = true
	}
	for _, c := range documented(newRoot(stdio{})) {
		name := "man/man" + section(c) + "/" + pageName(c) + "." + section(c) + ".gz"
		want[name] = true
		if !got[name] {
			t.Errorf(".goreleaser.yaml: homebrew_casks lacks %s", name)
		}
	}
	for name := range got {
		if !want[name] {
			t.Errorf(".goreleaser.yaml: homebrew_casks names %s, which is not there", name)
		}
	}
}
