package main

import (
	"errors"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// near is how many letters may be wrong in what is taken for another name.
const near = 2

// flagHint says what to do about a flag that a command cannot take: which one was meant, where one
// is near, and where all are shown.
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

// nearFlag returns the name of the flag that is nearest to what was typed, "" for none. The library
// has a measure of nearness, for the names of commands alone: so flags are made into these.
func nearFlag(flags *pflag.FlagSet, typed string) string {
	if len(typed) < 3 { // near to too many
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
