package app_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/config"
	"github.com/minicode-go/minicode/internal/direct"
	"github.com/minicode-go/minicode/internal/ruleset"
	"github.com/minicode-go/minicode/llm"
	"github.com/minicode-go/minicode/llm/anthropic"
	"github.com/minicode-go/minicode/llm/llmtest"
	"github.com/minicode-go/minicode/llm/openai"
)

// person is somebody with a home and a project, who answers questions.
type person struct {
	home, project string
	o             app.Options
	asked         []event.Question
	answer        event.Answer
}

func (p *person) Ask(_ context.Context, q event.Question) (event.Answer, error) {
	p.asked = append(p.asked, q)
	return p.answer, nil
}

func newPerson(t *testing.T, model llm.Model) *person {
	t.Helper()
	p := &person{home: t.TempDir(), project: t.TempDir()}
	p.o = app.Options{
		Cwd: p.project, Home: p.home, Environ: []string{"HOME=" + p.home, "PATH=" + os.Getenv("PATH")}, Now: time.Now, Bare: true, Model: model,
		NewID: func() string { return uuid.Must(uuid.NewV7()).String() }, Asker: p,
	}
	p.write(t, "a.txt", "the first file\n")
	return p
}

func (p *person) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(p.project, name)
	if filepath.IsAbs(name) {
		path = name
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p *person) settings() string {
	return filepath.Join(p.home, ".config", "minicode", "settings.json")
}

func (p *person) open(t *testing.T) *app.Conversation {
	t.Helper()
	conv, err := app.Open(t.Context(), p.o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conv.Close(); err != nil {
			t.Error(err)
		}
	})
	return conv
}

// say sends a prompt to its end and gives the facts that were shown.
func say(t *testing.T, conv *app.Conversation, text string, images ...llm.Image) (facts []event.Record) {
	t.Helper()
	for r, err := range conv.Prompt(t.Context(), text, images...) {
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := r.Event.(event.Fact); ok {
			facts = append(facts, r)
		}
	}
	return facts
}

// lines is the session file as it is on the disk.
func lines(t *testing.T, conv *app.Conversation) []string {
	t.Helper()
	data, err := os.ReadFile(conv.Info().Path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
}

func call(t *testing.T, conv *app.Conversation, name, args string) (string, error) {
	t.Helper()
	r, err := conv.Direct(t.Context(), name, json.RawMessage(args), nil)
	return r.Parts.Text(), err
}

// texts is what the messages say, kind by kind.
func texts(messages []llm.Message) (out []string) {
	for _, m := range messages {
		out = append(out, string(m.Kind)+": "+m.Text())
	}
	return out
}

// TestDirect: what the person runs reaches no model, in whatever mode; the
// decision is recorded before anything is shown, and told once.
func TestDirect(t *testing.T) {
	model := llmtest.New(t, llmtest.Say("One."), llmtest.Say("Two."))
	p := newPerson(t, model)
	conv := p.open(t)
	if err := conv.SetMode("plan"); err != nil {
		t.Fatal(err)
	}
	if out, err := call(t, conv, "list_files", `{}`); err != nil || !strings.Contains(out, "a.txt") {
		t.Fatalf("%q, %v", out, err)
	}
	if _, err := os.Stat(conv.Info().Path); err == nil {
		t.Error("listing files made a session")
	}
	say(t, conv, "alpha")
	before := len(lines(t, conv))
	var shown []string
	r, err := conv.Direct(t.Context(), "run_command", json.RawMessage(`{"command":"echo new > b.txt; echo done; exit 3"}`), func(s event.Signal) {
		switch s := s.(type) {
		case event.Started:
			shown = append(shown, "started "+s.Title)
		case event.Output:
			shown = append(shown, "output "+s.Text)
			if facts := lines(t, conv); !strings.Contains(facts[len(facts)-1], `"call":"`+s.Call+`"`) {
				t.Error("output was shown before the decision was on the disk")
			}
		case event.Finished:
			shown = append(shown, "finished")
			if !s.Error {
				t.Error("a command that failed has not")
			}
		}
	})
	if err != nil || r.Meta.Exit == nil || *r.Meta.Exit != 3 || !strings.Contains(r.Parts.Text(), "done") {
		t.Fatalf("%+v, %v", r, err)
	}
	if want := []string{"started Run echo new > b.txt; echo done; exit 3", "output done\n", "finished"}; !slices.Equal(shown, want) {
		t.Errorf("shown: %q", shown)
	}
	facts := lines(t, conv)[before:]
	if len(facts) != 1 || !strings.Contains(facts[0], `"type":"decided"`) || !strings.Contains(facts[0], `"by":"user"`) {
		t.Errorf("recorded: %q", facts)
	}
	stated := conv.Stated()
	if len(stated) != 1 || len(conv.Stated()) != 0 {
		t.Errorf("stated: %v", stated)
	}
	if len(p.asked) > 0 {
		t.Errorf("asked %v", p.asked)
	}
	say(t, conv, "bravo")
	for _, m := range texts(model.Requests()[1].Messages) {
		if strings.Contains(m, "b.txt") || strings.Contains(m, "done") {
			t.Errorf("the model was told: %s", m)
		}
	}
}

// TestDirectIsJudged: deny rules refuse; ask rules, what is critical, protected
// or secret ask, for this call alone; without a person all of it is refused.
func TestDirectIsJudged(t *testing.T) {
	p := newPerson(t, llmtest.New(t))
	p.write(t, ".env", "KEY=1\n")
	p.write(t, "deep/.git/config", "x\n")
	p.write(t, p.settings(), `{"permissions":{"deny":["Bash(touch no*)"],"ask":["Bash(touch ask*)"]}}`)
	conv := p.open(t)
	if out, err := call(t, conv, "run_command", `{"command":"touch no.txt"}`); !errors.Is(err, direct.ErrRefused) || !strings.Contains(err.Error(), "Bash(touch no*)") {
		t.Errorf("denied: %q, %v", out, err)
	}
	for _, c := range []struct{ tool, args string }{
		{"run_command", `{"command":"touch ask.txt"}`},
		{"run_command", `{"command":"rm -rf ` + p.project + `"}`},
		{"run_command", `{"command":"echo x > deep/.git/config"}`},
		{"read_file", `{"path":".env"}`},
	} {
		p.asked = nil
		p.answer = event.Answer{Choice: event.ThisSession} // which is not offered
		if _, err := call(t, conv, c.tool, c.args); !errors.Is(err, direct.ErrRefused) {
			t.Errorf("%s: %v", c.args, err)
		}
		if len(p.asked) != 1 || len(p.asked[0].Choices) != 2 || p.asked[0].Choices[0].Choice != event.Once || p.asked[0].Choices[1].Choice != event.No {
			t.Fatalf("%s asked %+v", c.args, p.asked)
		}
	}
	p.answer = event.Answer{Choice: event.Once}
	for range 2 { // once is once
		p.asked = nil
		if out, err := call(t, conv, "read_file", `{"path":".env"}`); err != nil || !strings.Contains(out, "KEY=1") || len(p.asked) != 1 {
			t.Errorf("%q, %v, asked %d", out, err, len(p.asked))
		}
	}
	p.answer = event.Answer{Choice: event.Once, Args: json.RawMessage(`{"command":"touch no.txt"}`)}
	if _, err := call(t, conv, "run_command", `{"command":"touch ask.txt"}`); !errors.Is(err, direct.ErrRefused) {
		t.Errorf("changed into what is denied: %v", err)
	}
	for name, args := range map[string]string{"nonesuch": `{}`, "read_file": `{"file":1}`} {
		if _, err := call(t, conv, name, args); err == nil || errors.Is(err, direct.ErrRefused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"no.txt", "ask.txt"} {
		if _, err := os.Stat(filepath.Join(p.project, name)); err == nil {
			t.Errorf("%s was made", name)
		}
	}
	alone := newPerson(t, llmtest.New(t))
	alone.o.Asker = nil
	conv = alone.open(t)
	if _, err := call(t, conv, "run_command", `{"command":"rm -rf `+alone.project+`"}`); !errors.Is(err, direct.ErrRefused) || !strings.Contains(err.Error(), "nobody is there") {
		t.Errorf("alone: %v", err)
	}
	if _, err := os.Stat(alone.project); err != nil {
		t.Error(err)
	}
}

// TestOneThingAtATime: a turn and a direct call exclude each other, and going
// back waits for both.
func TestOneThingAtATime(t *testing.T) {
	p := newPerson(t, llmtest.New(t, llmtest.Say("One.")))
	conv := p.open(t)
	for r, err := range conv.Prompt(t.Context(), "alpha") {
		if err != nil {
			t.Fatal(err)
		}
		if m, ok := r.MessageOf(); !ok || m.Kind != llm.Final {
			continue
		}
		if _, err := call(t, conv, "list_files", `{}`); !errors.Is(err, app.ErrBusy) {
			t.Errorf("in a turn: %v", err)
		}
		if err := conv.Rewind(conv.Prompts()[0].Record); !errors.Is(err, app.ErrBusy) {
			t.Errorf("going back in a turn: %v", err)
		}
	}
	_, err := conv.Direct(t.Context(), "list_files", json.RawMessage(`{}`), func(event.Signal) {
		for _, err := range conv.Prompt(t.Context(), "bravo") {
			if !errors.Is(err, app.ErrBusy) {
				t.Errorf("in a direct call: %v", err)
			}
		}
	})
	if err != nil {
		t.Error(err)
	}
}

// TestDirectIsInterrupted: who stops the call gets what there was, and the
// reason.
func TestDirectIsInterrupted(t *testing.T) {
	p := newPerson(t, llmtest.New(t))
	conv := p.open(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	by := &app.Interrupt{Signal: "SIGINT", Exit: 130}
	r, err := conv.Direct(ctx, "run_command", json.RawMessage(`{"command":"echo begun; sleep 300"}`), func(s event.Signal) {
		if _, ok := s.(event.Output); ok {
			cancel(by)
		}
	})
	if !errors.Is(err, by) || !strings.Contains(r.Parts.Text(), "begun") || !r.Error {
		t.Errorf("%v, %q", err, r.Parts.Text())
	}
}

// TestNote: what the model is to know goes with the next prompt, once, also
// after going back and in a copy; not into another conversation.
func TestNote(t *testing.T) {
	model := llmtest.New(t, llmtest.Say("One."), llmtest.Say("Two."), llmtest.Say("Three."), llmtest.Say("Four."))
	p := newPerson(t, model)
	conv := p.open(t)
	say(t, conv, "alpha")
	conv.Note("The user ran make.")
	if err := conv.Rewind(conv.Prompts()[0].Record); err != nil {
		t.Fatal(err)
	}
	say(t, conv, "bravo")
	conv.Note("The user ran ls.")
	if err := conv.Fork(); err != nil {
		t.Fatal(err)
	}
	say(t, conv, "charlie")
	conv.Note("The user ran away.")
	if err := conv.New(); err != nil {
		t.Fatal(err)
	}
	say(t, conv, "delta")
	for at, want := range []string{"", "The user ran make.", "The user ran make. The user ran ls.", ""} {
		var got []string
		for _, m := range model.Requests()[at].Messages {
			if m.Kind == llm.Note && strings.HasPrefix(m.Text(), "The user") {
				got = append(got, m.Text())
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("request %d has %q", at+1, got)
		}
	}
}

// TestTasksOfThePerson: the model is told of the end of a task only if it was
// told of its beginning.
func TestTasksOfThePerson(t *testing.T) {
	model := llmtest.New(t, llmtest.Say("One."))
	p := newPerson(t, model)
	conv := p.open(t)
	for range 2 {
		if _, err := call(t, conv, "run_command", `{"command":"true &"}`); err != nil {
			t.Fatal(err)
		}
	}
	conv.Note("The user began task_2.")
	for late := time.Now().Add(20 * time.Second); len(conv.Info().Tasks) > 0; time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			t.Fatal("the tasks do not end")
		}
	}
	say(t, conv, "alpha")
	all := strings.Join(texts(model.Requests()[0].Messages), "\n")
	if strings.Contains(all, "task_1") || !strings.Contains(all, "Background task task_2 ended") {
		t.Error(all)
	}
}

// TestRewind: what is sent after going back is what was sent then, and nothing
// of what came later; mode, model, todos and grants are those of then.
func TestRewind(t *testing.T) {
	model := llmtest.New(t,
		llmtest.Say("One."),
		llmtest.Call("todo_write", `{"items":[{"text":"later","status":"pending"}]}`), llmtest.Say("Two."), llmtest.Say("Three."),
		llmtest.Say("Four."),
	)
	p := newPerson(t, model)
	p.o.NotOnDisk = false
	conv := p.open(t)
	say(t, conv, "alpha")
	say(t, conv, "bravo")
	if err := conv.SetMode("plan"); err != nil {
		t.Fatal(err)
	}
	say(t, conv, "charlie")
	said := conv.Prompts()
	if len(said) != 3 || said[1].Text != "bravo" || said[1].Turn != 2 || said[1].Time.IsZero() {
		t.Fatalf("%+v", said)
	}
	if len(conv.Todos()) != 1 {
		t.Fatal("no todos")
	}
	conv.Stated()
	usage := conv.Info().Usage
	if err := conv.Queue("waits"); err != nil {
		t.Fatal(err)
	}
	before := lines(t, conv)
	if err := conv.Rewind(said[1].Record); err != nil {
		t.Fatal(err)
	}
	stated := conv.Stated()
	if c, ok := stated[0].Event.(event.Changed); len(stated) != 1 || !ok || !c.Rewound {
		t.Errorf("stated %v", stated)
	}
	var encoded bytes.Buffer
	if err := event.Encode(&encoded, stated[0]); err != nil {
		t.Fatal(err)
	}
	if after := lines(t, conv); len(after) != len(before)+1 || after[len(before)]+"\n" != encoded.String() {
		t.Errorf("what was stated is not what is on the disk: %q", after[len(before):])
	}
	if i := conv.Info(); i.Mode != "default" || i.Usage != usage {
		t.Errorf("mode %s, usage %+v of %+v", i.Mode, i.Usage, usage)
	}
	if len(conv.Todos()) != 0 || len(conv.Prompts()) != 1 {
		t.Errorf("todos %v, prompts %v", conv.Todos(), conv.Prompts())
	}
	if got := conv.Queued(); !slices.Equal(got, []string{"waits"}) {
		t.Errorf("queued: %q", got)
	}
	if err := conv.DropQueue(); err != nil {
		t.Fatal(err)
	}
	if err := conv.Rewind(said[2].Record); err == nil {
		t.Error("went back to what was taken back")
	}
	say(t, conv, "other")
	requests := model.Requests()
	want := append(texts(requests[0].Messages), "final: One.", "prompt: other")
	if diff := cmp.Diff(want, texts(requests[4].Messages)); diff != "" {
		t.Error(diff)
	}
	if requests[4].System != requests[0].System {
		t.Error("the system prompt was changed, and no cache holds it any more")
	}
}

// TestRewindSurvives: whoever opens the session as it is on the disk, as after a
// kill, goes on from where it was gone back to.
func TestRewindSurvives(t *testing.T) {
	model := llmtest.New(t, llmtest.Say("One."), llmtest.Say("Two."))
	p := newPerson(t, model)
	conv := p.open(t)
	say(t, conv, "alpha")
	say(t, conv, "bravo")
	if err := conv.Rewind(conv.Prompts()[1].Record); err != nil {
		t.Fatal(err)
	}
	path := conv.Info().Path
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	id := uuid.Must(uuid.NewV7()).String()
	p.write(t, filepath.Join(filepath.Dir(path), id+".jsonl"), string(data))
	second := llmtest.New(t, llmtest.Say("Again."))
	p.o.Model, p.o.Resume = second, id
	again := p.open(t)
	say(t, again, "charlie")
	want := append(texts(model.Requests()[0].Messages), "final: One.", "prompt: charlie")
	if diff := cmp.Diff(want, texts(second.Requests()[0].Messages)); diff != "" {
		t.Error(diff)
	}
}

// TestRewindTellsAgain: notes that went with what was taken back are due again
// as far as they hold.
func TestRewindTellsAgain(t *testing.T) {
	model := llmtest.New(t, llmtest.Call("read_file", `{"path":"sub/b.txt"}`), llmtest.Say("One."), llmtest.Say("Two."), llmtest.Say("Three."))
	p := newPerson(t, model)
	p.o.Bare = false
	p.write(t, "sub/b.txt", "b\n")
	p.write(t, "sub/AGENTS.md", "Be brief.\n")
	conv := p.open(t)
	say(t, conv, "alpha")
	said := conv.Prompts()[0].Record
	if err := conv.Rewind(said); err != nil {
		t.Fatal(err)
	}
	say(t, conv, "bravo")
	got := strings.Join(texts(model.Requests()[2].Messages), "\n")
	if strings.Contains(got, "Be brief.") || strings.Count(got, "Working directory: ") != 1 || strings.Contains(got, "alpha") {
		t.Error(got)
	}
	say(t, conv, "charlie")
	if got := strings.Join(texts(model.Requests()[3].Messages), "\n"); strings.Count(got, "Working directory: ") != 1 {
		t.Error(got)
	}
}

// TestRewindUnloadsSkills: what a skill opened is closed again when its loading
// was taken back.
func TestRewindUnloadsSkills(t *testing.T) {
	look := func() llmtest.Answer {
		return llmtest.Call("read_file", `{"path":"~/.config/minicode/skills/tour/more.txt"}`)
	}
	p := newPerson(t, llmtest.New(t,
		llmtest.Call("load_skill", `{"name":"tour"}`), look(), llmtest.Say("One."),
		look(), llmtest.Say("Two."),
	))
	p.o.Bare = false
	skill := filepath.Join(p.home, ".config", "minicode", "skills", "tour")
	p.write(t, filepath.Join(skill, "SKILL.md"), "---\nname: tour\ndescription: Shows around.\n---\nRead more.txt.\n")
	p.write(t, filepath.Join(skill, "more.txt"), "more\n")
	conv := p.open(t)
	say(t, conv, "alpha")
	if len(p.asked) != 0 {
		t.Fatalf("asked %+v", p.asked)
	}
	if err := conv.Rewind(conv.Prompts()[0].Record); err != nil {
		t.Fatal(err)
	}
	say(t, conv, "bravo")
	if len(p.asked) != 1 || p.asked[0].Tool != "read_file" {
		t.Errorf("asked %+v", p.asked)
	}
}

// TestRewindBringsTheModelBack: a model that was chosen later is not the one of
// then.
func TestRewindBringsTheModelBack(t *testing.T) {
	server := llmtest.NewServer(llmtest.New(t, llmtest.Say("One."), llmtest.Say("Two.")))
	p := newPerson(t, nil)
	p.o.Environ = append(p.o.Environ, "ANTHROPIC_API_KEY=k", "ANTHROPIC_BASE_URL="+server.BaseURL(llmtest.Anthropic), "MINICODE_MODEL=anthropic/claude-sonnet-4-5")
	conv := p.open(t)
	say(t, conv, "alpha")
	first := conv.Info().Model
	say(t, conv, "bravo")
	if err := conv.SetModel("haiku"); err != nil {
		t.Fatal(err)
	}
	if err := conv.Rewind(conv.Prompts()[1].Record); err != nil || conv.Info().Model != first {
		t.Errorf("%v, model %s", err, conv.Info().Model)
	}
}

// TestImages: they go to both wires as images, behind the text, and are still
// there when the session is opened again.
func TestImages(t *testing.T) {
	var data bytes.Buffer
	if err := png.Encode(&data, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	picture := llm.NewImage("image/png", data.Bytes())
	info := llm.Info{Window: 200_000, MaxOutput: 8000, Known: true, Images: true}
	encoded := base64.StdEncoding.EncodeToString(data.Bytes())
	for _, wire := range []llmtest.Wire{llmtest.Anthropic, llmtest.OpenAI} {
		server := llmtest.NewServer(llmtest.New(t, llmtest.Say("One."), llmtest.Say("Two.")))
		info.Provider, info.Name = string(wire), "claude-sonnet-4-5"
		var model llm.Model = anthropic.New(anthropic.Options{Info: info, BaseURL: server.BaseURL(wire), Key: "k"})
		want := `{"type":"text","text":"What is in [Image #1]?"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"` + encoded + `"}`
		if wire == llmtest.OpenAI {
			info.Name = "gpt-4.1"
			model = openai.New(openai.Options{Info: info, BaseURL: server.BaseURL(wire), Key: "k"})
			want = `{"type":"text","text":"What is in [Image #1]?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + encoded + `"}`
		}
		p := newPerson(t, model)
		conv := p.open(t)
		say(t, conv, "What is in [Image #1]?", picture)
		if got := conv.Prompts(); len(got) != 1 || got[0].Text != "What is in [Image #1]?" {
			t.Errorf("%s: %v", wire, got)
		}
		if err := conv.Close(); err != nil {
			t.Fatal(err)
		}
		p.o.Continue = true
		again := p.open(t)
		say(t, again, "And now?")
		for _, r := range server.Requests() {
			if !strings.Contains(string(r.Body), want) {
				t.Errorf("%s: request %d has no image behind its text:\n%s", wire, r.Number, r.Body)
			}
		}
	}
}

// TestImagesAlone: a prompt may be nothing but an image.
func TestImagesAlone(t *testing.T) {
	model := llmtest.New(t, llmtest.Say("One."))
	conv := newPerson(t, model).open(t)
	say(t, conv, "", llm.NewImage("image/png", []byte("x")))
	messages := model.Requests()[0].Messages
	if got := messages[len(messages)-1]; got.Kind != llm.Prompt || len(got.Parts) != 1 {
		t.Errorf("%+v", got)
	}
}

// TestRules: what the person adds and drops is in force at once, is in the file
// with its comments, and takes back what was allowed for ever.
func TestRules(t *testing.T) {
	model := llmtest.New(t,
		llmtest.Call("run_command", `{"command":"make one"}`), llmtest.Say("One."),
		llmtest.Call("run_command", `{"command":"make one"}`), llmtest.Say("Two."),
		llmtest.Call("run_command", `{"command":"make one"}`), llmtest.Say("Three."),
	)
	p := newPerson(t, model)
	const text = "{\n  // mine\n  \"permissions\": {\n    \"ask\": [\n      \"Bash(ls)\" // why\n    ]\n  }\n}\n"
	p.write(t, p.settings(), text)
	p.o.Flags = []config.Flag{{Name: "--disallowed-tools", Key: "permissions.deny", Value: []string{"Bash(rm:*)"}}}
	conv := p.open(t)
	p.answer = event.Answer{Choice: event.AlwaysUser}
	say(t, conv, "alpha")
	say(t, conv, "bravo")
	if len(p.asked) != 1 {
		t.Fatalf("asked %d times", len(p.asked))
	}
	p.answer = event.Answer{Choice: event.No}
	rules := conv.Rules()
	kept := rules[len(rules)-1]
	if err := conv.DropRule(kept); err != nil {
		t.Fatal(err)
	}
	say(t, conv, "charlie")
	if len(p.asked) != 2 {
		t.Errorf("%s was dropped and still holds", kept)
	}
	if err := conv.AddRule(event.AlwaysUser, "deny", "Bash(make:*)"); err != nil {
		t.Fatal(err)
	}
	if _, err := call(t, conv, "run_command", `{"command":"make two"}`); !errors.Is(err, direct.ErrRefused) {
		t.Errorf("%v", err)
	}
	for _, r := range conv.Rules() {
		if r.Origin == "--disallowed-tools" {
			if err := conv.DropRule(r); !errors.Is(err, ruleset.ErrNotOurs) || !strings.Contains(err.Error(), r.Origin) {
				t.Error(err)
			}
		}
	}
	data, err := os.ReadFile(p.settings())
	if err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"// mine", `"Bash(ls)" // why`, `"Bash(make:*)"`} {
		if !strings.Contains(string(data), part) {
			t.Errorf("%s is not in\n%s", part, data)
		}
	}
	if strings.Contains(string(data), "make one") {
		t.Errorf("the rule that was dropped is in\n%s", data)
	}
}
