package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// Prompt is a prompt of a server, which a person uses as a command.
type Prompt struct {
	Command     string // mcp__server__prompt
	Server, Own string
	Description string
	Arguments   []Argument
}

// Argument is what a prompt takes.
type Argument struct {
	Name, Description string
	Required          bool
}

// Prompts is the prompts of the servers that are there.
func (v *Servers) Prompts() (out []Prompt) {
	for _, s := range v.all {
		s.mu.Lock()
		prompts := s.offered.prompts
		s.mu.Unlock()
		var own []string
		for _, p := range prompts {
			own = append(own, p.Name)
		}
		named := names(s.Name, own)
		for _, p := range prompts {
			one := Prompt{Command: named[p.Name], Server: s.Name, Own: p.Name, Description: orText(p.Description, p.Title)}
			for _, a := range p.Arguments {
				one.Arguments = append(one.Arguments, Argument{a.Name, a.Description, a.Required})
			}
			out = append(out, one)
		}
	}
	return out
}

// Prompt is what a prompt of a server says, with these arguments.
func (v *Servers) Prompt(ctx context.Context, server, name string, args map[string]string) (string, error) {
	s, err := v.find(server)
	if err != nil {
		return "", err
	}
	var got *sdk.GetPromptResult
	err = s.do(ctx, "the prompt "+name, "", nil, func(ctx context.Context, session *sdk.ClientSession) (err error) {
		got, err = session.GetPrompt(ctx, &sdk.GetPromptParams{Name: name, Arguments: args})
		return err
	})
	if err != nil {
		return "", err
	}
	var texts []string
	for _, m := range got.Messages {
		text := contents([]sdk.Content{m.Content}).Text()
		if m.Role == "assistant" {
			text = "[assistant] " + text
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, "\n\n"), nil
}

// helper is one of the tools that list and read what servers have besides
// tools.
type helper struct {
	spec    llm.ToolSpec
	prepare func(ctx context.Context, in request) (tool.Action, error)
}

// request is the arguments of all helpers.
type request struct {
	Server    string            `json:"server"`
	URI       string            `json:"uri"`
	Name      string            `json:"name"`
	Arguments map[string]string `json:"arguments"`
}

// Spec is what a model is told.
func (h helper) Spec() llm.ToolSpec { return h.spec }

// Prepare reads the arguments.
func (h helper) Prepare(ctx context.Context, args json.RawMessage) (tool.Action, error) {
	var in request
	if err := json.Unmarshal(args, &in); err != nil && len(args) > 0 {
		return tool.Action{}, errors.New("the arguments must be a JSON object with texts in it")
	}
	return h.prepare(ctx, in)
}

func (v *Servers) helpers() []tool.Tool {
	const (
		server = `{"type":"object","properties":{"server":{"type":"string","description":"only of this server"}}}`
		read   = `{"type":"object","properties":{"server":{"type":"string"},"uri":{"type":"string"}},"required":["server","uri"]}`
		get    = `{"type":"object","properties":{"server":{"type":"string"},"name":{"type":"string"},"arguments":{"type":"object","additionalProperties":{"type":"string"}}},"required":["server","name"]}`
	)
	tools := []tool.Tool{
		helper{llm.ToolSpec{Name: "get_mcp_prompt", Description: "Gets a prompt of an MCP server.", Schema: []byte(get)}, v.getPrompt},
		helper{llm.ToolSpec{Name: "list_mcp_prompts", Description: "Lists the prompts of MCP servers.", Schema: []byte(server)}, v.listPrompts},
		helper{llm.ToolSpec{Name: "list_mcp_resources", Description: "Lists the resources of MCP servers.", Schema: []byte(server)}, v.listResources},
		helper{llm.ToolSpec{Name: "read_mcp_resource", Description: "Reads a resource of an MCP server.", Schema: []byte(read)}, v.readResource},
	}
	return tools
}

// listing is an action that only tells what is known.
func listing(title string, lines func() []string) tool.Action {
	return tool.Action{Title: title, Run: func(context.Context, tool.Emit) (tool.Result, error) {
		all := lines()
		if len(all) == 0 {
			return tool.TextResult("There are none."), nil
		}
		return tool.TextResult(strings.Join(all, "\n")), nil
	}}
}

// of is the servers that a helper is about.
func (v *Servers) of(name string) ([]*server, error) {
	if name == "" {
		return v.all, nil
	}
	s, err := v.find(name)
	return []*server{s}, err
}

func (v *Servers) listResources(_ context.Context, in request) (tool.Action, error) {
	servers, err := v.of(in.Server)
	if err != nil {
		return tool.Action{}, err
	}
	return listing("List the resources of MCP servers", func() (lines []string) {
		for _, s := range servers {
			s.mu.Lock()
			for _, r := range s.offered.resources {
				lines = append(lines, entry(s.Name, r.URI, r.Name, r.Description))
			}
			for _, r := range s.offered.templates {
				lines = append(lines, entry(s.Name, r.URITemplate, r.Name, r.Description))
			}
			s.mu.Unlock()
		}
		return lines
	}), nil
}

func entry(server, uri, name, description string) string {
	text := fmt.Sprintf("%s: %s (%s)", server, uri, name)
	if description != "" {
		text += " - " + shorten(description, 200)
	}
	return text
}

func (v *Servers) listPrompts(_ context.Context, in request) (tool.Action, error) {
	servers, err := v.of(in.Server)
	if err != nil {
		return tool.Action{}, err
	}
	return listing("List the prompts of MCP servers", func() (lines []string) {
		for _, s := range servers {
			s.mu.Lock()
			for _, p := range s.offered.prompts {
				var args []string
				for _, a := range p.Arguments {
					args = append(args, a.Name+map[bool]string{true: "*"}[a.Required])
				}
				lines = append(lines, fmt.Sprintf("%s: %s [%s] %s", s.Name, p.Name, strings.Join(args, ", "), shorten(p.Description, 200)))
			}
			s.mu.Unlock()
		}
		return lines
	}), nil
}

func (v *Servers) readResource(_ context.Context, in request) (tool.Action, error) {
	s, err := v.find(in.Server)
	if err != nil {
		return tool.Action{}, err
	}
	return tool.Action{
		Title:   fmt.Sprintf("%s: read %s", s.Name, shorten(in.URI, mostTitle)),
		Effects: []event.Effect{{Kind: event.Tool, Target: s.Name + "/read_mcp_resource"}},
		Run: func(ctx context.Context, emit tool.Emit) (tool.Result, error) {
			var got *sdk.ReadResourceResult
			err := s.do(ctx, "the resource "+in.URI, "", emit, func(ctx context.Context, session *sdk.ClientSession) (err error) {
				got, err = session.ReadResource(ctx, &sdk.ReadResourceParams{URI: in.URI})
				return err
			})
			if err != nil {
				return tool.Result{}, err
			}
			var parts llm.Parts
			for _, c := range got.Contents {
				parts = append(parts, resource(c)...)
			}
			return tool.Result{Parts: slices.Clip(parts)}, nil
		},
	}, nil
}

func (v *Servers) getPrompt(_ context.Context, in request) (tool.Action, error) {
	s, err := v.find(in.Server)
	if err != nil {
		return tool.Action{}, err
	}
	return tool.Action{
		Title:   fmt.Sprintf("%s: get the prompt %s", s.Name, shorten(in.Name, mostTitle)),
		Effects: []event.Effect{{Kind: event.Tool, Target: s.Name + "/get_mcp_prompt"}},
		Run: func(ctx context.Context, _ tool.Emit) (tool.Result, error) {
			text, err := v.Prompt(ctx, in.Server, in.Name, in.Arguments)
			if err != nil {
				return tool.Result{}, err
			}
			return tool.TextResult(text), nil
		},
	}, nil
}
