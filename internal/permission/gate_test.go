package permission

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/tool"
)

// script answers questions as it is told, and keeps them.
type script struct {
	answer event.Answer
	err    error
	asked  []event.Question
	before func()
}

func (s *script) Ask(_ context.Context, q event.Question) (event.Answer, error) {
	s.asked = append(s.asked, q)
	if s.before != nil {
		s.before()
	}
	return s.answer, s.err
}

type saved struct {
	Scope    event.Choice
	Decision string
	Rules    []string
}

func check(t *testing.T, g *Gate, toolName string, effects []event.Effect, advice tool.Advice) event.Decided {
	t.Helper()
	call := llm.ToolCall{ID: "call_1", Name: toolName}
	d, err := g.Check(t.Context(), call, tool.Action{Title: "Do it", Effects: effects, Preview: event.Preview{Text: "how"}}, advice, nil)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestAnswers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	table(t, "answers.txt", func(line int, cells []string) {
		if len(cells) != 8 {
			t.Fatalf("answers.txt:%d has %d cells", line, len(cells))
		}
		p := f.policy(Mode(cells[0]))
		effects := f.effects(t, cells[2])
		_, advice := f.rules(t, &p, cells[3])
		choice := event.Choice(strings.Trim(cells[4], "-"))
		var got []saved
		s := &script{answer: event.Answer{Choice: choice}}
		g := &Gate{Policy: func() Policy { return p }, Asker: s, Save: func(c event.Choice, d string, rules []string) error {
			got = append(got, saved{c, d, rules})
			return nil
		}}
		d := check(t, g, cells[1], effects, advice)
		if len(s.asked) != 1 {
			t.Fatalf("answers.txt:%d: asked %d times: %+v", line, len(s.asked), d)
		}
		offered := false
		for _, o := range s.asked[0].Choices {
			offered = offered || o.Choice == choice
		}
		runs := map[bool]string{true: "yes", false: "no"}[d.Allow]
		if !offered {
			runs += ", not offered"
		}
		if d.Stop {
			runs += ", stop"
		}
		granted, kept := "-", "-"
		if d.Grant != nil {
			granted = string(d.Grant.Scope) + ": " + strings.Join(d.Grant.Rules, " & ")
			if v := Decide(p, cells[1], effects, []event.Grant{*d.Grant}, advice); d.Grant.Scope != event.Always && v.Decision != Allow {
				t.Errorf("answers.txt:%d: with the grant the call is still %s: %s", line, v.Decision, v.Reason)
			}
		}
		for _, s := range got {
			kept = s.Decision + " " + strings.Join(s.Rules, " & ")
			with := p
			with.Rules = append(with.Rules, parsed(s.Rules, Decision(s.Decision), s.Scope != event.AlwaysProject)...)
			if v := Decide(with, cells[1], effects, nil, advice); v.Decision != Decision(s.Decision) {
				t.Errorf("answers.txt:%d: with what was saved the call is %s: %s", line, v.Decision, v.Reason)
			}
			if s.Scope != choice {
				t.Errorf("answers.txt:%d: saved as %s", line, s.Scope)
			}
		}
		want := []string{cells[5], f.places(cells[6]), f.places(cells[7])}
		if diff := cmp.Diff(want, []string{runs, granted, kept}); diff != "" {
			t.Errorf("answers.txt:%d: %s: -want +got\n%s", line, cells[4], diff)
		}
		if d.By != byUser || d.Asked || d.Call != "call_1" || d.Tool != cells[1] || d.Title != "Do it" {
			t.Errorf("answers.txt:%d: %+v", line, d)
		}
	})
}

func TestQuestion(t *testing.T) {
	f := newFixture(t)
	s := &script{answer: event.Answer{Choice: event.NoWithGuidance, Text: "use src/b.go"}}
	g := &Gate{Policy: func() Policy { return f.policy(AcceptEdits) }, Asker: s}
	effects := f.effects(t, "read src/a.go & write link-out")
	var signals []event.Signal
	s.before = func() {
		if len(signals) != 1 {
			t.Error("asked before Waiting was emitted")
		}
	}
	action := tool.Action{Title: "Edit link-out", Effects: effects, Preview: event.Preview{Kind: event.PreviewDiff, Text: "+x"}}
	d, err := g.Check(t.Context(), llm.ToolCall{ID: "c", Name: "edit_file"}, action, tool.Advice{}, func(e event.Signal) { signals = append(signals, e) })
	if err != nil {
		t.Fatal(err)
	}
	w, ok := signals[0].(event.Waiting)
	if !ok || !cmp.Equal(w.Question, s.asked[0]) {
		t.Errorf("signal %#v is not about the question %#v", signals[0], s.asked[0])
	}
	q := s.asked[0]
	if q.Call != "c" || q.Tool != "edit_file" || q.Title != action.Title || !cmp.Equal(q.Asking, []int{1}) || !cmp.Equal(q.Preview, action.Preview) {
		t.Errorf("question %+v", q)
	}
	if !strings.Contains(q.Reason, f.outside+"/target") || !strings.Contains(q.Reason, "outside the workspace") {
		t.Errorf("the reason does not tell where the link leads: %s", q.Reason)
	}
	for _, o := range q.Choices {
		if o.Choice == event.AlwaysUser || o.Choice == event.AlwaysProject || o.Choice == event.Never {
			t.Errorf("offers %s with nothing to save it", o.Choice)
		}
	}
	if d.Allow || d.By != "user" || !strings.Contains(d.Reason, "use src/b.go") {
		t.Errorf("decided %+v", d)
	}
}

func TestChangedArguments(t *testing.T) {
	f := newFixture(t)
	p := f.policy(Default)
	hooked := tool.Advice{Args: json.RawMessage(`{"from":"hook"}`)}
	s := &script{answer: event.Answer{Choice: event.Once, Args: json.RawMessage(`{"from":"person"}`)}}
	g := &Gate{Policy: func() Policy { return p }, Asker: s}
	if d := check(t, g, "read_file", f.effects(t, "read src/a.go"), hooked); string(d.Args) != `{"from":"hook"}` || !d.Allow {
		t.Errorf("decided %+v", d)
	}
	if d := check(t, g, "edit_file", f.effects(t, "write src/a.go"), hooked); string(d.Args) != `{"from":"person"}` || !d.Allow {
		t.Errorf("decided %+v", d)
	}
	s.answer.Choice = event.No
	if d := check(t, g, "edit_file", f.effects(t, "write src/a.go"), tool.Advice{}); d.Args != nil || d.Allow {
		t.Errorf("decided %+v", d)
	}
}

func TestNobodyToAsk(t *testing.T) {
	f := newFixture(t)
	for _, c := range []struct{ mode, toolName, effects, rules, want string }{
		{"default", "run_command", "exec needs_ask: npm test", "-", `--allowed-tools 'run_command(npm test:*)', or by --permission-mode full-access`},
		{"default", "edit_file", "write src/a.go", "-", `--allowed-tools 'edit_file(/src/a.go)', or by --permission-mode accept-edits`},
		{"default", "run_command", "exec needs_ask: echo it's", "-", `--allowed-tools 'run_command(echo it'\''s)'`},
		{"read-only", "edit_file", "write src/a.go", "-", "by --permission-mode accept-edits"},
		{"full-access", "edit_file", "write .git/hooks/x", "-", "by --allowed-tools 'edit_file(/.git/hooks/x)'"},
		{"default", "run_command", "exec critical: git reset --hard", "-", "No rule or mode allows it"},
		{"default", "run_command", "exec needs_ask: ?", "-", "--permission-mode full-access"},
		{"default", "edit_file", "write src/a.go", "ask Edit", "The ask rule Edit would have to go"},
		{"default", "edit_file", "write src/a.go", "hook ask", "A hook asks"},
		{"default", "web_fetch", "net example.com", "-", "'web_fetch(domain:example.com)'"},
		{"dont-ask", "edit_file", "write src/a.go", "-", `--allowed-tools 'edit_file(/src/a.go)', or by --permission-mode accept-edits`},
		{"dont-ask", "read_file", "read .env", "-", "--allowed-tools 'read_file(/.env)'"},
	} {
		p := f.policy(Mode(c.mode))
		effects := f.effects(t, c.effects)
		_, advice := f.rules(t, &p, c.rules)
		s := &script{answer: event.Answer{Choice: event.Once}}
		g := &Gate{Policy: func() Policy { return p }}
		if c.mode == "dont-ask" {
			g.Asker = s
		}
		d := check(t, g, c.toolName, effects, advice)
		by := "headless"
		if c.mode == "dont-ask" {
			by = "mode"
		}
		if d.Allow || d.By != by || !d.Asked || !strings.Contains(d.Reason, c.want) {
			t.Errorf("%s %s: %+v\nwant %s", c.mode, c.effects, d, c.want)
		}
		if len(s.asked) > 0 {
			t.Errorf("%s %s: asked", c.mode, c.effects)
		}
	}
}

func TestRefusedUnasked(t *testing.T) {
	f := newFixture(t)
	s := &script{answer: event.Answer{Choice: event.Once}}
	for _, c := range []struct{ mode, effects, rules, by, want string }{
		{"full-access", "write src/a.go", "deny Edit(src/**)", "rule", "Edit(src/**)"},
		{"full-access", "write link-in", "deny Edit(src/**)", "rule", "Edit(src/**)"},
		{"full-access", "read src/a.go", "hook deny", "hook", "hook"},
		{"dont-ask", "write src/a.go", "deny Edit(src/**)", "rule", "Edit(src/**)"},
		{"plan", "write src/a.go", "own Edit & session Edit & hook allow", "mode", "plan mode"},
		{"plan", "exec needs_ask: npm test", "own Bash", "mode", "plan mode"},
	} {
		p := f.policy(Mode(c.mode))
		grants, advice := f.rules(t, &p, c.rules)
		g := &Gate{Policy: func() Policy { return p }, Grants: func() []event.Grant { return grants }, Asker: s}
		d := check(t, g, "edit_file", f.effects(t, c.effects), advice)
		if d.Allow || d.Asked || d.By != c.by || !strings.Contains(d.Reason, c.want) || len(s.asked) > 0 {
			t.Errorf("%s %s: %+v, asked %d times", c.mode, c.effects, d, len(s.asked))
		}
	}
}

func TestInterruptedQuestion(t *testing.T) {
	f := newFixture(t)
	ctx, cancel := context.WithCancel(t.Context())
	s := &script{answer: event.Answer{Choice: event.Once}, before: cancel}
	g := &Gate{Policy: func() Policy { return f.policy(Default) }, Asker: s}
	action := tool.Action{Effects: f.effects(t, "write src/a.go")}
	for range 2 {
		d, err := g.Check(ctx, llm.ToolCall{Name: "edit_file"}, action, tool.Advice{}, nil)
		if !errors.Is(err, context.Canceled) || d.Allow {
			t.Errorf("%+v, %v", d, err)
		}
	}
	if len(s.asked) != 1 {
		t.Errorf("asked %d times", len(s.asked))
	}
}

func TestQuestionThatCannotBePut(t *testing.T) {
	f := newFixture(t)
	g := &Gate{Policy: func() Policy { return f.policy(Default) }, Asker: &script{answer: event.Answer{Choice: event.Once}, err: errors.New("terminal gone")}}
	d := check(t, g, "edit_file", f.effects(t, "write src/a.go"), tool.Advice{})
	if d.Allow || !d.Asked || d.By != "headless" || !strings.Contains(d.Reason, "terminal gone") {
		t.Errorf("%+v", d)
	}
}

func TestSaveFails(t *testing.T) {
	f := newFixture(t)
	for choice, want := range map[event.Choice]string{event.AlwaysUser: "session", event.AlwaysProject: "session", event.Never: ""} {
		s := &script{answer: event.Answer{Choice: choice}}
		g := &Gate{Policy: func() Policy { return f.policy(Default) }, Asker: s, Save: func(event.Choice, string, []string) error { return errors.New("disk full") }}
		var notices int
		d, err := g.Check(t.Context(), llm.ToolCall{Name: "edit_file"}, tool.Action{Effects: f.effects(t, "write src/a.go")}, tool.Advice{}, func(e event.Signal) {
			if n, ok := e.(event.Notice); ok && strings.Contains(n.Text, "disk full") {
				notices++
			}
		})
		if err != nil || notices != 1 || d.Allow != (want != "") || want != "" && string(d.Grant.Scope) != want {
			t.Errorf("%s: %+v, %v, %d notices", choice, d, err, notices)
		}
	}
}

func TestAutoWithoutSandboxIsSaidOnce(t *testing.T) {
	f := newFixture(t)
	g := &Gate{Policy: func() Policy { return f.policy(Auto) }}
	notices := 0
	for range 3 {
		_, err := g.Check(t.Context(), llm.ToolCall{Name: "edit_file"}, tool.Action{Effects: f.effects(t, "write src/a.go")}, tool.Advice{}, func(event.Signal) { notices++ })
		if err != nil {
			t.Fatal(err)
		}
	}
	if notices != 1 {
		t.Errorf("%d notices", notices)
	}
}

func TestLongPreviewIsCut(t *testing.T) {
	p := cut(event.Preview{Kind: event.PreviewDiff, Text: "a" + strings.Repeat("é", maxPreview) + "b"})
	if len(p.Text) > maxPreview || !strings.HasPrefix(p.Text, "aé") || !strings.HasSuffix(p.Text, "éb") || !strings.Contains(p.Text, "[...]") || strings.Contains(p.Text, "\uFFFD") {
		t.Errorf("%d bytes, %.40q", len(p.Text), p.Text)
	}
	if p.Text != strings.ToValidUTF8(p.Text, "?") {
		t.Error("cut inside a letter")
	}
}

// TestChangedContent: a text of the person's own becomes arguments of the call;
// what the answer grants beyond it is what was offered.
func TestChangedContent(t *testing.T) {
	f := newFixture(t)
	p := f.policy(Default)
	proposal := &event.Proposal{Old: "old\n", New: "new\n"}
	fails := errors.New("no such character")
	text := func(s string) *string { return &s }
	for name, c := range map[string]struct {
		answer  event.Answer
		none    bool // no proposal
		args    string
		granted string
		saved   int
		says    string // where it is a no
	}{
		"unchanged":          {answer: event.Answer{Choice: event.Once}},
		"as proposed":        {answer: event.Answer{Choice: event.Once, Content: text("new\n")}},
		"other":              {answer: event.Answer{Choice: event.Once, Content: text("mine\n")}, args: `"mine\n"`},
		"nothing left":       {answer: event.Answer{Choice: event.Once, Content: text("")}, args: `""`},
		"for the turn":       {answer: event.Answer{Choice: event.ThisTurn, Content: text("mine\n")}, args: `"mine\n"`, granted: "turn: edit_file(/src/a.go)"},
		"edits of the turn":  {answer: event.Answer{Choice: event.EditsThisTurn, Content: text("mine\n")}, args: `"mine\n"`, granted: "turn: edit_file(**)"},
		"for the session":    {answer: event.Answer{Choice: event.ThisSession, Content: text("mine\n")}, args: `"mine\n"`, granted: "session: edit_file(/src/a.go)"},
		"always":             {answer: event.Answer{Choice: event.AlwaysProject, Content: text("mine\n")}, args: `"mine\n"`, granted: "always: edit_file(/src/a.go)", saved: 1},
		"cannot be made":     {answer: event.Answer{Choice: event.AlwaysProject, Content: text("bad\n")}, says: "cannot be made: no such character"},
		"of no proposal":     {answer: event.Answer{Choice: event.ThisSession, Content: text("mine\n")}, none: true, says: "this call proposes no text"},
		"no":                 {answer: event.Answer{Choice: event.No, Content: text("mine\n")}, says: "the user said no"},
		"arguments, no text": {answer: event.Answer{Choice: event.Once, Args: json.RawMessage(`{}`)}, args: `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			saves := 0
			s := &script{answer: c.answer}
			g := &Gate{Policy: func() Policy { return p }, Asker: s, Save: func(event.Choice, string, []string) error { saves++; return nil }}
			action := tool.Action{Title: "Edit a.go", Effects: f.effects(t, "write src/a.go"), Proposal: proposal, Instead: func(content string) (json.RawMessage, error) {
				if content == "bad\n" {
					return nil, fails
				}
				return json.Marshal(content)
			}}
			if c.none {
				action.Proposal, action.Instead = nil, nil
			}
			d, err := g.Check(t.Context(), llm.ToolCall{ID: "c", Name: "edit_file"}, action, tool.Advice{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if s.asked[0].Proposal != action.Proposal {
				t.Errorf("asked with %v", s.asked[0].Proposal)
			}
			granted := ""
			if d.Grant != nil {
				granted = string(d.Grant.Scope) + ": " + strings.Join(d.Grant.Rules, " & ")
			}
			if d.Allow != (c.says == "") || !strings.Contains(d.Reason, c.says) || string(d.Args) != c.args || granted != c.granted || saves != c.saved || d.By != byUser {
				t.Errorf("%+v, granted %q, %d saved", d, granted, saves)
			}
			if d.Grant != nil && d.Grant.Scope != event.Always && Decide(p, "edit_file", action.Effects, []event.Grant{*d.Grant}, tool.Advice{}).Decision != Allow {
				t.Error("the grant does not hold for the next call")
			}
		})
	}
}
