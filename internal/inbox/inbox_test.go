package inbox

import (
	"slices"
	"testing"

	"github.com/minicode-go/minicode/llm"
)

func texts(messages []llm.Message) (out []string) {
	for _, m := range messages {
		out = append(out, string(m.Kind)+" "+m.Text())
	}
	return out
}

func TestInbox(t *testing.T) {
	var disk []string
	b := New([]string{"left"}, func(q []string) error { disk = slices.Clone(q); return nil })
	if err := b.Queue("typed"); err != nil {
		t.Fatal(err)
	}
	b.Note("a task ended")
	if got := texts(b.Take(false)); !slices.Equal(got, []string{"note a task ended", "prompt left", "prompt typed"}) {
		t.Errorf("taken: %q", got)
	}
	if !slices.Equal(disk, []string{"left", "typed"}) {
		t.Errorf("what is not recorded left the disk: %q", disk)
	}
	b.Recorded(llm.NewText(llm.User, llm.Note, "left"))
	b.Recorded(llm.NewText(llm.User, llm.Prompt, "left, with a key as [redacted]"))
	if !slices.Equal(disk, []string{"typed"}) {
		t.Errorf("on disk: %q", disk)
	}
	b.Settle()
	if got := b.Queued(); !slices.Equal(got, []string{"typed"}) {
		t.Errorf("waiting again: %q", got)
	}
	if err := b.Drop(); err != nil || len(disk) != 0 {
		t.Errorf("dropped: %q (%v)", disk, err)
	}
}

func TestNotesAloneDoNotKeepATurnGoing(t *testing.T) {
	b := New(nil, func([]string) error { return nil })
	b.Note("a task ended")
	if got := b.Take(true); got != nil {
		t.Errorf("taken at the end: %q", texts(got))
	}
	if got := b.Take(false); len(got) != 1 {
		t.Errorf("lost: %q", texts(got))
	}
}
