// Package openai speaks the OpenAI Chat Completions API, to OpenAI and to the
// many servers that look like it.
//
//	model := openai.New(openai.Options{
//		Info:    llm.Info{Provider: "ollama", Name: "qwen3:8b", Window: 32_768, MaxOutput: 8_192},
//		BaseURL: "http://localhost:11434/v1",
//	})
//	for chunk, err := range model.Stream(ctx, request) {
//		...
//	}
//
// What one server wants differently from the rest is a row of [QuirksFor] and
// a field of [Quirks], never a condition elsewhere. Each row is there because
// a request was refused or an answer was lost without it.
//
// Requests are always streamed, and their bytes depend on nothing but the
// options and the request. A model keeps what it wrote last and goes on from
// there, so that the cost of a step does not grow with the conversation.
//
// An answer counts when [DONE] or a finish_reason
// came. Tool results follow their calls directly; images in them, which the
// API has no place for, follow in a message of the user's.
//
// The package does not retry, and does not read the environment. The Responses
// API will be another model of this package, beside [Model].
package openai
