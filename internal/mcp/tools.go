package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

const (
	mostDescription = 2_000 // characters of a tool's description
	mostListed      = 1_000 // tools, prompts or resources of one server
	mostTitle       = 80
)

// offered is what a server has.
type offered struct {
	tools     []tool.Tool
	states    []ToolState
	leftOut   []string
	prompts   []*sdk.Prompt
	resources []*sdk.Resource
	templates []*sdk.ResourceTemplate
	raw       []*sdk.Tool
}

// helps says whether the tools that list and read are of use.
func (o offered) helps() bool { return len(o.prompts)+len(o.resources)+len(o.templates) > 0 }

// list asks a server for all that it has. Only tools are needed: what else it
// cannot tell is passed over.
func (s *server) list(life context.Context, session *sdk.ClientSession) (o offered, err error) {
	ctx, cancel := context.WithTimeout(life, listTime)
	defer cancel()
	caps := &sdk.ServerCapabilities{}
	if r := session.InitializeResult(); r != nil && r.Capabilities != nil {
		caps = r.Capabilities
	}
	if caps.Tools != nil {
		for t, err := range session.Tools(ctx, nil) {
			if err != nil {
				return o, fmt.Errorf("its tools cannot be listed: %w", plain(err))
			}
			if o.raw = append(o.raw, t); len(o.raw) == mostListed {
				break
			}
		}
	}
	if caps.Prompts != nil {
		for p, err := range session.Prompts(ctx, nil) {
			if err != nil || len(o.prompts) == mostListed {
				break
			}
			o.prompts = append(o.prompts, p)
		}
	}
	if caps.Resources != nil {
		for r, err := range session.Resources(ctx, nil) {
			if err != nil || len(o.resources) == mostListed {
				break
			}
			o.resources = append(o.resources, r)
		}
		for r, err := range session.ResourceTemplates(ctx, nil) {
			if err != nil || len(o.templates) == mostListed {
				break
			}
			o.templates = append(o.templates, r)
		}
	}
	return o, nil
}

// offer makes what was listed the server's. s.mu is held.
func (s *server) offer(o offered) {
	var own []string
	for _, t := range o.raw {
		own = append(own, t.Name)
	}
	named := names(s.Name, own)
	seen := map[string]bool{}
	for _, t := range o.raw {
		if seen[t.Name] {
			o.leftOut = append(o.leftOut, t.Name+": it is there twice")
			continue
		}
		seen[t.Name] = true
		schema, err := clean(t.InputSchema)
		if err != nil {
			o.leftOut = append(o.leftOut, t.Name+": "+err.Error())
			continue
		}
		r := &remote{server: s, own: t.Name, spec: llm.ToolSpec{Name: named[t.Name], Description: s.describe(t), Schema: schema}}
		o.tools = append(o.tools, r)
		o.states = append(o.states, ToolState{
			Name: r.spec.Name, Own: t.Name, Description: t.Description, ReadOnly: t.Annotations != nil && t.Annotations.ReadOnlyHint,
		})
	}
	slices.SortFunc(o.tools, func(a, b tool.Tool) int { return strings.Compare(a.Spec().Name, b.Spec().Name) })
	slices.SortFunc(o.states, func(a, b ToolState) int { return strings.Compare(a.Name, b.Name) })
	if len(o.leftOut) > 0 {
		s.once(fmt.Sprintf("The MCP server %s has tools that are left out: %s", s.Name, shorten(strings.Join(o.leftOut, "; "), 300)))
	}
	s.offered = o
}

// describe is what a model is told of a tool.
func (s *server) describe(t *sdk.Tool) string {
	text := strings.TrimSpace(t.Description)
	if text == "" {
		text = strings.TrimSpace(t.Title)
	}
	if text == "" {
		text = fmt.Sprintf("Calls the tool %s of the MCP server %s.", t.Name, s.Name)
	}
	return shorten(text, mostDescription)
}

// shorten cuts a text to so many characters.
func shorten(text string, most int) string {
	text = strings.ToValidUTF8(text, "\ufffd")
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// changed looks at the lists again, once they have rested for a moment.
func (s *server) changed() {
	s.mu.Lock()
	session, due := s.session, s.due
	s.due = session
	s.mu.Unlock()
	if session == nil || session == due {
		return
	}
	time.AfterFunc(changePause, func() {
		s.mu.Lock()
		s.due = nil
		s.mu.Unlock()
		found, err := s.list(context.Background(), session)
		s.mu.Lock()
		defer s.mu.Unlock()
		if err == nil && s.session == session {
			s.offer(found)
		}
	})
}

// remote is a tool of a server.
type remote struct {
	server *server
	own    string
	spec   llm.ToolSpec
}

// Spec is what a model is told.
func (r *remote) Spec() llm.ToolSpec { return r.spec }

// Prepare makes a call of it. The server looks at the arguments itself.
func (r *remote) Prepare(_ context.Context, args json.RawMessage) (tool.Action, error) {
	var fields map[string]any
	if len(args) > 0 {
		if err := json.Unmarshal(args, &fields); err != nil {
			return tool.Action{}, errors.New("the arguments must be a JSON object")
		}
	}
	preview := ""
	if len(fields) > 0 {
		data, err := json.MarshalIndent(fields, "", "  ")
		if err != nil {
			return tool.Action{}, err
		}
		preview = string(data)
	}
	return tool.Action{
		Title:   fmt.Sprintf("%s: %s", r.server.Name, shorten(r.own, mostTitle)),
		Effects: []event.Effect{{Kind: event.Tool, Target: r.server.Name + "/" + r.own}},
		Preview: event.Preview{Kind: event.PreviewText, Text: preview},
		Run: func(ctx context.Context, emit tool.Emit) (tool.Result, error) {
			return r.server.call(ctx, r.own, fields, emit)
		},
	}, nil
}

// call calls a tool, and gives up when nothing was heard of it for as long as
// the settings say.
func (s *server) call(ctx context.Context, name string, args map[string]any, emit tool.Emit) (tool.Result, error) {
	if args == nil {
		args = map[string]any{}
	}
	params := &sdk.CallToolParams{Name: name, Arguments: args}
	token := s.token()
	params.SetProgressToken(token)
	var result *sdk.CallToolResult
	err := s.do(ctx, "the tool "+name, token, emit, func(ctx context.Context, session *sdk.ClientSession) (err error) {
		result, err = session.CallTool(ctx, params)
		return err
	})
	if err != nil {
		return tool.Result{}, err
	}
	return resultOf(result), nil
}

// token is a new progress token.
func (s *server) token() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls++
	return fmt.Sprintf("%s-%d", s.Name, s.calls)
}

// do runs one request of a session within the server's time, which begins
// anew at every sign of progress. It returns when ctx ends, whether the
// request has or not.
func (s *server) do(ctx context.Context, what, token string, emit tool.Emit, request func(context.Context, *sdk.ClientSession) error) error {
	session, err := s.active(ctx)
	if err != nil {
		return fmt.Errorf("the MCP server %s cannot be used: %w", s.Name, err)
	}
	heard := make(chan *sdk.ProgressNotificationParams, 16)
	if token != "" {
		s.waits.Store(token, heard)
		defer s.waits.Delete(token)
	}
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- request(within, session) }()
	limit := time.NewTimer(s.timeout())
	defer limit.Stop()
	for {
		select {
		case err := <-done:
			return s.broken(ctx, session, what, err)
		case p := <-heard:
			limit.Reset(s.timeout())
			if emit != nil {
				emit(event.Output{Text: progressText(p)})
			}
		case <-limit.C:
			if s.asking.Load() > 0 { // the person has all the time there is
				limit.Reset(s.timeout())
				continue
			}
			return fmt.Errorf("the MCP server %s gave no answer to %s within %v, and no sign of progress; timeoutMs of that server in the settings gives it more", s.Name, what, s.timeout())
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// broken says what went wrong with a request.
func (s *server) broken(ctx context.Context, session *sdk.ClientSession, what string, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	if errors.Is(err, sdk.ErrConnectionClosed) || errors.Is(err, io.EOF) {
		// What became of the server is known when the loss was noted.
		deadline := time.NewTimer(2 * time.Second)
		defer deadline.Stop()
		look := time.NewTicker(5 * time.Millisecond)
		defer look.Stop()
		for {
			s.mu.Lock()
			lost, why := s.session != session, s.loss()
			s.mu.Unlock()
			if lost && why != "" {
				return fmt.Errorf("the MCP server %s was lost during %s (%s); it is started again at the next call", s.Name, what, why)
			}
			select {
			case <-deadline.C:
				return fmt.Errorf("the MCP server %s was lost during %s; it is started again at the next call", s.Name, what)
			case <-look.C:
			}
		}
	}
	if errors.Is(err, ErrLogin) {
		return fmt.Errorf("the MCP server %s needs a login, which only the user can do: minicode mcp login %s", s.Name, s.Name)
	}
	return fmt.Errorf("the MCP server %s failed at %s: %w", s.Name, what, plain(err))
}

// loss is the fault of a server that has failed. s.mu is held.
func (s *server) loss() string {
	switch s.status {
	case Failed:
		return s.fault
	case Disabled:
		return "it was disabled"
	}
	return ""
}

func (s *server) progress(p *sdk.ProgressNotificationParams) {
	token, _ := p.ProgressToken.(string)
	if waits, ok := s.waits.Load(token); ok {
		select {
		case waits.(chan *sdk.ProgressNotificationParams) <- p:
		default: // one that is not read yet says as much
		}
	}
}

func progressText(p *sdk.ProgressNotificationParams) string {
	text := fmt.Sprintf("%g", p.Progress)
	if p.Total > 0 {
		text += fmt.Sprintf(" of %g", p.Total)
	}
	if p.Message != "" {
		text += " " + shorten(p.Message, 200)
	}
	return text + "\n"
}

// plain is an error without the names of the protocol's methods before it.
func plain(err error) error {
	text := err.Error()
	for _, lead := range []string{`calling "initialize": `, `calling "tools/call": `, `calling "tools/list": `, `calling "server/discover": `, "calling \"prompts/get\": ", "calling \"resources/read\": "} {
		if rest, ok := strings.CutPrefix(text, lead); ok {
			return &worded{rest, err}
		}
	}
	return err
}

type worded struct {
	text string
	err  error
}

func (w *worded) Error() string { return w.text }
func (w *worded) Unwrap() error { return w.err }
