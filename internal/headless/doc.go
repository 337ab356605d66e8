// Package headless runs one prompt without a person: text on stdout, or JSON
// for programs.
//
//	exit := headless.Run(ctx, conversation, prompt, headless.Options{Format: "json", Out: os.Stdout, Err: os.Stderr})
//
// Whatever happens, the last line of a structured format is one result
// object, and the exit code is a function of that object alone. Nothing here
// ever waits for a person: a call that would need an approval is refused and
// listed.
package headless
