package address

import (
	"strings"
	"unicode"
)

// weighers return, for each charset that is guessed, how likely a character is in the text of an
// address, from 0 to 1. The tables of frequent characters are our own choice; they distinguish what
// the rows of the charsets do not.
var weighers = map[string]func(*letters) float64{
	"euc-jp": func(l *letters) float64 {
		return weighJapanese(l, l.lead >= 0xB0 && l.lead <= 0xCF)
	},
	"shift_jis": func(l *letters) float64 {
		return weighJapanese(l, l.lead >= 0x88 && l.lead <= 0x98)
	},
	"iso-2022-jp":  func(*letters) float64 { return 0.95 }, // its shifts are no coincidence
	"gbk":          weighGBK,
	"big5":         weighBig5,
	"euc-kr":       weighKorean,
	"windows-1252": latin("éèêàâçùûîïôöäüßñáíóúãõåøæœ"),
	"windows-1250": latin("ąćęłńóśźżáčďéěíňřšťúůýžőűöüäăș"),
	"windows-1254": latin("ğışçöüİâ"),
	"windows-1257": latin("āčēģīķļņšūžąęėįųõäöü"),
	"windows-1251": script(unicode.Cyrillic, "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфіїє", cyrillicVowels),
	"koi8-r":       script(unicode.Cyrillic, "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэф", cyrillicVowels),
	"windows-1253": script(unicode.Greek, "αοιετσνηυρπκμλςόίάήέύώ", "αοιετηυωάόίήέύώ"),
	"windows-1255": script(unicode.Hebrew, "יוהלאתרמבשנםכדקחפעטגצסזןףץך", ""),
	"windows-1256": script(unicode.Arabic, "ايلمنورتبةعدسفحكقجهشصىأ", ""),
	"windows-874":  script(unicode.Thai, "านรกอเงมลยวดทสตะปบคห่้ีิั", ""),
}

const (
	cyrillicVowels = "оеаиуяыюэіїє"

	kanji = "日本人大年会国中学生高校出入上下一二三四五六七八九十百千万円月火水木金土前後左右東西南北京都府県市区町村山川田野海" +
		"新古長短早速遅強弱明暗白黒赤青緑色花草木林森天気雨雪風空石油電車話語言文字書読見聞食飲料理店売買物品商社員業工場" +
		"作家族父母兄弟姉妹子供男女友達手足目耳口頭心体力動画像写真音楽歌映番組情報通信機械器設定方法使用利便化行事件名前住所" +
		"開発表示検索記録編集最近更管理者全部分類別種特集公式無有料初回数値時間曜日週本当地図館公園駅道路旅行温泉"
	hanzi = "闻心联们展示简介首页客务案招聘旅游购买商店汽车" +
		"的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道行所然家种事成方多经么" +
		"去法学如都同现当没动面起看定天分还进好小部其些主样理心本前开但因只从想实日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带导争运网站中文搜索下载图片视频音乐产品"
	hanziOld = "聞心聯們展示簡介紹首頁客務案購買商店最於" +
		"的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心本前開但因只從想實日軍者意無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指許統區保至隊形社便空決治展馬科司五基書非則聽白界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊張該交規萬取格望覺術領共確傳師觀清今切院讓識候帶導爭運網站搜尋下載圖片影音樂台灣香港"
	hangul = "이다는의가에을고하지한도를은기로리사나어시서아자대인라그정해만일수보부스게들으장전여주제상면동비있적국성구과원오소조공경관화신학미안유세중물우용었했것거음선진문개계회위드러니마트모방방생실연재교내치반체레요두및건강데려바영와양무역심당발산행간업본단분속결말직작통까터남저명민출현월년후님점품설식입차글번색검노래책표집카크페카티파포프플호게임뉴사진쇼핑블로그한국서울"
)

// weighJapanese weighs by kana and by the kanji of JIS level 1.
func weighJapanese(l *letters, level1 bool) float64 {
	r := l.rune()
	switch {
	case r >= 0x3041 && r <= 0x3096:
		return 1
	case r >= 0x30A1 && r <= 0x30FC:
		return 0.95
	case r >= 0xFF61 && r <= 0xFF9F:
		return 0.15 // half-width kana: usually another charset
	case unicode.Is(unicode.Han, r):
		return weighHan(r, level1, kanji)
	case r >= 0x3000 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF5E:
		return 0.5
	}
	return 0.1
}

// weighHan weighs an ideograph: usual is set for the half of the charset with the common ones.
func weighHan(r rune, usual bool, frequent string) float64 {
	switch {
	case usual && strings.ContainsRune(frequent, r):
		return 0.95
	case usual:
		return 0.7
	}
	return 0.2
}

// weighGBK weighs by the ideographs of GB 2312 level 1 (0xB0 to 0xD7).
func weighGBK(l *letters) float64 {
	switch r := l.rune(); {
	case unicode.Is(unicode.Han, r):
		return weighHan(r, l.lead >= 0xB0 && l.lead <= 0xD7, hanzi)
	case r >= 0x3000 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF5E:
		return 0.5
	case unicode.In(r, unicode.Hiragana, unicode.Katakana):
		return 0.3
	}
	return 0.1
}

// weighBig5 weighs by the ideographs of level 1 (0xA4 to 0xC6).
func weighBig5(l *letters) float64 {
	switch r := l.rune(); {
	case unicode.Is(unicode.Han, r):
		return weighHan(r, l.lead >= 0xA4 && l.lead <= 0xC6, hanziOld)
	case r >= 0x3000 && r <= 0x303F || r >= 0xFF01 && r <= 0xFF5E:
		return 0.5
	}
	return 0.1
}

// weighKorean weighs by the syllables of KS X 1001 (0xB0 to 0xC8).
func weighKorean(l *letters) float64 {
	switch r := l.rune(); {
	case r >= 0xAC00 && r <= 0xD7A3:
		return weighHan(r, l.lead >= 0xB0 && l.lead <= 0xC8, hangul)
	case unicode.Is(unicode.Han, r):
		return 0.15
	}
	return 0.1
}

// latin weighs the accented letters of a Latin alphabet: they are among plain letters, rarely
// adjacent, and in lower case after lower case.
func latin(frequent string) func(*letters) float64 {
	return func(l *letters) float64 {
		r, before, after := l.rune(), l.beside(-1), l.beside(1)
		switch {
		case !unicode.IsLetter(r), unicode.IsUpper(r) && unicode.IsLower(before):
			return 0.1
		case before >= 0x80 && after >= 0x80:
			return 0.15
		case before >= 0x80 || after >= 0x80:
			if !isLatin(before) && !isLatin(after) {
				return 0.25
			}
			return 0.4
		case strings.ContainsRune(frequent, unicode.ToLower(r)):
			return 0.9
		}
		return 0.5
	}
}

// script weighs the letters of an alphabet, given the most frequent first: they are adjacent to
// each other, not to Latin letters. Where the alphabet writes vowels, three consonants in a row are
// rare.
func script(of *unicode.RangeTable, frequent, vowels string) func(*letters) float64 {
	weights := map[rune]float64{}
	all := []rune(frequent)
	for i, r := range all {
		weights[r] = 1 - 0.4*float64(i)/float64(len(all))
	}
	return func(l *letters) float64 {
		r, before, after := l.rune(), l.beside(-1), l.beside(1)
		switch {
		case !unicode.Is(of, r), unicode.IsUpper(r) && unicode.IsLower(before), isLatin(before),
			isLatin(after):
			return 0.1
		case l.row(of) < 3:
			return 0.25
		case vowels != "" && unicode.Is(of, before) && unicode.Is(of, after) &&
			!strings.ContainsAny(vowels, string([]rune{before, r, after})):
			return 0.3
		}
		return max(0.5, weights[unicode.ToLower(r)])
	}
}

func isLatin(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }

// row counts the letters of a script around the character, itself included, two
// places to each side.
func (l *letters) row(of *unicode.RangeTable) int {
	n := 1
	for d := -1; d >= -2 && unicode.Is(of, l.beside(d)); d-- {
		n++
	}
	for d := 1; d <= 2 && unicode.Is(of, l.beside(d)); d++ {
		n++
	}
	return n
}
