package audit

import (
	"cmp"
	"strings"

	"sitemend/crawler/address"
)

// standIn returns the rule that a page stops which answers in place of the one that is listed, by the
// last segment of its address or its title: an error, a login, a cart. "" where it is none, as where
// the listed address is such a page itself. Like isGate it lets a person decide.
func (r *Row) standIn(target address.Address, page *Page) Note {
	stop := standInNames[lastName(target)]
	if stop == "" {
		stop = page.standInTitle(target.Host())
	}
	listed := lastName(r.Address)
	for name, of := range standInNames {
		if of == stop && strings.Contains(listed, name) {
			return ""
		}
	}
	return stop
}

// standInTitle returns the rule that the title of a page of a host stops at; "" for none. One that is
// explained is an article, and one of several parts says more than the name of the site.
func (p *Page) standInTitle(host string) (stop Note) {
	title := cmp.Or(p.Title, p.Heading)
	if len(title) > 4*maxPhrase {
		return ""
	}
	parts := titleParts(folded(title))
	for _, part := range parts {
		words := strings.Fields(plainWords(part))
		if len(parts) > 2 || aboutErrors(words) && !named(words, host) {
			return ""
		}
		stop = cmp.Or(standInTitles[strings.Join(words, " ")], stop)
	}
	return stop
}

// lastName returns the last segment of a path, as gateNames has names; "" for a root.
func lastName(a address.Address) string {
	path := strings.TrimRight(a.Path(), "/")
	name, _, _ := strings.Cut(path[strings.LastIndexByte(path, '/')+1:], ".")
	return strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name))
}

// standInNames are the last segments of such pages, and the rule that each stops at.
var standInNames = notesOf(map[Note][]string{
	TargetSoft404: {"404", "error", "errors", "error404", "404error", "notfound", "pagenotfound", "search",
		"maintenance", "wartung", "wartungsarbeiten", "wartungsmodus", "mantenimiento", "manutencao", "manutenzione", "onderhoud"},
	Gate: {"login", "signin", "logon", "signon", "account", "myaccount", "cart", "basket", "checkout",
		"sorry", "geoblocked", "geoblock", "georestricted", "unsupportedbrowser", "browserunsupported", "browsernotsupported"},
})

// standInTitles are their titles, as plain words.
var standInTitles = notesOf(map[Note][]string{
	TargetSoft404: {"error", "an error occurred", "an error has occurred", "server error", "internal server error", "500 internal server error", "error 500",
		"something went wrong", "oops something went wrong", "account suspended", "this account has been suspended", "bad gateway", "service unavailable",
		"service temporarily unavailable", "under maintenance", "site under maintenance", "down for maintenance", "maintenance", "maintenance mode",
		"scheduled maintenance", "fehler", "interner serverfehler", "wartungsarbeiten", "wartungsmodus",
		"wir sind gleich wieder da", "wir sind bald wieder da", "we will be back soon", "well be back soon", "be right back", "well be right back", "erreur", "erreur interne du serveur", "maintenance en cours",
		"site en maintenance", "errore", "erro", "en mantenimiento", "エラー", "エラーが発生しました", "メンテナンス中", "ただいまメンテナンス中です", "システムメンテナンス中"},
	Gate: {"sign in", "log in", "login", "signin", "please sign in", "please log in", "sign in to your account", "log in to your account", "access denied", "forbidden",
		"403 forbidden", "unauthorized", "please enable cookies", "cookies required", "enable cookies", "your cart", "your cart is empty", "your shopping cart is empty",
		"shopping cart", "your basket is empty", "checkout", "anmelden", "anmeldung", "einloggen", "zugriff verweigert", "warenkorb", "ihr warenkorb ist leer",
		"se connecter", "connexion", "accès refusé", "votre panier est vide", "iniciar sesión", "acceso denegado", "accedi", "entrar", "inloggen",
		"ログイン", "サインイン", "アクセスが拒否されました", "ショッピングカート"},
})

func notesOf(lists map[Note][]string) map[string]Note {
	all := map[string]Note{}
	for n, list := range lists {
		for _, text := range list {
			all[text] = n
		}
	}
	return all
}
