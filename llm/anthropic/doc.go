// Package anthropic speaks the Anthropic Messages API, to Anthropic itself
// and to whoever offers the same.
//
//	model := anthropic.New(anthropic.Options{
//		Info:    llm.Info{Provider: "anthropic", Name: "claude-sonnet-4-5", Window: 200_000, MaxOutput: 64_000},
//		Key:     key,
//		KeyFrom: "ANTHROPIC_API_KEY",
//	})
//	for chunk, err := range model.Stream(ctx, request) {
//		...
//	}
//
// Requests are always streamed. Their bytes depend on nothing but the options
// and the request, and the messages of a request begin with the bytes of the
// request before it, cache marks apart: the marks sit on the last tool, the
// system prompt and the newest two user messages, so that each request reads
// what the one before wrote. A model keeps what it wrote last and goes on from
// there, so that the cost of a step does not grow with the conversation.
//
// Thinking, redacted thinking and blocks of kinds that are not known here are
// kept as [llm.Thinking] and go back in their places. An answer counts only
// when message_stop came; until then every fault is an error.
//
// The package does not retry, and does not read the environment.
package anthropic
