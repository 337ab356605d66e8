package htmltree

import (
	"bytes"
	"html"
	"strings"
)

const blanks = " \t\n\f\r"

// attributes are those of a start tag, raw, that say something; of two with
// one name, the first.
func attributes(tag []byte) []attr {
	tag = bytes.TrimSuffix(tag, []byte(">"))
	at := bytes.IndexAny(tag, blanks+"/")
	if at < 0 {
		return nil
	}
	var all []attr
	rest := tag[at:]
	for range maxAttrs {
		rest = bytes.TrimLeft(rest, blanks+"/")
		if len(rest) == 0 {
			break
		}
		end := bytes.IndexAny(rest[1:], blanks+"/=") + 1 // a name may begin with =
		if end == 0 {
			end = len(rest)
		}
		name := strings.ToLower(string(rest[:end]))
		var value []byte
		value, rest = attributeValue(bytes.TrimLeft(rest[end:], blanks))
		if !says(name) || len(value) > maxAttrValue {
			continue
		}
		a := attr{name, unescape(string(value))}
		if (&Node{attrs: all}).Has(name) {
			continue
		}
		all = append(all, a)
	}
	return all
}

// attributeValue takes ="value" from the beginning of b, if it is there.
func attributeValue(b []byte) (value, rest []byte) {
	if len(b) == 0 || b[0] != '=' {
		return nil, b
	}
	b = bytes.TrimLeft(b[1:], blanks)
	if len(b) > 0 && (b[0] == '"' || b[0] == '\'') {
		value, rest, _ = bytes.Cut(b[1:], b[:1])
		return value, rest
	}
	if end := bytes.IndexAny(b, blanks); end >= 0 {
		return b[:end], b[end:]
	}
	return b, nil
}

// unescape decodes the references in the value of an attribute. Those without
// a semicolon stay, for addresses are full of what looks like them.
func unescape(s string) string {
	if !strings.Contains(s, "&") {
		return s
	}
	var b strings.Builder
	for {
		before, after, ok := strings.Cut(s, "&")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		const longest = 40
		name, _, ok := strings.Cut(after[:min(len(after), longest)], ";")
		if !ok || name == "" || strings.Trim(name, "#abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789") != "" {
			b.WriteByte('&')
			s = after
			continue
		}
		decoded := html.UnescapeString("&" + name + ";")
		if strings.HasSuffix(decoded, ";") && name != "semi" { // it is none, or was taken for a shorter one
			decoded = "&" + name + ";"
		}
		b.WriteString(decoded)
		s = after[len(name)+1:]
	}
}
