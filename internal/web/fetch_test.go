package web

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/minicode-go/minicode/event"
)

func TestFetch(t *testing.T) {
	_, port := serve(t, page("text/html; charset=utf-8", `<title>A &amp; B</title><nav>no</nav><main><h1>H</h1><p>Words <a href="x">x</a>.</p></main>`))
	k := newKit(t, nil)
	action, err := k.prepare("web_fetch", map[string]any{"url": "http://Site.test:" + port + "/p#top"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]event.Effect{{Kind: event.Net, Target: "site.test"}}, action.Effects); diff != "" {
		t.Errorf("effects (-want +got):\n%s", diff)
	}
	if want := "Fetch http://site.test:" + port + "/p#top"; action.Title != want || action.Preview.Text != "GET "+want[6:] {
		t.Errorf("%q, %q", action.Title, action.Preview.Text)
	}
	result, err := action.Run(t.Context(), nil)
	if err != nil || result.Error || !result.Meta.Again {
		t.Fatalf("%+v, %v", result, err)
	}
	want := "URL: http://site.test:" + port + "/p\nSTATUS: 200 OK\nCONTENT_TYPE: text/html\nTITLE: A & B\n\n# H\n\nWords [x](http://site.test:" + port + "/x)."
	if diff := cmp.Diff(want, result.Parts.Text()); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
}

func TestFetchArguments(t *testing.T) {
	k := newKit(t, nil)
	for want, args := range map[string]map[string]any{
		"write https://example.com": {"url": "example.com"},
		"url":                       {},
		"max_chars":                 {"url": "https://example.com", "max_chars": 5},
		"use read_file":             {"url": "file:///etc/passwd"},
	} {
		if _, err := k.prepare("web_fetch", args); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v, want %q", args, err, want)
		}
	}
	if _, err := Tools(Options{Reach: []string{"x"}}); err == nil || !strings.Contains(err.Error(), "web.fetch.allow") {
		t.Errorf("Reach: %v", err)
	}
}

func TestRedirects(t *testing.T) {
	var hits atomic.Int32
	var port string
	_, port = serve(t, func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		if c := r.Header.Get("Cookie"); c != "" {
			t.Errorf("a cookie was sent: %s", c)
		}
		w.Header().Set("Content-Type", "text/html")
		http.SetCookie(w, &http.Cookie{Name: "session", Value: "1"})
		switch r.URL.Path {
		case "/end":
			fmt.Fprintf(w, "<p>the end of %s", r.URL.RawQuery)
		case "/loop":
			w.Header().Set("Location", "/loop")
			w.WriteHeader(http.StatusMovedPermanently)
		case "/file":
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(http.StatusFound)
		case "/meta":
			fmt.Fprint(w, `<meta http-equiv=refresh content="0; url=/end?meta"><p>wait`)
		case "/meta-away":
			fmt.Fprint(w, `<meta http-equiv=refresh content="0; url=http://other.test/x"><p>wait`)
		case "/none":
			w.WriteHeader(http.StatusFound)
		default: // in steps: /9, /8, …
			n := int(r.URL.Path[1] - '0')
			if to := fmt.Sprintf("/%d", n-1); n > 0 && n <= 9 {
				w.Header().Set("Location", to)
			} else if n == 0 {
				w.Header().Set("Location", "/end?"+r.URL.RawQuery)
			} else {
				w.Header().Set("Location", "/"+string(rune('0'+n+1))) // without end
			}
			w.WriteHeader(http.StatusTemporaryRedirect)
		}
	})
	k := newKit(t, nil)
	at := "http://site.test:" + port
	wantIn(t, k.fetch(at+"/3"), "URL: "+at+"/end?\n", "the end of")
	wantIn(t, k.fetch(at+"/meta"), "URL: "+at+"/end?meta", "the end of meta")
	wantIn(t, k.fetch(at+"/meta-away"), "REDIRECT: the page itself sends on to http://other.test/x")
	wantIn(t, k.fetch(at+"/file"), "REDIRECT: 302 Found to file:///etc/passwd", "It cannot be: it is a file")
	k.fails(at+"/loop", "redirects to the same address", "cookie")
	k.fails(at+"/none", "HTTP 302", "does not say where")
	hits.Store(0)
	k.fails(at+"/A", "on and on", "10 times")
	if n := hits.Load(); n != maxHops {
		t.Errorf("%d requests were made, want %d", n, maxHops)
	}
}

// TestBounds counts what is read of answers that are too large, slow or
// without end.
func TestBounds(t *testing.T) {
	sent := make(chan int64, 1)
	ended := make(chan struct{})
	_, port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		switch r.URL.Path {
		case "/endless":
			var n int64
			for {
				c, err := w.Write([]byte(strings.Repeat("endless line\n", 1000)))
				if n += int64(c); err != nil {
					sent <- n
					return
				}
			}
		case "/bomb":
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			zeros := make([]byte, 1<<20)
			for i := range zeros {
				zeros[i] = 'a'
			}
			for i := 0; ; i++ {
				if _, err := z.Write(zeros); err != nil || i > 10_000 {
					sent <- int64(i) << 20
					return
				}
			}
		case "/slow":
			fmt.Fprint(w, "a few words")
			w.(http.Flusher).Flush()
			<-r.Context().Done()
			close(ended)
		case "/silent":
			<-r.Context().Done()
		case "/broken":
			w.Header().Set("Content-Length", "5000")
			fmt.Fprint(w, strings.Repeat("x", 2000))
		case "/broken-early":
			w.Header().Set("Content-Length", "5000")
			fmt.Fprint(w, "x")
		case "/no-gzip":
			w.Header().Set("Content-Encoding", "gzip")
			fmt.Fprint(w, "this is not gzip")
		case "/brotli":
			w.Header().Set("Content-Encoding", "br")
			fmt.Fprint(w, "xx")
		case "/exact":
			fmt.Fprint(w, strings.Repeat("x", 100_000))
		case "/headers":
			w.Header().Set("X-Long", strings.Repeat("h", 1<<20))
			fmt.Fprint(w, "x")
		}
	})
	at := "http://site.test:" + port
	k := newKit(t, func(o *Options) { o.MaxBytes = 100_000 })
	text := k.fetch(at + "/endless")
	wantIn(t, text, "CUT: the page is larger", "TRUNCATED: yes - characters 1 to 119")
	if n := <-sent; n > 16<<20 { // what fits into the buffers on the way
		t.Errorf("the server sent %d bytes", n)
	}
	wantIn(t, k.fetch(at+"/bomb"), "CUT: the page is larger")
	if n := <-sent; n > 9000<<20 {
		t.Errorf("%d bytes were decompressed", n)
	}
	if text := k.fetch(at + "/exact"); strings.Contains(text, "CUT") {
		t.Error("a page of just the limit is called cut")
	}
	k.fails(at+"/broken", "broke off after 2 kB")
	k.fails(at+"/broken-early", "broke off after 1 bytes")
	k.fails(at+"/no-gzip", "could not be fetched", "gzip")
	k.fails(at+"/brotli", "compressed with br", "curl --compressed")
	k.fails(at+"/headers", "could not be fetched")

	k = newKit(t, func(o *Options) { o.Timeout = 200 * time.Millisecond })
	k.fails(at+"/slow", "sent 11 bytes in 200ms and was not done", "curl --max-time")
	<-ended
	k.fails(at+"/silent", "did not answer within 200ms")
}

// TestCancel ends a call in its middle.
func TestCancel(t *testing.T) {
	reached := make(chan struct{})
	_, port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprint(w, "some")
		w.(http.Flusher).Flush()
		close(reached)
		<-r.Context().Done()
	})
	k := newKit(t, nil)
	action, err := k.prepare("web_fetch", map[string]any{"url": "http://site.test:" + port})
	if err != nil {
		t.Fatal(err)
	}
	stop := errors.New("the person stopped it")
	ctx, cancel := context.WithCancelCause(t.Context())
	go func() { <-reached; cancel(stop) }()
	if _, err := action.Run(ctx, nil); !errors.Is(err, stop) {
		t.Errorf("the error is %v", err)
	}
}

func TestStatuses(t *testing.T) {
	_, port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		var code int
		_, _ = fmt.Sscanf(r.URL.Path, "/%d", &code)
		w.Header().Set("Retry-After", "30")
		w.WriteHeader(code)
		fmt.Fprint(w, "<p>secret instructions")
	})
	k := newKit(t, nil)
	for code, want := range map[int]string{
		401: "login", 403: "does not serve programs", 404: "web_search", 410: "no such page", 429: "for 30 seconds", 500: "may succeed later", 503: "left alone", 418: "HTTP 418 I'm a teapot", 599: "HTTP 599: ",
	} {
		at := fmt.Sprintf("http://site.test:%s/%d", port, code)
		k.fails(at, fmt.Sprintf("HTTP %d", code), at, want)
		if text, _ := k.call("web_fetch", map[string]any{"url": at}); strings.Contains(text, "instructions") {
			t.Errorf("%d: the body of an error is told", code)
		}
	}
	k.fails("http://nowhere.test/", "there is no host nowhere.test", "web_search")
}

// TestKinds is of what becomes of documents that are no HTML.
func TestKinds(t *testing.T) {
	_, port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Type"] = r.URL.Query()["type"]
		_, _ = io.WriteString(w, r.URL.Query().Get("body"))
	})
	k := newKit(t, nil)
	for _, c := range []struct {
		contentType, body string
		want              string // "" is: as it is
		fails             string
	}{
		{"application/json", "{\"a\": [1,  2]}\n", "", ""},
		{"application/vnd.api+json", `{"a":1}`, "", ""},
		{"text/plain; charset=utf-8", "# no heading\n  <p>x</p>", "", ""},
		{"text/markdown", "# heading", "", ""},
		{"text/csv", "a,b\n1,2", "", ""},
		{"application/rss+xml", "<rss><item/></rss>", "", ""},
		{"image/svg+xml", "<svg><text>x</text></svg>", "", ""},
		{"application/octet-stream", "plain words", "", ""},
		{"application/x-something", "plain words", "", ""},
		{"", "<!DOCTYPE html><p>hello", "hello", ""},
		{"", "plain", "plain", ""},
		{"text/html", "", "The page is empty.", ""},
		{"text/plain", "", "The page is empty.", ""},
		{"application/xhtml+xml", "<html><body><p>hello</p></body></html>", "hello", ""},
		{"TEXT/HTML ; Charset=\"utf-8\"", "<p>hello", "hello", ""},
		{"text/html;;;bad", "<p>hello", "hello", ""},
		{"application/pdf", "%PDF-1.7 x", "", "PDF"},
		{"text/html", "%PDF-1.7 x", "", "pdftotext"},
		{"application/octet-stream", "%PDF-1.4", "", "curl -L -o FILE 'http://site.test"},
		{"image/png", "\x89PNG\r\n\x1a\n", "", "an image (image/png"},
		{"application/octet-stream", "\x89PNG\r\n\x1a\n", "", "read_file"},
		{"application/zip", "PK\x03\x04", "", "binary (application/zip"},
		{"application/octet-stream", "PK\x03\x04\x00", "", "binary (application/zip"},
		{"application/octet-stream", "\x00\x01\x02", "", "binary (application/octet-stream"},
		{"text/plain", "\x7fELF\x00\x00", "", "binary"},
		{"text/html", "\x00\x00\x00\x01", "", "binary"},
		{"video/mp4", "plain", "", "binary (video/mp4"},
		{"font/woff2", "wOF2", "", "binary"},
	} {
		at := "http://site.test:" + port + "/?" + queryOf("type", c.contentType, "body", c.body)
		if c.fails != "" {
			k.fails(at, c.fails, "could not be fetched")
			continue
		}
		text, err := k.call("web_fetch", map[string]any{"url": at})
		_, got, _ := strings.Cut(text, "\n\n")
		if want := firstOf(c.want, strings.TrimRight(c.body, "\n")); err != nil || got != want {
			t.Errorf("%q %q: %q, want %q (%v)", c.contentType, c.body, got, want, err)
		}
	}
	// What stands in an address must not end the word of a shell.
	k.fails("http://site.test:"+port+"/?type=application/pdf&x='$(id)'", "%27$(id)%27")
}

func queryOf(pairs ...string) string {
	var b strings.Builder
	for i := 0; i < len(pairs); i += 2 {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(pairs[i] + "=")
		for _, c := range []byte(pairs[i+1]) {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

func TestScriptedPage(t *testing.T) {
	_, port := serve(t, page("text/html", `<title>App</title><div id=root></div><script src=app.js></script>`))
	wantIn(t, newKit(t, nil).fetch("http://site.test:"+port), "TITLE: App", "scripts make it")
}

// TestCharsets sends the same words in many encodings, declared in many ways.
func TestCharsets(t *testing.T) {
	encode := func(e encoding.Encoding, s string) string {
		out, err := e.NewEncoder().String(s)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	var contentType, body string
	_, port := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = io.WriteString(w, body)
	})
	k := newKit(t, nil)
	for _, c := range []struct{ name, contentType, body, want, from string }{
		{"by header", "text/html; charset=gb2312", encode(simplifiedchinese.GBK, "<p>编码测试"), "编码测试", "gb18030"},
		{"by meta", "text/html", `<meta charset="Shift_JIS"><p>` + encode(japanese.ShiftJIS, "文字コード"), "文字コード", "shift_jis"},
		{"by the old meta", "text/html", `<META HTTP-EQUIV="content-type" CONTENT="text/html; charset=windows-1251"><p>` + encode(charmap.Windows1251, "Привет"), "Привет", "windows-1251"},
		{"by the declaration of XML", "application/xhtml+xml", `<?xml version="1.0" encoding="euc-kr"?><html><body><p>` + encode(korean.EUCKR, "안녕하세요"), "안녕하세요", "euc-kr"},
		{"header before meta", "text/html; charset=big5", `<meta charset=utf-8><p>` + encode(traditionalchinese.Big5, "繁體中文"), "繁體中文", "big5"},
		{"UTF-8 with a mark", "text/html; charset=iso-8859-1", "\xEF\xBB\xBF<p>é", "é", ""},
		{"UTF-16 with a mark", "text/html", "\xFF\xFE" + encode(unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM), "<p>é漢"), "é漢", "utf-16le"},
		{"UTF-16 of the other order", "text/plain", "\xFE\xFF" + encode(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "é漢"), "é漢", "utf-16be"},
		{"UTF-16 by header", "text/html; charset=utf-16be", encode(unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM), "<p>é漢"), "é漢", "utf-16be"},
		{"a meta that says UTF-16 cannot be", "text/html", "<meta charset=utf-16><p>é", "é", ""},
		{"nothing is said, UTF-8", "text/plain", "é漢", "é漢", ""},
		{"nothing is said, not UTF-8", "text/plain", "caf\xe9 \x93x\x94", "café “x”", "windows-1252"},
		{"Latin-1 is Windows-1252", "text/plain; charset=ISO-8859-1", "\x80 caf\xe9", "€ café", "windows-1252"},
		{"called Latin-1, is UTF-8", "text/plain; charset=latin1", "café €", "café €", ""},
		{"called ASCII, is ASCII", "text/plain; charset=us-ascii", "cafe", "cafe", ""},
		{"an unknown name", "text/plain; charset=klingon", "é", "é", ""},
		{"called UTF-8, is not", "text/plain; charset=utf-8", "caf\xe9", "caf\uFFFD", ""},
		{"ISO 8859-2", "text/plain; charset=iso-8859-2", encode(charmap.ISO8859_2, "łódź"), "łódź", "iso-8859-2"},
		{"Windows-1250", "text/plain; charset=cp1250", encode(charmap.Windows1250, "łódź"), "łódź", "windows-1250"},
		{"KOI8-R", "text/plain; charset=KOI8-R", encode(charmap.KOI8R, "Привет"), "Привет", "koi8-r"},
		{"ISO-2022-JP", "text/plain; charset=iso-2022-jp", encode(japanese.ISO2022JP, "文字"), "文字", "iso-2022-jp"},
		{"meta in plain text is text", "text/plain", "<meta charset=gbk>é", "<meta charset=gbk>é", ""},
	} {
		contentType, body = c.contentType, c.body
		text, err := k.call("web_fetch", map[string]any{"url": "http://site.test:" + port})
		_, got, _ := strings.Cut(text, "\n\n")
		if err != nil || got != c.want {
			t.Errorf("%s: %q, want %q (%v)", c.name, got, c.want, err)
		}
		if from := "decoded from " + c.from; strings.Contains(text, "decoded from") != (c.from != "") || c.from != "" && !strings.Contains(text, from+"\n") {
			t.Errorf("%s: want %q in\n%s", c.name, from, text)
		}
	}
	for _, n := range []string{"1250", "1251", "1253", "1254", "1255", "1256", "1257", "1258", "874"} {
		if name, e := lookup("windows-" + n); e == nil || name == "" {
			t.Errorf("windows-%s is not known", n)
		}
	}
	for _, n := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16} {
		if name, e := lookup(fmt.Sprintf("ISO-8859-%d", n)); e == nil || name == "" {
			t.Errorf("iso-8859-%d is not known", n)
		}
	}
}

func TestMaxChars(t *testing.T) {
	var b strings.Builder
	for i := range 400 {
		fmt.Fprintf(&b, "<h2 id=s%d>Section %d</h2><p>%s</p>\n", i, i, strings.Repeat("é ", 20))
	}
	_, port := serve(t, page("text/html", "<main>"+b.String()+"</main>"))
	k := newKit(t, nil)
	at := "http://site.test:" + port
	text := k.fetch(at)
	_, body, _ := strings.Cut(text, "\n\n")
	if n := len([]rune(body)); n > defaultChars || n < defaultChars-200 {
		t.Errorf("%d characters", n)
	}
	wantIn(t, text, "TRUNCATED: yes - characters 1 to 119", "max_chars ")
	var total, more int
	_, note, _ := strings.Cut(text, "TRUNCATED: ")
	var from, to int
	if _, err := fmt.Sscanf(note, "yes - characters %d to %d of %d; for more, call web_fetch again with max_chars %d", &from, &to, &total, &more); err != nil {
		t.Fatal(err)
	}
	text, err := k.call("web_fetch", map[string]any{"url": at, "max_chars": more})
	if err != nil || strings.Contains(text, "TRUNCATED") || !strings.Contains(text, "## Section 399") {
		t.Errorf("with max_chars %d: %v\n%.300s", more, err, text)
	}
	text = k.fetch(at + "#s300")
	wantIn(t, text, "BEGINS_AT: #s300\n", "\n\n## Section 300")
	if strings.Contains(text, "Section 299") || strings.Contains(text, "TRUNCATED") {
		t.Errorf("the fragment does not begin the text:\n%.300s", text)
	}
	if text := k.fetch(at + "#nope"); strings.Contains(text, "BEGINS_AT") || !strings.Contains(text, "## Section 0") {
		t.Errorf("a fragment that is not there:\n%.300s", text)
	}
}

func TestExcerpt(t *testing.T) {
	for _, c := range []struct {
		text  string
		chars int
		want  string
	}{{"", 5, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc"}, {"ééé", 2, "éé"}, {"abc\nde", 5, "abc"}, {"a\nbcdefgh", 6, "a\nbcde"}} {
		if got := excerpt(c.text, c.chars); got != c.want {
			t.Errorf("excerpt(%q, %d) = %q, want %q", c.text, c.chars, got, c.want)
		}
	}
}

func TestCache(t *testing.T) {
	var hits atomic.Int32
	_, port := serve(t, func(w http.ResponseWriter, r *http.Request) {
		hits.Add(1)
		w.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/no":
			w.Header().Set("Cache-Control", "max-age=60, No-Store")
		case "/gone":
			w.WriteHeader(http.StatusNotFound)
		case "/big":
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprint(w, strings.Repeat("x", 3<<20))
			return
		}
		fmt.Fprintf(w, "<h2 id=a>A</h2><h2 id=b>B</h2>%d", hits.Load())
	})
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	k := newKit(t, func(o *Options) { o.Now = func() time.Time { return now } })
	at := "http://site.test:" + port
	count := func(want int32, paths ...string) {
		t.Helper()
		hits.Store(0)
		for _, p := range paths {
			_, _ = k.call("web_fetch", map[string]any{"url": at + p})
		}
		if got := hits.Load(); got != want {
			t.Errorf("%v: %d requests, want %d", paths, got, want)
		}
	}
	count(1, "/x", "/x", "/x#a", "/x#b")
	wantIn(t, k.fetch(at+"/x#b"), "BEGINS_AT: #b\n\n## B")
	wantIn(t, k.fetch(at+"/x"), "## A")
	now = now.Add(keepFor - time.Second)
	count(0, "/x")
	now = now.Add(2 * time.Second)
	count(1, "/x", "/x")
	count(2, "/no", "/no")
	count(2, "/gone", "/gone")
	count(2, "/x?1", "/x?2")
	count(6, "/big?1", "/big?2", "/big?3", "/big?4", "/big?5", "/big?6")
	count(1, "/big?1", "/big?6") // the first of them had to go
	for i := range 2 * keepPages {
		k.fetch(fmt.Sprintf("%s/many?%d", at, i))
	}
	count(1, "/many?0", fmt.Sprintf("/many?%d", 2*keepPages-1))

	// What this machine serves is changed while one works on it.
	at = "http://localhost:" + port
	count(2, "/x", "/x")
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("<meta charset=gbk>\xc4\xe3"), "text/html")
	f.Add([]byte("\xFE\xFF\x00a"), "")
	f.Add([]byte("<?xml encoding='utf-16'?>"), "text/plain; charset=x")
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		media, params, k := kindOf(contentType, body[:min(len(body), 1024)])
		if strings.ContainsAny(media, "\n\r") {
			t.Fatalf("media %q", media)
		}
		out, _ := decode(body, params["charset"], k == markup, len(body)%2 == 0)
		if len(out) > 6*len(body)+8 || strings.ToValidUTF8(string(out), "") != string(out) {
			t.Fatalf("%q", out)
		}
	})
}
