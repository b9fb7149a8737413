// Package hosts answers requests as static hosts do: with which file, which redirect for a slash or
// an extension, which page for a missing address, and with the user's rules before or after the
// files. It is a model of what was recorded from the engines of these hosts in November 2026
// (Date), or is in their documentation. Where an answer depends on what it does not model
// (functions, conditions, proxies), it says so (Answer.Unmodelled) and never guesses.
package hosts
