package wire

import (
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

type named struct{ Name, Data string }

func decode(r io.Reader) (out []named, err error) {
	d := newDecoder(r)
	for {
		e, err := d.next()
		if errors.Is(err, io.EOF) {
			return out, nil
		}
		if err != nil {
			return out, err
		}
		out = append(out, named{e.Name, string(e.Data)})
	}
}

func TestDecoder(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, c := range []struct {
		name, in string
		want     []named
	}{
		{"plain", "data: a\n\ndata: b\n\n", []named{{"", "a"}, {"", "b"}}},
		{"named", "event: ping\ndata: {}\n\n", []named{{"ping", "{}"}}},
		{"crlf", "event: e\r\ndata: a\r\n\r\ndata: b\r\n\r\n", []named{{"e", "a"}, {"", "b"}}},
		{"cr", "data: a\r\rdata: b\r\r", []named{{"", "a"}, {"", "b"}}},
		{"lines of data", "data: a\ndata: b\ndata:\n\n", []named{{"", "a\nb\n"}}},
		{"comments", ": PROCESSING\n\n: again\ndata: a\n\n", []named{{"", "a"}}},
		{"no space, two spaces", "data:a\n\ndata:  b\n\n", []named{{"", "a"}, {"", " b"}}},
		{"a name without data", "event: x\n\ndata: a\n\n", []named{{"", "a"}}},
		{"blank data", "event: x\ndata:\n\ndata\n\ndata:  \n\ndata: a\n\n", []named{{"", "a"}}},
		{"unknown fields", "id: 1\nretry: 5\nfoo\ndata: a\n\n", []named{{"", "a"}}},
		{"byte order mark", "\xEF\xBB\xBFdata: a\n\n", []named{{"", "a"}}},
		{"no last blank line", "data: a\n\ndata: b", []named{{"", "a"}, {"", "b"}}},
		{"blank lines", "\n\n\ndata: a\n\n\n\n", []named{{"", "a"}}},
		{"long", "data: " + long + "\n\n", []named{{"", long}}},
		{"nothing", "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, r := range []io.Reader{
				strings.NewReader(c.in), iotest.OneByteReader(strings.NewReader(c.in)), iotest.DataErrReader(strings.NewReader(c.in)),
			} {
				got, err := decode(r)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(c.want, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestDecoderKeepsBackHalfAnEventOfABrokenStream(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("data: a\n\ndata: b"), iotest.ErrReader(io.ErrUnexpectedEOF))
	got, err := decode(broken)
	if diff := cmp.Diff([]named{{"", "a"}}, got); diff != "" || !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(diff, err)
	}
}

// pieces reads s in pieces whose lengths the seed decides.
type pieces struct {
	s   string
	rnd *rand.Rand
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.s == "" {
		return 0, io.EOF
	}
	n := copy(b[:min(len(b), 1+p.rnd.IntN(7))], p.s)
	p.s = p.s[n:]
	return n, nil
}

func FuzzDecoder(f *testing.F) {
	f.Add("event: a\r\ndata: 1\r\n\r\n: c\rdata: ä\rdata:\n\n\ndata: x", uint64(1))
	f.Add("\xEF\xBB\xBFdata\n\ndata:\r\n\r\r\n", uint64(2))
	f.Fuzz(func(t *testing.T, in string, seed uint64) {
		whole, err := decode(strings.NewReader(in))
		if err != nil {
			t.Fatal(err)
		}
		split, err := decode(&pieces{in, rand.New(rand.NewPCG(seed, 0))})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(whole, split); diff != "" {
			t.Error(diff)
		}
	})
}
