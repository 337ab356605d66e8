package account

import "strings"

// start is what is known of how a model counts before it has answered: how
// many tokens it counts for one that is estimated, and how many its provider
// adds for telling it how to call tools, when there are any. Both are those of
// recorded answers.
func start(model string) (ratio float64, tools int) {
	has := func(names ...string) bool {
		for _, name := range names {
			if strings.Contains(model, name) {
				return true
			}
		}
		return false
	}
	switch model = strings.ToLower(model); {
	case has("claude-3", "claude-sonnet-4-2", "claude-opus-4-2", "claude-opus-4-1"):
		return 1.2, 340
	case has("claude"):
		return 1.2, 520
	case has("grok"):
		return 1, 320
	case has("qwen"):
		return 1, 290
	case has("glm"):
		return 1, 160
	case has("gemini", "kimi"):
		return 1, 40
	}
	return 1, 0
}
