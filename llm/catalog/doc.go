// Package catalog is what is known of models without asking anyone: their
// windows, limits, prices and abilities, and where their providers answer.
//
//	entry, ok := catalog.Find("sonnet")
//	if !ok {
//		// not known: the settings or the server may tell
//	}
//	info := entry.Info()
//
// The tables are text files, embedded as they are and read line by line when
// someone asks, so that they cost nothing at start-up. What stands in them is
// what the providers published; an empty field is not known. Settings go
// before it.
//
// The package asks no server and knows no keys, only the names of the
// environment variables that hold them.
package catalog
