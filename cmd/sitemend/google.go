package main

import (
	"cmp"
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"sitemend/cmd/internal/cli"
	"sitemend/cmd/internal/job"
	"sitemend/crawler/google"
)

func newGoogle(std stdio) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "google",
		Short: "The properties that this account has in Search Console",
		Long: `List the properties of Search Console that an account has. Credentials are variables of
the environment, never flags:
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
		Args:    takes(0, 0, "no arguments but login"),
		RunE:    func(cmd *cobra.Command, _ []string) error { return writeProperties(cmd.Context(), std) },
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
		Args:    takes(0, 0, "no arguments"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			env, scope := job.Env{Log: plainLogger(std.err)}, google.ReadOnly
			if submit {
				scope = google.ReadWrite
			}
			c, err := google.Find(os.Getenv)
			if err != nil {
				return err
			}
			file, err := google.Login(cmd.Context(), c, env.GoogleOptions(scope), func(url string) {
				fmt.Fprintf(std.err, "sitemend: log in on this page, in a browser of this machine:\n%s\n", url)
				openBrowser(std.err, url)
			})
			if err != nil {
				return err
			}
			_, err = fmt.Fprintf(std.out, "Logged in. The token is in %s.\n", cli.OneLine(file))
			return err
		},
	}
	declare(cmd.Flags(), []option{{"submit", &submit, nil, "ask for leave to submit sitemaps, too"}})
	return cmd
}

// writeProperties lists the properties of the account. All text comes from Google, and is escaped.
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
	for _, p := range list {
		fmt.Fprintf(std.out, "%s  %s\n", cli.OneLine(p.URL), cli.OneLine(cmp.Or(p.Level(), p.Permission)))
	}
	return nil
}
