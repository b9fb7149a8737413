package searchconsole

import (
	"cmp"
	"regexp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"sitemend/crawler/audit"
)

// reasons are the words for each label in the languages that were seen, reduced to letters and
// digits. Those that contain a status or "noindex" are recognized by that, in every language.
var reasons = lettersOf(map[audit.Label][]string{
	audit.LabelRedirect: {"Page with redirect", "ページにリダイレクトがあります", "Seite mit Weiterleitung",
		"Page avec redirection", "Página con redirección",
		"Pagina con reindirizzamento", "Página com redirecionamento"},
	audit.LabelRedirectError: {"Redirect error", "リダイレクト エラー", "Weiterleitungsfehler",
		"Umleitungsfehler", "Erreur liée à des redirections", "Error de redirección",
		"Errore di reindirizzamento", "Erro de redirecionamento"},
	audit.LabelNotFound: {"Submitted URL not found (404)"},
	audit.LabelSoft404: {"Soft 404", "Submitted URL seems to be a Soft 404", "ソフト 404",
		"Soft-404-Fehler", "Falsche 404-Seite"},
	audit.LabelAlternate: {"Alternate page with proper canonical tag", "代替ページ(適切な canonical タグあり)",
		"Alternative Seite mit richtigem kanonischen Tag",
		"Autre page avec balise canonique correcte",
		"Página alternativa con etiqueta canónica adecuada",
		"Pagina alternativa con tag canonical appropriato",
		"Página alternativa com tag canônica adequada"},
	audit.LabelDuplicate: {"Duplicate without user-selected canonical",
		"重複しています。ユーザーにより、正規ページとして選択されていません",
		"Duplikat – vom Nutzer nicht als kanonisch festgelegt",
		"Page en double sans URL canonique sélectionnée par l'utilisateur",
		"Duplicada: el usuario no ha indicado ninguna versión canónica"},
	audit.LabelOtherCanonical: {"Duplicate, Google chose different canonical than user",
		"Duplicate, submitted URL not selected as canonical",
		"重複しています。Google により、ユーザーがマークしたページとは異なるページが正規ページとして選択されました",
		"Duplikat – Google hat eine andere Seite als der Nutzer als kanonische Seite bestimmt"},
	audit.LabelCrawled: {"Crawled - currently not indexed", "クロール済み - インデックス未登録",
		"Gecrawlt – zurzeit nicht indexiert", "Explorée, actuellement non indexée",
		"Rastreada: actualmente sin indexar", "Pagina scansionata, ma attualmente non indicizzata",
		"Rastreada, mas não indexada no momento"},
	audit.LabelDiscovered: {"Discovered - currently not indexed", "検出 - インデックス未登録",
		"Gefunden – zurzeit nicht indexiert", "Détectée, actuellement non indexée",
		"Descubierta: actualmente sin indexar", "Pagina rilevata, ma attualmente non indicizzata",
		"Detectada, mas não indexada no momento"},
	audit.LabelRobots: {"Blocked by robots.txt", "Submitted URL blocked by robots.txt",
		"robots.txt によりブロックされました", "Durch robots.txt-Datei blockiert",
		"Bloquée par le fichier robots.txt", "Bloqueada por robots.txt", "Bloccata da robots.txt",
		"Bloqueada pelo robots.txt"},
	audit.LabelIndexedBlocked: {"Indexed, though blocked by robots.txt",
		"robots.txt によりブロックされましたが、インデックスに登録しました",
		"Indexiert, obwohl durch robots.txt-Datei blockiert"},
	audit.LabelRemoved:   {"Blocked by page removal tool"},
	audit.LabelNoContent: {"Page indexed without content"},
	audit.LabelOther4xx: {"Blocked due to other 4xx issue", "URL blocked due to other 4xx issue",
		"Submitted URL has crawl issue"},
})

func lettersOf(words map[audit.Label][]string) map[string]audit.Label {
	out := map[string]audit.Label{}
	for label, list := range words {
		for _, w := range list {
			out[letters(w)] = label
		}
	}
	return out
}

// signs mark labels in every language; other tools have a status in place of a reason.
var signs = []struct {
	form  *regexp.Regexp
	label audit.Label
}{
	{regexp.MustCompile(`^(http )?30[12378]$`), audit.LabelRedirect},
	{regexp.MustCompile(`\(404\)|^(http )?4(04|10)$`), audit.LabelNotFound},
	{regexp.MustCompile(`\(401\)|^(http )?401$`), audit.LabelUnauthorized},
	{regexp.MustCompile(`\(403\)|^(http )?403$`), audit.LabelForbidden},
	{regexp.MustCompile(`\(5xx\)|^(http )?5\d\d$`), audit.LabelServerError},
	{regexp.MustCompile(`noindex`), audit.LabelNoindex},
	{regexp.MustCompile(`4xx|^(http )?4\d\d$`), audit.LabelOther4xx},
}

// longestReason limits the length of a text that is looked up.
const longestReason = 200

// lookUp returns the label of a text, by its words or by one of signs; "" for none.
func lookUp(s string) audit.Label {
	if s == "" || len(s) > longestReason || hasURL(s) {
		return ""
	}
	if l, ok := reasons[letters(s)]; ok {
		return l
	}
	folded := strings.ToLower(norm.NFKC.String(s))
	for _, sign := range signs {
		if sign.form.MatchString(folded) {
			return sign.label
		}
	}
	return ""
}

// ReasonOf returns the English label of a reason in any language, or of an HTTP status; the text as
// written where it is unknown.
func ReasonOf(s string) audit.Label {
	s = strings.TrimSpace(s)
	return cmp.Or(lookUp(s), audit.Label(strings.ToValidUTF8(s, "\uFFFD")))
}

// known reports whether a cell has a known reason. A number alone may be another thing than a status.
func known(s string) bool { return strings.Trim(s, "0123456789") != "" && lookUp(s) != "" }

// letters keeps the letters and digits of a text, in lower case: quotes, dashes
// and brackets differ from export to export.
func letters(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, norm.NFKC.String(s))
}
