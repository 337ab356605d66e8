package web

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
)

// decode gives text as UTF-8, and the name of what it was decoded from,
// empty for UTF-8. A byte order mark says what it is; else the header; else,
// in HTML and XML, the page itself; else it is UTF-8 if it can be, and
// Windows-1252 if not. A page that is said to be in Latin letters and is
// valid UTF-8 is UTF-8: servers say the one for all that they have. Cut is
// whether the body ends where it does because no more was read.
func decode(body []byte, declared string, html, cut bool) ([]byte, string) {
	switch {
	case bytes.HasPrefix(body, []byte("\xEF\xBB\xBF")):
		return clean(body[3:]), ""
	case bytes.HasPrefix(body, []byte("\xFF\xFE")):
		return decodeAs(body, unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)), "utf-16le"
	case bytes.HasPrefix(body, []byte("\xFE\xFF")):
		return decodeAs(body, unicode.UTF16(unicode.BigEndian, unicode.UseBOM)), "utf-16be"
	}
	name, e := lookup(declared)
	if name == "" {
		name, e = lookup(declaredWithin(body, html))
		if strings.HasPrefix(name, "utf-16") { // what said so was not in it
			name, e = "utf-8", nil
		}
	}
	whole := body
	if cut {
		whole = trimRune(body)
	}
	valid := utf8.Valid(whole)
	switch {
	case name == "utf-8", name == "" && valid, name == "windows-1252" && valid:
		return clean(whole), ""
	case name == "":
		name, e = "windows-1252", charmap.Windows1252
	}
	return decodeAs(body, e), name
}

func clean(b []byte) []byte { return bytes.ToValidUTF8(b, []byte("\uFFFD")) }

func decodeAs(b []byte, e encoding.Encoding) []byte {
	out, err := e.NewDecoder().Bytes(b)
	if err != nil {
		return clean(b)
	}
	return clean(out)
}

// declaredWithin is what a page says of its own characters, in a meta element
// or in the declaration of XML.
func declaredWithin(body []byte, html bool) string {
	head := bytes.ToLower(body[:min(len(body), 4096)])
	if bytes.HasPrefix(head, []byte("<?xml")) {
		if declaration, _, ok := bytes.Cut(head, []byte("?>")); ok {
			if name := valueAfter(declaration, "encoding"); name != "" {
				return name
			}
		}
	}
	for html {
		_, after, ok := bytes.Cut(head, []byte("<meta"))
		if !ok {
			break
		}
		element, rest, ok := bytes.Cut(after, []byte(">"))
		if !ok {
			break
		}
		if name := valueAfter(element, "charset"); name != "" {
			return name
		}
		head = rest
	}
	return ""
}

// valueAfter is the value in key=value, key="value".
func valueAfter(b []byte, key string) string {
	_, after, ok := bytes.Cut(b, []byte(key))
	after, isValue := bytes.CutPrefix(bytes.TrimSpace(after), []byte("="))
	if !ok || !isValue {
		return ""
	}
	value := bytes.TrimLeft(bytes.TrimSpace(after), `"'`)
	if end := bytes.IndexAny(value, "\"' ;/>\t\n\r"); end >= 0 {
		value = value[:end]
	}
	return string(value)
}

// lookup finds an encoding by the names that pages use; those of ASCII and
// Latin-1 mean Windows-1252, as they do for browsers. An unknown name is none.
func lookup(label string) (string, encoding.Encoding) {
	label = strings.ToLower(strings.Trim(strings.TrimSpace(label), `"'`))
	switch label {
	case "utf-8", "utf8", "unicode-1-1-utf-8", "x-unicode20utf8":
		return "utf-8", nil
	case "windows-1252", "cp1252", "x-cp1252", "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "l1", "ascii", "us-ascii", "ansi_x3.4-1968":
		return "windows-1252", charmap.Windows1252
	case "gbk", "gb2312", "gb_2312-80", "x-gbk", "csgb2312", "chinese", "gb18030":
		return "gb18030", simplifiedchinese.GB18030
	case "hz-gb-2312":
		return label, simplifiedchinese.HZGB2312
	case "big5", "big5-hkscs", "cn-big5", "x-x-big5":
		return "big5", traditionalchinese.Big5
	case "shift_jis", "shift-jis", "sjis", "x-sjis", "ms_kanji", "windows-31j", "cp932":
		return "shift_jis", japanese.ShiftJIS
	case "euc-jp", "x-euc-jp":
		return "euc-jp", japanese.EUCJP
	case "iso-2022-jp":
		return label, japanese.ISO2022JP
	case "euc-kr", "ks_c_5601-1987", "ksc5601", "windows-949", "korean", "cp949":
		return "euc-kr", korean.EUCKR
	case "utf-16", "utf-16le", "unicode", "ucs-2":
		return "utf-16le", unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM)
	case "utf-16be":
		return label, unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case "koi8-r", "koi8", "koi8_r":
		return "koi8-r", charmap.KOI8R
	case "koi8-u", "koi8-ru":
		return "koi8-u", charmap.KOI8U
	case "ibm866", "cp866", "866":
		return "ibm866", charmap.CodePage866
	case "macintosh", "mac", "x-mac-roman":
		return "macintosh", charmap.Macintosh
	}
	return lookupNumbered(label)
}

func lookupNumbered(label string) (string, encoding.Encoding) {
	for _, prefix := range []string{"windows-", "cp", "x-cp", "iso-8859-", "iso8859-", "iso_8859-"} {
		n, ok := strings.CutPrefix(label, prefix)
		if !ok {
			continue
		}
		if i := strings.IndexByte(n, ':'); i > 0 {
			n = n[:i]
		}
		if e := numbered(n); e != nil {
			if len(n) < 4 {
				return "iso-8859-" + n, e
			}
			return "windows-" + n, e
		}
	}
	return "", nil
}

// numbered is a table of Windows by its number, or a part of ISO 8859.
func numbered(n string) encoding.Encoding {
	switch n {
	case "874", "11":
		return charmap.Windows874
	case "1250":
		return charmap.Windows1250
	case "1251":
		return charmap.Windows1251
	case "1253":
		return charmap.Windows1253
	case "1254", "9":
		return charmap.Windows1254
	case "1255":
		return charmap.Windows1255
	case "1256":
		return charmap.Windows1256
	case "1257":
		return charmap.Windows1257
	case "1258":
		return charmap.Windows1258
	case "2":
		return charmap.ISO8859_2
	case "3":
		return charmap.ISO8859_3
	case "4":
		return charmap.ISO8859_4
	case "5":
		return charmap.ISO8859_5
	case "6":
		return charmap.ISO8859_6
	case "7":
		return charmap.ISO8859_7
	case "8", "8-i":
		return charmap.ISO8859_8
	case "10":
		return charmap.ISO8859_10
	case "13":
		return charmap.ISO8859_13
	case "14":
		return charmap.ISO8859_14
	case "15":
		return charmap.ISO8859_15
	case "16":
		return charmap.ISO8859_16
	}
	return nil
}
