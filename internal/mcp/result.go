package mcp

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/minicode-go/minicode/internal/raster"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// resultOf is what the model gets of a server's answer.
func resultOf(r *sdk.CallToolResult) tool.Result {
	out := tool.Result{Parts: contents(r.Content), Error: r.IsError}
	if text := out.Parts.Text(); r.StructuredContent != nil && strings.TrimSpace(text) == "" {
		if data, err := json.Marshal(r.StructuredContent); err == nil {
			out.Parts = append(out.Parts, llm.Text{Text: string(data)})
		}
	}
	if len(out.Parts) == 0 {
		out.Parts = llm.Parts{llm.Text{Text: "(no output)"}}
	}
	return out
}

// contents turns the protocol's blocks into parts, texts that follow each
// other into one.
func contents(blocks []sdk.Content) (parts llm.Parts) {
	text := func(t string) {
		if t = strings.ToValidUTF8(t, "\ufffd"); t == "" {
			return
		}
		if n := len(parts); n > 0 {
			if before, ok := parts[n-1].(llm.Text); ok {
				parts[n-1] = llm.Text{Text: before.Text + "\n\n" + t}
				return
			}
		}
		parts = append(parts, llm.Text{Text: t})
	}
	for _, b := range blocks {
		switch b := b.(type) {
		case *sdk.TextContent:
			text(b.Text)
		case *sdk.ImageContent:
			if image, why := imageOf(b.MIMEType, b.Data); why == "" {
				parts = append(parts, image)
			} else {
				text(why)
			}
		case *sdk.AudioContent:
			text(fmt.Sprintf("[audio, %s, %d bytes: cannot be shown]", b.MIMEType, len(b.Data)))
		case *sdk.ResourceLink:
			text(strings.TrimSpace(fmt.Sprintf("[resource %s] %s %s", b.URI, b.Name, b.Description)))
		case *sdk.EmbeddedResource:
			if b.Resource != nil {
				parts = append(parts, resource(b.Resource)...)
			}
		default:
			data, err := json.Marshal(b)
			if err == nil {
				text(string(data))
			}
		}
	}
	return parts
}

// resource is the content of a resource.
func resource(r *sdk.ResourceContents) llm.Parts {
	switch {
	case r.Text != "" || len(r.Blob) == 0:
		return llm.Parts{llm.Text{Text: strings.ToValidUTF8(r.Text, "\ufffd")}}
	case strings.HasPrefix(r.MIMEType, "image/"):
		if image, why := imageOf(r.MIMEType, r.Blob); why == "" {
			return llm.Parts{image}
		}
	}
	return llm.Parts{llm.Text{Text: fmt.Sprintf("[%s, %s, %d bytes: cannot be shown]", r.URI, orText(r.MIMEType, "binary"), len(r.Blob))}}
}

// imageOf is an image that providers take, or the words for one that they do
// not. What it is is told by its bytes, whatever the server says.
func imageOf(media string, data []byte) (image llm.Image, why string) {
	real := raster.Media(data)
	switch {
	case real == "":
		return llm.Image{}, fmt.Sprintf("[image, %s, %d bytes: not one that can be shown]", media, len(data))
	case len(data) > raster.Largest:
		return llm.Image{}, fmt.Sprintf("[image, %s, %d bytes: too large to be shown; at most %d]", real, len(data), raster.Largest)
	}
	if err := raster.Check(real, data); err != nil {
		return llm.Image{}, fmt.Sprintf("[image, %s, %d bytes: %v]", real, len(data), err)
	}
	sum := sha256.Sum256(data)
	return llm.Image{Media: real, SHA256: hex.EncodeToString(sum[:]), Data: data}, ""
}
