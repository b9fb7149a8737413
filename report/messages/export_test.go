package messages

// Remedies returns the remedies of causes in a language, RuleWords the words for their rules.
func Remedies(lang string) map[string]string { return languages()[lang].Causes.Remedies }

func RuleWords(lang string) map[string]string { return languages()[lang].Causes.Rules }
