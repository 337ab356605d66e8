// Package llmtest tests what talks to language models without one: a scripted
// model in process, a scripted server that is as strict as the providers, and
// [Conform], which holds an adapter to the contract of [llm.Model].
//
// # In process
//
// A [Script] is an [llm.Model] whose answers are written down. Each request
// takes the next one; answers that nobody asked for, requests without an
// answer and failed checks fail the test at its end.
//
//	model := llmtest.New(t,
//		llmtest.Join(llmtest.Think("look first", ""), llmtest.Call("read_file", `{"path":"a.go"}`)),
//		llmtest.Join(llmtest.ExpectNew("package a"), llmtest.Fail(&llm.Error{Kind: llm.ErrOverloaded})),
//		llmtest.Say("It is an empty package."),
//	)
//
// An [Answer] is a list of steps in the order they are done. Each constructor
// makes an answer of one step, and [Join] joins them.
//
// # Over HTTP
//
// [NewServer] gives the same answers as the Messages API and as Chat
// Completions, streamed in the shape of the real ones:
//
//	server := llmtest.NewServer(llmtest.New(t, llmtest.Say("hello")))
//	model := anthropic.New(anthropic.Options{BaseURL: server.BaseURL(llmtest.Anthropic), Key: "k"})
//
// A request that the real provider refuses is refused with a 400 in its
// shape: calls without results, empty texts, unknown fields, thinking that was
// changed, and so on. That fails the test too. Each step says how it looks on
// the wire: [Fail] is a status or an error inside the stream, [CutAt] breaks
// the connection, [Bytes] tears the events apart.
//
// # Scripts as text
//
// [ParseScript] reads answers from a file, so that a program can be tested
// from outside. A line is a step; a blank line or "---" ends an answer; lines
// that begin with "#" are comments:
//
//	# look, then say what was found
//	think The file first. | c2lnbmF0dXJl
//	call read_file {"path":"a.go"}
//	usage in=900 out=40 cache_read=800
//
//	fail 529 retry-after-ms=1
//
//	expect-new package a
//	say It is an empty package.
//
// The words that say something:
//
//	say TEXT                  some text
//	think TEXT [| SIGNATURE]  some thinking; the server signs what is not signed
//	redacted DATA             thinking that is shown only encrypted
//	call [#ID] NAME [JSON]    a tool call; the id is made up unless given, "#" alone is an empty one
//	badcall [#ID] NAME TEXT   a tool call whose arguments need not be JSON
//	stop REASON [DETAIL]      why the answer ends: end_turn, max_tokens, refusal, ...
//	usage in=N out=N cache_read=N cache_write=N reasoning=N
//
// Those that make it go wrong or slowly, each at its place among the others:
//
//	fail STATUS [HEADER=VALUE ...] [BODY]      an HTTP status; after output an error in the stream
//	fail KIND [retry-after-ms=N] [MESSAGE]     auth, rate-limited, overloaded, server, unreachable,
//	                                           stream, stalled, too-long or request
//	cut           the stream ends here, without its terminal event
//	cut N         the connection breaks after N bytes of the stream
//	reset         the connection is reset
//	hang          nothing more comes until the client leaves
//	stall 2s      nothing comes for so long, once
//	delay 10ms    so long before each delta from here on
//	pieces N      characters in a delta
//	bytes N       the stream is written N bytes at a time
//	raw TEXT      these bytes, inside the stream
//	comment TEXT  a comment line of the stream
//	after TEXT    these bytes after the terminal event
//	crlf          lines end with CR LF
//
// Those about requests:
//
//	expect TEXT      the request must hold the text
//	expect-new TEXT  its messages after the last assistant message must
//	expect-re RE     the request must match the regular expression
//	refuse TEXT      the request must not hold the text
//	when TEXT        the answer is only for requests that hold the text
//	repeat N         the answer is given N times; "repeat forever" or a line "*": to all that come
//	max-input N      for the whole script: longer prompts, in tokens, are refused as too long
//
// A TEXT that is one Go string as a whole, in quotes or backquotes, is
// unquoted. A line that ends in <<END goes on with the lines up to one that
// is END. A text is looked for both in the body as it was sent and in its
// strings without their escapes.
//
// # What it does not do
//
// The server counts no real tokens (a token is four bytes), answers only
// streamed requests, and judges the requests of nobody in process: [Script]
// takes whatever it gets.
package llmtest
