package address

import (
	"bytes"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

// A charset is a legacy charset of old URLs.
type charset struct {
	name   string                // in the WHATWG Encoding Standard
	size   int32                 // how many bytes its letters beyond ASCII take
	of     []*unicode.RangeTable // the scripts that it is for
	common string                // the most frequent letters of its languages
}

var (
	japanese = []*unicode.RangeTable{unicode.Hiragana, unicode.Katakana, unicode.Han}
	han      = []*unicode.RangeTable{unicode.Han}
	latin    = []*unicode.RangeTable{unicode.Latin}
	cyrillic = []*unicode.RangeTable{unicode.Cyrillic}
)

// charsets are those that are tried, the more frequent first.
var charsets = []charset{
	{"euc-jp", 2, japanese, kanji},
	{"shift_jis", 2, japanese, kanji},
	{"gbk", 2, han, hanzi},
	{"big5", 2, han, hanziOld},
	{"euc-kr", 2, []*unicode.RangeTable{unicode.Hangul}, hangul},
	{"windows-1252", 1, latin, "éèêàâçùûîïôöäüßñáíóúãõåøæœ"},
	{"windows-1251", 1, cyrillic, "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфіїє"},
	{"koi8-r", 1, cyrillic, "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэф"},
	{"windows-1250", 1, latin, "ąćęłńóśźżáčďéěíňřšťúůýžőűöüäăș"},
	{"windows-1253", 1, []*unicode.RangeTable{unicode.Greek}, "αοιετσνηυρπκμλςόίάήέύώ"},
	{"windows-1254", 1, latin, "ğışçöüİâ"},
	{"windows-1255", 1, []*unicode.RangeTable{unicode.Hebrew}, "יוהלאתרמבשנםכדקחפעטגצסזןףץך"},
	{"windows-1256", 1, []*unicode.RangeTable{unicode.Arabic}, "ايلمنورتبةعدسفحكقجهشصىأ"},
	{"windows-1257", 1, latin, "āčēģīķļņšūžąęėįųõäöü"},
	{"windows-874", 1, []*unicode.RangeTable{unicode.Thai}, "านรกอเงมลยวดทสตะปบคห่้ีิั"},
}

// The most frequent characters of Japanese (without kana), Chinese and Korean; the choice is our own.
const (
	kanji = "日本人大年会国中学生高校出入上下一二三四五六七八九十百千万円月火水木金土前後左右東西南北京都府県市区町村山川田野海新古長" +
		"短早速遅強弱明暗白黒赤青緑色花草林森天気雨雪風空石油電車話語言文字書読見聞食飲料理店売買物品商社員業工場作家族父母兄弟姉" +
		"妹子供男女友達手足目耳口頭心体力動画像写真音楽歌映番組情報通信機械器設定方法使用利便化行事件名住所開発表示検索記録編集最" +
		"近更管者全部分類別種特公式無有初回数値時間曜週当地図館園駅道路旅温泉"
	hanzi = "闻心联们展示简介首页客务案招聘旅游购买商店汽车的一是不了在人有我他这个中来上大为和国地到以说时要就出会可也你对生能而子那" +
		"得于着下自之年过发后作里用道行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理本前开但因只从想实" +
		"日军者意无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什二等产或" +
		"新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义各入几口认条平系气题活尔" +
		"更别打女变四神总何电数安少报才结反受目太量再感建做接必场件计管期市直德资命山金指克许统区保至队形社便空决治马科司五基眼书" +
		"非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万取拉格望觉术领共确传师观清今切院让识候带" +
		"导争运网站搜索载图片视频音乐"
	hanziOld = "聞心聯們展示簡介紹首頁客務案購買商店最於的一是不了在人有我他這個中來上大為和國地到以說時要就出會可也你對生能而子那得著下" +
		"自之年過發後作裡用道行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理本前開但因只從想實日軍者意" +
		"無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很重並物手應戰向頭文體政美相見被利什二等產或新己制身果" +
		"加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義各入幾口認條平系氣題活爾更別打女變" +
		"四神總何電數安少報才結反受目太量再感建做接必場件計管期市直德資命山金指許統區保至隊形社便空決治馬科司五基書非則聽白界達光" +
		"放強即像難且權思王象完設式色路記南品住告類求據程北邊張該交規萬取格望覺術領共確傳師觀清今切院讓識候帶導爭運網站搜尋載圖片" +
		"影音樂台灣香港"
	hangul = "이다는의가에을고하지한도를은기로리사나어시서아자대인라그정해만일수보부스게들으장전여주제상면동비있적국성구과원오소조공경" +
		"관화신학미안유세중물우용었했것거음선진문개계회위드러니마트모방생실연재교내치반체레요두및건강데려바영와양무역심당발산행간" +
		"업본단분속결말직작통까터남저명민출현월년후님점품설식입차글번색검노래책표집카크페티파포프플호임뉴쇼핑블울"
)

// A letter is a character of a text, and how many bytes it takes there.
type letter struct {
	rune
	size int32
}

// letters returns the characters of a text; ok is false where it is not valid in this charset, or has
// characters of a rare length.
func (c charset) letters(text []byte) (all []letter, ok bool) {
	enc, err := htmlindex.Get(c.name)
	if err != nil {
		return nil, false
	}
	utf, err := enc.NewDecoder().Bytes(text)
	if err != nil || bytes.ContainsRune(utf, utf8.RuneError) {
		return nil, false
	}
	all, left := make([]letter, 0, len(text)), len(text)
	for _, r := range string(utf) {
		l := letter{r, 1}
		if r >= utf8.RuneSelf {
			l.size = c.size
		}
		all, left = append(all, l), left-int(l.size)
	}
	return all, left == 0
}

// toUTF8 returns the tokens of the same text in UTF-8; ok is false where it is not valid in this
// charset.
func (c charset) toUTF8(ts []token) (utf []token, ok bool) {
	ls, ok := c.letters(values(ts))
	if !ok {
		return nil, false
	}
	utf = make([]token, 0, 2*len(ts))
	for _, l := range ls {
		if l.rune < utf8.RuneSelf {
			utf = append(utf, ts[0])
		} else {
			utf = append(utf, made([]byte(string(l.rune)), ts[0])...)
		}
		ts = ts[l.size:]
	}
	return utf, true
}

// plausible is how plausible the characters beyond ASCII of a text must be on average.
const plausible = 0.5

// guess returns the charset in which texts are the most plausible; ok is false where none is.
func guess(texts [][]byte) (best charset, ok bool) {
	most := plausible
	for _, c := range charsets {
		if worth := c.worth(texts); worth >= most && (worth > most || !ok) {
			best, most, ok = c, worth, true
		}
	}
	return best, ok
}

// worth returns how plausible the characters beyond ASCII of all texts are, from 0 to 1.
func (c charset) worth(texts [][]byte) float64 {
	sum, n := 0.0, 0
	for _, text := range texts {
		ls, ok := c.letters(text)
		if !ok {
			return 0
		}
		before := rune('/')
		for i, l := range ls {
			after := rune('/')
			if i+1 < len(ls) {
				after = ls[i+1].rune
			}
			if l.rune >= utf8.RuneSelf {
				sum += c.weigh(before, l.rune, after)
				n++
			}
			before = l.rune
		}
	}
	return sum / float64(max(1, n))
}

// weigh returns how plausible a character is between two others. Letters of an alphabet stand
// beside their like, and accented Latin letters beside plain ones.
func (c charset) weigh(before, r, after rune) float64 {
	ideograph := unicode.In(r, unicode.Han, unicode.Hangul)
	common := strings.IndexRune(c.common, r)
	switch {
	case !unicode.In(r, c.of...) || r >= 0xFF00, unicode.IsUpper(r) && unicode.IsLower(before):
		return 0
	case unicode.In(r, unicode.Hiragana, unicode.Katakana), ideograph && common >= 0:
		return 1
	case ideograph:
		return 0.4
	case unicode.Is(unicode.Latin, r) && (before >= utf8.RuneSelf || after >= utf8.RuneSelf):
		return 0.3
	case unicode.Is(unicode.Latin, r) && common >= 0:
		return 1
	case unicode.Is(unicode.Latin, r) || common < 0:
		return 0.5
	case isLatin(before) || isLatin(after):
		return 0
	}
	return 1 - 0.5*float64(common)/float64(len(c.common))
}

func isLatin(r rune) bool { return r|0x20 >= 'a' && r|0x20 <= 'z' }
