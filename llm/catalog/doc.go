// Package catalog is what is known of models without asking anyone: their
// windows, limits, prices and abilities.
//
//	entry, ok := catalog.Find("sonnet")
//	if !ok {
//		// not known: the settings or the server may tell
//	}
//	info := entry.Info()
//
// The table is a text file, embedded as it is and read line by line when
// someone asks, so that it costs nothing at start-up. What stands in it is what
// the providers published; an empty field is not known. Settings go before it.
//
// The package asks no server, and does not know how providers are reached.
package catalog
