package llm

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/minicode-go/minicode/internal/tagged"
)

// Part is a piece of a message: [Text], [Thinking], [Image], [ToolCall] or
// [ToolResult].
type Part interface{ part() }

// Parts are the pieces of a message in order. They read and write JSON
// objects whose first key, "type", names the piece.
type Parts []Part

// Text is plain text.
type Text struct {
	Text string `json:"text"`
}

// Thinking is reasoning that the provider wants back byte for byte. Nothing
// in it is ever changed; it goes back only to the model family that made it.
type Thinking struct {
	Text      string   `json:"text,omitempty"`
	Signature string   `json:"signature,omitempty"`
	Raw       Verbatim `json:"raw,omitempty"` // the provider's whole block where it is more than text and signature: redacted thinking, server tool blocks
}

// Verbatim is JSON of a provider's whose every byte matters. It is stored as a
// string, which nothing on the way rewrites.
type Verbatim []byte

// MarshalJSON writes the bytes as a string.
func (v Verbatim) MarshalJSON() ([]byte, error) { return json.Marshal(string(v)) }

// UnmarshalJSON reads what MarshalJSON wrote.
func (v *Verbatim) UnmarshalJSON(data []byte) error {
	var s string
	err := json.Unmarshal(data, &s)
	*v = Verbatim(s)
	return err
}

// Image is a picture. Records hold the reference, never the bytes: Data is
// not written to JSON, and whoever reads a record loads it again by SHA256.
type Image struct {
	Media  string `json:"media"`  // such as "image/png"
	SHA256 string `json:"sha256"` // of Data, in hex
	Data   []byte `json:"-"`
}

// NewImage is an image with its reference computed.
func NewImage(media string, data []byte) Image {
	sum := sha256.Sum256(data)
	return Image{Media: media, SHA256: hex.EncodeToString(sum[:]), Data: data}
}

// ToolCall is the model's wish to use a tool.
type ToolCall struct {
	ID        string          `json:"id"`                  // unique in its session file
	Name      string          `json:"name"`                //
	Args      json.RawMessage `json:"args,omitempty"`      // always a JSON object, or nil when Malformed is set
	Malformed string          `json:"malformed,omitempty"` // what came instead of a JSON object, as it came
	Wire      string          `json:"wire,omitempty"`      // the provider's own id, where ID differs from it
	Signature string          `json:"signature,omitempty"` // opaque, where the provider signs calls (Gemini)
}

// ToolResult answers the call whose ID is Call.
type ToolResult struct {
	Call  string `json:"call"`
	Name  string `json:"name"`
	Parts Parts  `json:"parts"`
	Error bool   `json:"error,omitempty"`
	Meta  Meta   `json:"meta,omitzero"`
}

// Meta is what is known of a result besides what the model reads. It is
// stored and never sent.
type Meta struct {
	Read  []FileRead  `json:"read,omitempty"`  // files the model has now seen
	Wrote []FileWrite `json:"wrote,omitempty"` // files changed
	Again bool        `json:"again,omitempty"` // running the call again would give the same, so the text may be cleared
	Exit  *int        `json:"exit,omitempty"`  // a command's exit code
	Saved string      `json:"saved,omitempty"` // absolute path of the file that holds the whole output
	Size  int64       `json:"size,omitempty"`  // bytes of the whole output, where it was cut
	Child string      `json:"child,omitempty"` // session of a sub-agent
}

// FileRead is one file that a call read.
type FileRead struct {
	Path   string `json:"path"`   // absolute, links resolved
	SHA256 string `json:"sha256"` // of the whole file, in hex
	Whole  bool   `json:"whole,omitempty"`
}

// FileWrite is one file that a call wrote. An empty SHA256 says that the file
// is gone or that its new content is not known.
type FileWrite struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256,omitempty"`
	Added   int    `json:"added,omitempty"`   // lines
	Removed int    `json:"removed,omitempty"` // lines
}

func (Text) part()       {}
func (Thinking) part()   {}
func (Image) part()      {}
func (ToolCall) part()   {}
func (ToolResult) part() {}

var parts = tagged.New(map[string]Part{
	"text": Text{}, "thinking": Thinking{}, "image": Image{}, "tool_call": ToolCall{}, "tool_result": ToolResult{},
})

// MarshalJSON writes the parts as an array; none is an empty array.
func (ps Parts) MarshalJSON() ([]byte, error) {
	out := []byte{'['}
	for i, p := range ps {
		b, err := parts.Encode(p)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, b...)
	}
	return append(out, ']'), nil
}

// UnmarshalJSON reads what MarshalJSON wrote. A part of an unknown type is
// passed over, so that a newer program's session can still be read.
func (ps *Parts) UnmarshalJSON(data []byte) error {
	var raw []json.RawMessage
	if err := json.Unmarshal(data, &raw); err != nil {
		return err
	}
	*ps = make(Parts, 0, len(raw))
	for _, r := range raw {
		p, err := parts.Decode(r)
		if isUnknown(err) {
			continue
		}
		if err != nil {
			return err
		}
		*ps = append(*ps, p)
	}
	return nil
}
