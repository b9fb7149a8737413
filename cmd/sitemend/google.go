package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/crawler/google"
)

func newGoogle(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "google",
		Short: "The properties that this account has in Search Console, and their sitemaps as Google sees them",
		Long: `List the properties of Search Console that an account has, and their sitemaps as Google
sees them. Credentials are variables of the environment, never flags:
  SITEMEND_GOOGLE_CREDENTIALS     the file of a Desktop client (then sitemend google login,
                                  once), of a service account, or authorized_user
  GOOGLE_APPLICATION_CREDENTIALS  where that is not set; else gcloud's default login
  SITEMEND_GOOGLE_PROJECT         the project whose quota counts
docs/google.md says how to get them.

Exit status:
  0  done
  2  there are no credentials, or Google refuses or does not answer
  3  interrupted`,
		Example: "  SITEMEND_GOOGLE_CREDENTIALS=client.json sitemend google login\n  SITEMEND_GOOGLE_CREDENTIALS=client.json sitemend google",
		Args:    atMost(0, "no arguments but login"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return writeProperties(cmd.Context(), std)
		},
	}
	cmd.AddCommand(newGoogleLogin(std))
	return cmd
}

func newGoogleLogin(std stdio) *cobra.Command {
	submit := false
	cmd := &cobra.Command{
		Use:   "login",
		Short: "Log in with a Desktop client, in a browser of this machine",
		Long: `Log in with the Desktop client that SITEMEND_GOOGLE_CREDENTIALS names, in a browser of
this machine: to read Search Console, with --submit to submit sitemaps as well.

Exit status:
  0  done
  2  the access was refused, or nobody logged in within five minutes
  3  interrupted`,
		Example: "  sitemend google login\n  sitemend google login --submit",
		Args:    atMost(0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			env, scope := job.Env{Log: plainLogger(std.err)}, google.ReadOnly
			if submit {
				scope = google.ReadWrite
			}
			c, err := google.Find(env.Var)
			if err != nil {
				return err
			}
			file, err := google.Login(cmd.Context(), c, env.GoogleOptions(scope), func(url string) {
				fmt.Fprintf(std.err, "sitemend: log in on this page, which a browser of this machine is to open:\n%s\n", url)
				openBrowser(std.err, url)
			})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(std.out,
				"Logged in. The token is in %s.\n",
				cli.OneLine(file))
			return err
		},
	}
	cmd.Flags().BoolVar(&submit, "submit", false, "ask for leave to submit sitemaps, too")
	return cmd
}

// writeProperties lists the properties of the account, with the sitemaps of those of which it may see
// anything. All text comes from Google, and is escaped.
func writeProperties(ctx context.Context, std stdio) error {
	env := job.Env{Log: plainLogger(std.err)}
	c, err := env.Google(google.ReadOnly)
	if err != nil {
		return err
	}
	list, err := c.Sites(ctx)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(std.err, "sitemend: this account has no property in Search Console; add its URL there under Settings, Users and permissions")
	}
	var b strings.Builder
	for i := range list {
		p := &list[i]
		level := cmp.Or(p.Level(), p.Permission)
		fmt.Fprintf(&b, "%s  %s\n", cli.OneLine(p.URL), cli.OneLine(level))
		if level == "unverified" {
			continue
		}
		sitemaps, err := c.Sitemaps(ctx, p.URL)
		var refused *google.Error
		switch {
		case errors.As(err, &refused) && (refused.Status == 403 || refused.Status == 404):
			fmt.Fprintf(&b, "  its sitemaps cannot be listed: %s\n", said(err))
		case err != nil:
			return err
		}
		for j := range sitemaps {
			fmt.Fprintf(&b, "  %s\n", sitemapLine(&sitemaps[j]))
		}
	}
	_, err = io.WriteString(std.out, b.String())
	return err
}

// sitemapLine returns Google's data of a sitemap as a line.
func sitemapLine(s *google.Sitemap) string {
	var result []string
	if !s.Submitted.IsZero() {
		result = append(result, "submitted "+s.Submitted.Local().Format(time.DateOnly))
	}
	if s.Downloaded.IsZero() {
		result = append(result, "not read yet")
	} else {
		result = append(result, "read "+s.Downloaded.Local().Format(time.DateOnly))
	}
	if s.Index {
		result = append(result, "an index")
	}
	if n := s.Addresses(); n >= 0 {
		result = append(result, cli.Plural(n, "URL", "URLs"))
	}
	for _, x := range []struct{ n, one, many string }{{s.Errors, "error", "errors"},
		{s.Warnings, "warning", "warnings"}} {
		if n, err := strconv.Atoi(x.n); err == nil && n > 0 {
			result = append(result, cli.Plural(n, x.one, x.many))
		}
	}
	if s.Pending {
		result = append(result, "to be processed yet")
	}
	return cli.OneLine(s.Path) + "  " + strings.Join(result, ", ")
}
