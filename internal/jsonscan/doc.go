// Package jsonscan looks at JSON text without making anything of it, faster than
// encoding/json does: a history is megabytes, and all of it is looked at
// whenever a request is written.
//
//	if jsonscan.Valid(args) && args[0] == '{' {
//		// args is a JSON object
//	}
//	end := jsonscan.Plain(`say "hi"`, 0) // 4, where the quote is
//
// Invariant: Valid says of every text what [json.Valid] says.
//
// The package does not decode, and does not ask whether text is UTF-8.
package jsonscan
