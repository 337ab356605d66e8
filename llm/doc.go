// Package llm holds the words that are said to and by a language model:
// messages with their parts, requests, streamed chunks, models, usage, stop
// reasons and errors. It talks to no network; the adapters below it
// (llm/anthropic, llm/openai) do.
//
// A [Message] is what a conversation is made of. A [Model] turns a [Request]
// into a stream of [Chunk] values that ends in exactly one [Done], or in an
// error:
//
//	for chunk, err := range model.Stream(ctx, request) {
//		if err != nil {
//			return err // an *llm.Error for every fault of the provider
//		}
//		switch c := chunk.(type) {
//		case llm.TextDelta:
//			fmt.Print(c.Text)
//		case llm.Done:
//			answer = c
//		}
//	}
//
// Invariant: what [Mend] returns is a history that every provider takes, and
// what it returns for a history is a prefix of what it returns for that
// history with more whole rounds added. Adapters run it before every send.
//
// The package does not retry, count money or keep state.
package llm
