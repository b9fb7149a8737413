package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// near is the largest edit distance at which a name is suggested.
const near = 2

// flagHint returns the hint for a flag that a command does not accept: the similar flag, if there
// is one, and where all are listed.
func flagHint(cmd *cobra.Command, err error) string {
	shows := helpOf(cmd) + " shows the flags"
	var none *pflag.NotExistError
	if !errors.As(err, &none) || none.GetSpecifiedShortnames() != "" {
		return shows
	}
	if meant := nearFlag(cmd.Flags(), none.GetSpecifiedName()); meant != "" {
		return "did you mean --" + meant + "? " + shows
	}
	return shows
}

// nearFlag returns the name of the flag that is most similar to the typed one, "" for none. cobra
// suggests only names of commands, so the flags are made into commands.
func nearFlag(flags *pflag.FlagSet, typed string) string {
	if len(typed) < 3 { // similar to too many flags
		return ""
	}
	menu := &cobra.Command{SuggestionsMinimumDistance: near}
	flags.VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			menu.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
		}
	})
	if like := menu.SuggestionsFor(typed); len(like) > 0 {
		return like[0]
	}
	return ""
}
