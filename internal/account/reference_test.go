package account_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/minicode-go/minicode/internal/account"
	"github.com/minicode-go/minicode/llm"
)

// A referenceCase is one test of MiniCode (TypeScript), by its number there.
type referenceCase struct {
	name string
	run  func(t *testing.T)
}

func runReference(t *testing.T, cases []referenceCase) {
	for i, c := range cases {
		if !strings.HasPrefix(c.name, fmt.Sprintf("%02d_", i+1)) {
			t.Errorf("case %d is %s", i+1, c.name)
		}
		t.Run(c.name, c.run)
	}
}

func TestReferenceTokenEstimator(t *testing.T) {
	const text = "The parser drops comments that stand before a closing brace."
	of := func(messages ...llm.Message) int { return account.Estimate(llm.Request{Messages: messages}) }
	near := func(got, want int) bool { return got == want || got == want-1 } // sums are rounded up once
	some := func(m llm.Message) func(t *testing.T) {
		return func(t *testing.T) {
			if n := of(m); n <= of(llm.Message{}) || n > 60 {
				t.Errorf("%d tokens", n)
			}
		}
	}
	full := func(share float64) llm.Count {
		return new(account.Meter).Measure(llm.Request{Messages: []llm.Message{said("hi"), answer(llm.Usage{Input: int(share * 136_000)})}}, known())
	}
	measured := func(messages ...llm.Message) llm.Count {
		return new(account.Meter).Measure(llm.Request{Messages: messages}, known())
	}
	result := llm.Message{Role: llm.ToolRole, Kind: llm.Resulted, Parts: llm.Parts{llm.ToolResult{Parts: llm.Parts{llm.Text{Text: text}}}}}
	counted := answer(llm.Usage{Input: 1000, CacheRead: 200, Output: 34})
	runReference(t, []referenceCase{
		{"01_the_system_prompt", func(t *testing.T) {
			if n := account.Estimate(llm.Request{System: "You are a coding assistant."}); n <= 0 || n > 20 {
				t.Errorf("%d tokens", n)
			}
		}},
		{"02_a_prompt", some(said(text))},
		{"03_a_result_takes_more_than_an_answer", func(t *testing.T) {
			if r, a := of(result), of(llm.NewText(llm.Assistant, llm.Final, text)); r <= a || r > a+10 {
				t.Errorf("%d tokens, an answer of the same text %d", r, a)
			}
		}},
		{"04_a_call", some(llm.Message{Role: llm.Assistant, Parts: llm.Parts{llm.ToolCall{Name: "read_file", Args: []byte(`{"path":"a.go"}`)}}})},
		{"05_a_summary", some(llm.NewText(llm.User, llm.Summary, text))},
		{"06_no_text", func(t *testing.T) {
			if empty, frame := of(said("")), of(llm.Message{}); empty != frame || frame > 5 {
				t.Errorf("a message without text takes %d tokens, one without anything %d", empty, frame)
			}
		}},
		{"07_the_sum_is_that_of_the_parts", func(t *testing.T) {
			if all, sum := of(said(text), result, counted), of(said(text))+of(result)+of(counted); all > sum || all < sum-3 {
				t.Errorf("%d tokens, one by one %d", all, sum)
			}
		}},
		{"08_no_messages", func(t *testing.T) {
			if n := of(); n != 0 {
				t.Errorf("%d tokens", n)
			}
		}},
		{"09_normal", func(t *testing.T) {
			if c := measured(said(text)); account.LevelOf(c.Share()) != account.Normal || c.Window != 136_000 || !c.Known {
				t.Errorf("%+v", c)
			}
		}},
		{"10_more_than_full", func(t *testing.T) {
			c := full(1.3)
			if account.LevelOf(c.Share()) != account.Blocked || c.Share() < 1.29 || !strings.Contains(account.Badge(c), " 100% ") {
				t.Errorf("%+v, %s", c, account.Badge(c))
			}
		}},
		{"11_half_full", func(t *testing.T) {
			if got := account.LevelOf(full(0.51).Share()); got != account.Warning {
				t.Error(got)
			}
		}},
		{"12_no_more_than_all_is_shown", func(t *testing.T) {
			if got := account.Badge(llm.Count{Tokens: 900, Window: 100, Source: "usage"}); got != "[ctx] 100% ▓▓▓▓▓▓▓▓▓▓ usage" {
				t.Error(got)
			}
		}},
		{"13_usage_is_exact", func(t *testing.T) {
			if c := measured(said(text), counted); c.Tokens != 1234 || c.Counted != 1234 || c.Source != "usage" {
				t.Errorf("%+v", c)
			}
		}},
		{"14_usage_and_what_came_after_it", func(t *testing.T) {
			if c := measured(said(text), counted, said(text)); !near(c.Tokens, 1234+of(said(text))) || c.Counted != 1234 || c.Source != "usage+est" {
				t.Errorf("%+v", c)
			}
		}},
		{"15_an_estimate_alone", func(t *testing.T) {
			if c := measured(said(text), result); !near(c.Tokens, of(said(text), result)) || c.Counted != 0 || c.Source != "est" {
				t.Errorf("%+v", c)
			}
		}},
		{"16_stale_usage_is_passed_over", func(t *testing.T) {
			for _, why := range []string{"cleared", "snipped", "collapsed", "compacted"} {
				stale := with(counted, func(m *llm.Message) { m.Stale = why })
				if c := measured(said(text), stale); !near(c.Tokens, of(said(text), stale)) || c.Source != "est" || c.Stale != why {
					t.Errorf("%+v", c)
				}
			}
		}},
	})
}

func TestReferenceContextBadge(t *testing.T) {
	shows := func(tokens int, source string, level account.Level, want string) func(t *testing.T) {
		return func(t *testing.T) {
			c := llm.Count{Tokens: tokens, Window: 100, Source: source}
			if got := account.Badge(c); got != want {
				t.Errorf("%s, want %s", got, want)
			}
			if got := account.LevelOf(c.Share()); got != level {
				t.Errorf("%s, want %s", got, level)
			}
		}
	}
	runReference(t, []referenceCase{
		{"01_normal", shows(23, "usage", account.Normal, "[ctx] 23% ▓▓░░░░░░░░ usage")},
		{"02_warning", shows(68, "usage", account.Warning, "[ctx] 68% ▓▓▓▓▓▓▓░░░ usage")},
		{"03_critical", shows(89, "usage", account.Critical, "[ctx] 89% ▓▓▓▓▓▓▓▓▓░ usage")},
		{"04_blocked", shows(96, "usage", account.Blocked, "[ctx] 96% ▓▓▓▓▓▓▓▓▓▓ usage")},
		{"05_empty", shows(0, "est", account.Normal, "[ctx] 0% ░░░░░░░░░░ est")},
		{"06_full", shows(100, "usage", account.Blocked, "[ctx] 100% ▓▓▓▓▓▓▓▓▓▓ usage")},
		{"07_the_source", shows(40, "usage+est", account.Normal, "[ctx] 40% ▓▓▓▓░░░░░░ usage+est")},
		{"08_half", shows(50, "usage", account.Warning, "[ctx] 50% ▓▓▓▓▓░░░░░ usage")},
	})
}
