package compact

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/minicode-go/minicode/event"
	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

// Digest asks a model to say in few words what messages say in many.
type Digest struct {
	Model        func() llm.Model // nil, or one that gives nil: the model of the view
	Fallback     bool             // ask the model of the view when Model meets a fault
	Instructions string           // what the person wants every digest to mind

	// Again says whether a request that failed is sent again, and after which
	// wait; nil never does.
	Again func(attempt int, err error) (event.Retrying, bool)
	Meter *account.Meter // nil: one of its own
}

// Order is one digest that is wanted.
type Order struct {
	Stage    string // for which stage
	Prompt   string // what the digest is to hold and what it is for
	Focus    string // what the person asked it to mind; may be ""
	Messages []llm.Message
}

// maxDigest is how many tokens a digest may have at most.
const maxDigest = 4096

// Ask gives the digest of the messages. The model is asked without tools, with
// an input that fits its window; if it finds that too long all the same, once
// more with half of it. An answer that is no digest is a [Strike]. Work holds
// what was spent and by which model, also with an error.
func (d Digest) Ask(ctx context.Context, v event.View, o Order, tell func(event.Signal)) (string, Work, error) {
	if tell == nil {
		tell = func(event.Signal) {}
	}
	if d.Model != nil {
		if own := d.Model(); own != nil && own.Info().ID() != modelOf(v) {
			text, work, err := d.ask(ctx, own, v, o, tell)
			if fault := (*llm.Error)(nil); v.Model == nil || ctx.Err() != nil || !errors.As(err, &fault) || !d.Fallback {
				return text, work, err
			}
			tell(event.Notice{Level: event.WarnLevel, Text: fmt.Sprintf("The summary model %s (context.summaryModel) could not be asked: %v. The model in use is asked instead.", own.Info().ID(), err)})
		}
	}
	if v.Model == nil {
		return "", Work{}, errors.New("there is no model to ask")
	}
	return d.ask(ctx, v.Model, v, o, tell)
}

// ask asks one model.
func (d Digest) ask(ctx context.Context, model llm.Model, v event.View, o Order, tell func(event.Signal)) (string, Work, error) {
	info := model.Info()
	work := Work{Model: info.ID()}
	req, room := d.frame(info, o)
	whole := render(o.Messages, account.Ratio(v.Request.Messages, info.ID()))
	room -= calibrated(req.System+opening+closing, whole.ratio)
	in, ok := whole.fit(room)
	if !ok {
		return "", work, fmt.Errorf("the window of %s is too small to summarize this conversation in it", info.ID())
	}
	tell(event.Compacting{Stage: o.Stage})
	for range 2 {
		req.Messages = []llm.Message{llm.NewText(llm.User, llm.Prompt, opening+in.String()+closing)}
		done, err := d.send(ctx, model, req, tell)
		work.Usage = work.Usage.Add(done.Usage)
		if err == nil && done.Stop != llm.StopContextWindow {
			text, err := digestIn(done)
			return text, work, err
		}
		if err != nil && !errors.Is(err, llm.ErrContextTooLong) {
			return "", work, err
		}
		if in, ok = whole.fit(in.tokens() / 2); !ok {
			break
		}
	}
	return "", work, Strike("the summary request is too long for " + info.ID())
}

const (
	opening = "<conversation>\n"
	closing = "</conversation>\n\nWrite the summary of this conversation now."
)

// frame is the request without its input, and how many tokens the system
// prompt and the input may have together: a tenth is left for the estimate to
// be wrong.
func (d Digest) frame(info llm.Info, o Order) (llm.Request, int) {
	meter := d.Meter
	if meter == nil {
		meter = new(account.Meter)
	}
	effective := meter.Measure(llm.Request{}, info).Window
	most := max(1, min(maxDigest, effective/10))
	if info.MaxOutput > 0 {
		most = min(most, info.MaxOutput)
	}
	system := strings.TrimSpace(o.Prompt) + fmt.Sprintf("\n\nThe summary must have fewer than %d words.", max(1, most/2))
	for _, more := range []struct{ head, text string }{
		{"What the user wants every summary to mind:", d.Instructions},
		{"What the user wants this summary to mind above all:", o.Focus},
	} {
		if text := strings.TrimSpace(more.text); text != "" {
			system += "\n\n" + more.head + "\n" + text
		}
	}
	return llm.Request{System: system, MaxOutput: most}, (effective - most) * 9 / 10
}

// send asks until an answer is whole or a fault is not worth another try.
func (d Digest) send(ctx context.Context, model llm.Model, req llm.Request, tell func(event.Signal)) (llm.Done, error) {
	for attempt := 1; ; attempt++ {
		done, err := answerOf(ctx, model, req)
		if err == nil || ctx.Err() != nil || d.Again == nil {
			return done, err
		}
		again, worth := d.Again(attempt, err)
		if !worth {
			return done, err
		}
		tell(again)
		timer := time.NewTimer(again.After)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return llm.Done{}, context.Cause(ctx)
		}
	}
}

func answerOf(ctx context.Context, model llm.Model, req llm.Request) (llm.Done, error) {
	for chunk, err := range model.Stream(ctx, req) {
		if err != nil {
			return llm.Done{}, err
		}
		if done, ok := chunk.(llm.Done); ok {
			return done, nil
		}
	}
	if ctx.Err() != nil {
		return llm.Done{}, context.Cause(ctx)
	}
	return llm.Done{}, &llm.Error{Kind: llm.ErrStream, Provider: model.Info().Provider}
}

// digestIn is the digest that an answer holds. One that was cut off at its end
// is better than none.
func digestIn(done llm.Done) (string, error) {
	text := summaryIn(done.Parts.Text())
	switch {
	case len(done.Parts.Calls()) > 0:
		return "", Strike("the model called a tool instead of writing a summary")
	case done.Stop == llm.StopRefusal || done.Stop == llm.StopFilter:
		return "", Strike("the model refused to write a summary")
	case done.Stop == llm.StopPause:
		return "", Strike("the model stopped before the summary was whole")
	case text == "" && done.Stop == llm.StopLength:
		return "", Strike("the model came to its output limit before it wrote a summary")
	case text == "":
		return "", Strike("the summary is empty")
	}
	return text, nil
}

// summaryIn is what stands between the first opening and the last closing of
// the summary tags, since a summary may speak of such tags itself. An analysis
// before it does not count. Without tags it is the whole text.
func summaryIn(text string) string {
	if rest, ok := strings.CutPrefix(strings.TrimSpace(text), "<analysis>"); ok {
		_, after, closed := strings.Cut(rest, "</analysis>")
		if !closed { // it goes up to the summary, or to the end
			after = ""
			if at := strings.Index(rest, "<summary>"); at >= 0 {
				after = rest[at:]
			}
		}
		text = after
	}
	if at := strings.Index(text, "<summary>"); at >= 0 {
		text = text[at+len("<summary>"):]
		if end := strings.LastIndex(text, "</summary>"); end >= 0 {
			text = text[:end]
		}
	}
	text = strings.TrimSpace(text)
	for _, mark := range []string{"<final>", "[FINAL]", "<progress>", "[PROGRESS]"} {
		text = strings.TrimSpace(strings.TrimPrefix(text, mark))
	}
	return text
}
