package audit

import (
	"regexp"
	"slices"
	"strings"

	"sitemend/crawler/address"
)

// AsksAge reports whether a part of the title or first heading of a page is a question for
// the visitor's age as a whole. A short article may have that title, too: the entry is kept
// then, which does no harm.
func (p *Page) AsksAge() bool {
	for _, title := range []string{p.Title, p.Heading} {
		if title == "" || len(title) > 4*maxPhrase {
			continue
		}
		if title = folded(title); !ageBegins.in(title) {
			continue
		}
		for _, part := range titleParts(title) {
			if agePhrases[ageWords(part)] {
				return true
			}
		}
	}
	return false
}

// gates reports whether the page at an address that the entry leads to asks for a password or does nothing but ask
// for the visitor's age: shops ask on every page, before its content. A listed address with the
// name of a gate is no page behind one. Nor is the listed page itself, written otherwise, the gate before it for a
// field for a password, nor any page of a site with such a field on all of them (Rules.LoginBoxes).
func (j *judging) gates(page *Page, at address.Address) bool {
	r := j.row
	if page.Password && anotherPage(r.Address, at) && !slices.Contains(j.rules.LoginBoxes, at.Origin()) {
		return true
	}
	return !page.Wordy && page.AsksAge() && !namesGate(r.Address)
}

// passwordAlone reports whether a page that gates says so by its field for a password alone: not by its
// address, nor by its title.
func (j *judging) passwordAlone(page *Page, at address.Address) bool {
	return page.Password && !isGate(at, j.row.Address) && !page.AsksAge() && j.row.standIn(at, page) != Gate
}

// anotherPage reports whether two addresses differ in more than scheme, www, a slash at the end and
// how they are written.
func anotherPage(a, b address.Address) bool {
	return slices.ContainsFunc(address.Compare(a, b), func(r address.Reason) bool {
		return !r.Encoding() && r != address.Scheme && r != address.WWW && r != address.Slash && r != address.PathCase
	})
}

// ages are those at which something is allowed somewhere.
var ages = regexp.MustCompile(`16|18|19|20|21|25|１８|２０`)

// ageWords is a text as plain words, with 18 for every age.
func ageWords(s string) string {
	return ages.ReplaceAllString(strings.Join(strings.Fields(plainWords(s)), " "), "18")
}

// ageBegins are the words with which a part of a title begins that agePhrases has.
var ageBegins = beginningsOf(agePhrases)

// agePhrases are the questions, as ageWords writes them.
var agePhrases = func() map[string]bool {
	all := map[string]bool{}
	for _, s := range []string{
		"age verification", "age verification required", "age check", "age gate", "age confirmation", "verify your age", "please verify your age", "confirm your age", "please confirm your age",
		"are you over 18", "are you 18", "are you 18 or older", "are you 18 or over", "are you 18+", "are you 18 years or older", "are you 18 years old or older", "are you 18 years of age or older", "are you over 18 years old",
		"are you at least 18", "are you at least 18 years old", "are you of legal age", "are you of legal drinking age", "are you old enough", "adults only",
		"Altersverifikation", "Altersprüfung", "Altersabfrage", "Alterskontrolle", "Alterscheck", "Bitte bestätigen Sie Ihr Alter", "Bestätigen Sie Ihr Alter", "Bitte bestätige dein Alter", "Bestätige dein Alter",
		"Sind Sie über 18", "Bist du über 18", "Sind Sie über 18 Jahre alt", "Sind Sie 18", "Bist du 18", "Sind Sie mindestens 18 Jahre alt", "Sind Sie schon 18", "Bist du schon 18", "Sind Sie 18 Jahre oder älter",
		"Vérification de l'âge", "Vérification d'âge", "Confirmez votre âge", "Veuillez confirmer votre âge", "Avez-vous plus de 18 ans", "Avez-vous 18 ans", "Êtes-vous majeur",
		"Verificación de edad", "Confirma tu edad", "Verifica tu edad", "¿Eres mayor de edad?", "¿Eres mayor de 18 años?", "¿Tienes más de 18 años?",
		"Verifica dell'età", "Verifica età", "Conferma la tua età", "Hai più di 18 anni", "Sei maggiorenne", "Verificação de idade", "Confirme a sua idade", "Confirme sua idade", "Você tem mais de 18 anos", "Tem mais de 18 anos",
		"Leeftijdsverificatie", "Leeftijdscontrole", "Bevestig je leeftijd", "Ben je 18 jaar of ouder", "Ben je ouder dan 18", "Weryfikacja wieku", "Potwierdź swój wiek", "Czy masz ukończone 18 lat", "Czy masz 18 lat",
		"Подтверждение возраста", "Проверка возраста", "Подтвердите свой возраст", "Вам есть 18 лет", "Вам исполнилось 18 лет", "Åldersverifiering", "Ålderskontroll", "Är du över 18", "Är du över 18 år", "Er du over 18 år",
		"年齢確認", "年齢認証", "年齢確認のお願い", "年齢確認ページ", "年齢認証ページ", "18歳以上ですか", "あなたは18歳以上ですか", "年龄验证", "年龄确认", "您是否已满18岁", "年齡驗證", "您是否已年滿18歲", "성인인증", "성인 인증", "연령 확인",
	} {
		all[ageWords(s)] = true
	}
	return all
}()
