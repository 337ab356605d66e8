package builtin

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// legacy guesses the encoding of lines that are no UTF-8: the one in which
// they look most like writing. Without a better sign it is Windows-1252,
// where every byte is a character and nothing is lost.
func legacy(sample []byte) string {
	best, bestScore := windows1252, score(windows1252, sample)
	for _, name := range []string{gbk, shiftJIS, eucJP, eucKR, big5, windows1251, koi8R} {
		if s := score(name, sample); s > bestScore {
			best, bestScore = name, s
		}
	}
	if best == gbk && score(gb18030, sample) > bestScore {
		return gb18030
	}
	return best
}

// score is the mean likelihood of the characters outside ASCII, where 1 is
// the best and a byte that is no character counts heavily against it.
func score(name string, sample []byte) float64 {
	e := encoding{name: name}
	sum, n := 0.0, 0
	run := 0 // how many characters outside ASCII stand directly before
	e.each(sample, func(at, size int, text string) bool {
		if size == 1 && sample[at] < utf8.RuneSelf {
			run = 0
			return true
		}
		n++
		r, _ := utf8.DecodeRuneInString(text)
		if r == utf8.RuneError {
			sum -= 4
			return true
		}
		switch name {
		case windows1252:
			sum += western(sample, at, r)
		case windows1251, koi8R:
			sum += cyrillic(sample, at, r, run)
		default:
			sum += eastern(name, sample[at:at+size], r)
		}
		run++
		return true
	})
	if n == 0 {
		return 0
	}
	return sum / float64(n)
}

// western judges a character of Windows-1252: accented letters stand alone
// among ASCII, typographic marks are few.
func western(b []byte, at int, r rune) float64 {
	run := 1
	for i := at - 1; i >= 0 && b[i] >= utf8.RuneSelf; i-- {
		run++
	}
	for i := at + 1; i < len(b) && b[i] >= utf8.RuneSelf; i++ {
		run++
	}
	switch {
	case r >= 0x80 && r < 0xA0:
		return -2 // not assigned
	case run >= 4:
		return 0.05
	case run == 3:
		return 0.3
	case unicode.IsLetter(r) && r >= 0xC0 && r <= 0xFF:
		if run == 2 {
			return 0.6
		}
		return 0.95
	case strings.ContainsRune("€…‘’“”•–—™«»°£§©®±²³µ·½¼¿¡ŒœŠšŽžŸ\u00A0", r):
		return 0.75
	}
	return 0.3
}

// cyrillic judges a letter by its neighbours: words are several letters
// long, and mostly small ones.
func cyrillic(b []byte, at int, r rune, run int) float64 {
	alone := run == 0 && (at+1 >= len(b) || b[at+1] < utf8.RuneSelf)
	switch {
	case !unicode.Is(unicode.Cyrillic, r):
		if strings.ContainsRune("«»—–…№“”„\u00A0", r) {
			return 0.4
		}
		return -1
	case r >= 'а' && r <= 'я' || r == 'ё':
		if alone {
			return 0.3
		}
		return 0.9
	case r >= 'А' && r <= 'Я' || r == 'Ё':
		if run == 0 && !alone {
			return 0.9
		}
		return 0.4
	}
	return 0.1
}

// eastern judges a character of an encoding of several bytes by the plane
// that it lies in, and by whether it is among the most frequent.
func eastern(name string, b []byte, r rune) float64 {
	lead, trail := b[0], byte(0)
	if len(b) > 1 {
		trail = b[1]
	}
	switch {
	case strings.ContainsRune("，。、：；！？（）「」『』《》“”‘’·…—　【】～￥", r):
		return 0.9
	case r >= 0xFF61 && r <= 0xFF9F: // half-width kana
		return 0.2
	case r >= 0xFF01 && r <= 0xFF5E: // full-width ASCII
		return 0.7
	case unicode.In(r, unicode.Hiragana, unicode.Katakana) || r == 'ー':
		if name == shiftJIS || name == eucJP {
			return 1
		}
		return 0.3
	case strings.ContainsRune(frequent(name), r):
		return 1
	}
	switch name {
	case gbk:
		return plane(lead, trail, 0xB0, 0xD7, 0xA1, 0.6, 0.3)
	case gb18030:
		if len(b) == 4 {
			return 0.5
		}
		return plane(lead, trail, 0xB0, 0xD7, 0xA1, 0.6, 0.3)
	case shiftJIS:
		return plane(lead, trail, 0x88, 0x98, 0x40, 0.6, 0.1)
	case eucJP:
		return plane(lead, trail, 0xB0, 0xCF, 0xA1, 0.6, 0.1)
	case eucKR:
		return plane(lead, trail, 0xB0, 0xC8, 0xA1, 0.6, 0.1)
	}
	return plane(lead, trail, 0xA4, 0xC6, 0x40, 0.6, 0.2) // Big5
}

// plane is the value of a character inside the common plane, and outside it.
func plane(lead, trail, from, to, minTrail byte, inside, outside float64) float64 {
	switch {
	case trail < minTrail:
		return -0.2
	case lead >= from && lead <= to:
		return inside
	}
	return outside
}

// frequent is the characters that make up much of any text in the language.
func frequent(name string) string {
	switch name {
	case gbk, gb18030:
		return "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经十三之进着等部度家电力里如水化高自二理起小物现实加量都两体制机当使点从业本去把性好应开它合还因由其些然前外天政四日那社义事平形相全表间样与关各重新线内数正心反你明看原又么利比或但质气第向道命此变条只没结解问意建月公无系军很情者最立代想已通并提直题党程展五果料象员革位入常文总次品式活设及管特件长求老头基资边流路级少图山统接知较将组见计别她手角期根论运农指几九区强放决西被干做必战先回则任取据处理测试注释返回字符串默认值"
	case big5:
		return "的一是在不了有和人這中大為上個國我以要他時來用們生到作地於出就分對成會可主發年動同工也能下過子說產種面而方後多定行學法所民得經十三之進著等部度家電力裡如水化高自二理起小物現實加量都兩體制機當使點從業本去把性好應開它合還因由其些然前外天政四日那社義事平形相全表間樣與關各重新線內數正心反你明看原又麼利比或但質氣第向道命此變條只沒結解問意建月公無系軍很情者最立代想已通並提直題程式檔案測試說明返回字串預設值"
	case eucKR:
		return "이다는가을를에의한하고지사로은도기자아인대시스정어서그해리부있나수보주전일구장국원제들여면상동만게세조과공경성오성모라음안것되었습니까요년신용문치실학테트파값설명주석반환문자열기본생각합니다안녕하세요"
	case shiftJIS, eucJP:
		return "日本人年月大中国一二三十出上下分生学会時間前後行見先語文字列値返数件名入力処理設定使用確認変更追加削除表示実装関数取得対応開始終了試験注釈説明場合"
	}
	return ""
}
