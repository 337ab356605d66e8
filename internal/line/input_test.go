package line

import (
	"context"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/minicode-go/minicode/event"
)

func TestInputFromAPipe(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	in := newInput(Options{In: iotest.HalfReader(strings.NewReader("one\r\n\ntwo\\\n" + long + "\nlast"))})
	var got []string
	for l := range in.lines {
		got = append(got, l.text)
	}
	if want := "one||two\\|" + long + "|last"; strings.Join(got, "|") != want {
		t.Errorf("%d lines: %.100q", len(got), got)
	}
}

// A pipe is not read further than is needed: what is not taken waits in it.
func TestInputHoldsBack(t *testing.T) {
	r, w := io.Pipe()
	in := newInput(Options{In: r})
	go func() {
		_, _ = io.WriteString(w, "one\n")
		_ = w.Close()
	}()
	if l := <-in.lines; l.text != "one" {
		t.Errorf("%q", l.text)
	}
	if _, more := <-in.lines; more {
		t.Error("there is more")
	}
}

func question(choices ...event.Choice) *dialog {
	d := &dialog{ctx: context.Background(), opened: 1}
	for _, c := range choices {
		d.question.Choices = append(d.question.Choices, event.Option{Choice: c})
	}
	return d
}

func TestDialogAnswers(t *testing.T) {
	all := []event.Choice{
		event.Once, event.ThisTurn, event.EditsThisTurn, event.ThisSession, event.AlwaysProject, event.AlwaysUser, event.No, event.NoWithGuidance,
		event.Never, event.NoAndStop,
	}
	for text, want := range map[string]event.Answer{
		"y": {Choice: event.Once}, " Yes ": {Choice: event.Once}, "once": {Choice: event.Once}, "t": {Choice: event.ThisTurn}, "turn": {Choice: event.ThisTurn},
		"a": {Choice: event.EditsThisTurn}, "s": {Choice: event.ThisSession}, "p": {Choice: event.AlwaysProject}, "u": {Choice: event.AlwaysUser},
		"n": {Choice: event.No}, "NO": {Choice: event.No}, "g do  this": {Choice: event.NoWithGuidance, Text: "do  this"},
		"never": {Choice: event.Never}, "stop": {Choice: event.NoAndStop}, "stop it": {Choice: event.NoAndStop, Text: "it"},
		"": {}, "x": {}, "y n": {}, "no way": {}, "g": {}, "1": {}, "never ever": {},
	} {
		got, hint, ok := question(all...).answer(text)
		if got.Choice != want.Choice || got.Text != want.Text || ok != (want.Choice != "") {
			t.Errorf("%q: %+v, %v", text, got, ok)
		}
		if !ok && hint == "" && text != "g" {
			t.Errorf("%q: nothing is said", text)
		}
	}
	if _, _, ok := question(event.Once, event.No).answer("s"); ok {
		t.Error("a choice was taken that is not offered")
	}
	d := question(all...)
	d.answer("g")
	if got, _, ok := d.answer("y"); !ok || got.Choice != event.NoWithGuidance || got.Text != "y" {
		t.Errorf("the words for the model: %+v, %v", got, ok)
	}
	d.answer("g")
	if _, _, ok := d.answer(" "); ok {
		t.Error("no words are guidance")
	}
	if got, _, ok := d.answer("y"); !ok || got.Choice != event.Once {
		t.Errorf("after no words: %+v, %v", got, ok)
	}
}

func TestDialogTakes(t *testing.T) {
	d := question(event.Once)
	d.opened = 3
	for _, c := range []struct {
		typed    typed
		terminal bool
		want     bool
	}{
		{typed{text: "y", asked: 3}, true, true},
		{typed{text: "y", asked: 2}, true, false},
		{typed{text: "y", asked: 3, torn: true}, true, false},
		{typed{text: "y\nn", asked: 3}, true, false},
		{typed{text: "y", asked: 3, cut: true}, true, false},
		{typed{text: "y", asked: 0}, false, true},
	} {
		if got := d.takes(c.typed, c.terminal); got != c.want {
			t.Errorf("%+v: %v", c.typed, got)
		}
	}
	d.opened = 0
	if d.takes(typed{text: "y"}, true) {
		t.Error("an answer was taken before the question was open")
	}
}
