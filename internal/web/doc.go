// Package web is the tools that read the web: web_fetch gives the text of a
// page, web_search the addresses of pages.
//
//	tools, err := web.Tools(web.Options{Agent: "MiniCode/1.0", Now: time.Now})
//	if err != nil {
//		return err // a setting that cannot be
//	}
//	fetch, _ := tool.Set(tools).Find("web_fetch")
//	action, err := fetch.Prepare(ctx, json.RawMessage(`{"url":"https://go.dev/doc/"}`))
//	// judge action.Effects, then:
//	result, err := action.Run(ctx, emit)
//
// Invariants: nothing is asked of the network before Run, not even the
// address of a name; a call reaches no host but the one that its effect
// names, for a redirect to another is handed back to the model; whatever a
// name means, a connection is made only to a public address, or to one that
// the settings or the call's own address name, and never to link-local and
// metadata addresses; a call is bounded in time, in bytes after
// decompression, and in redirects; no cookie is kept or sent.
//
// A page at an address of this machine or of a private network is asked for
// in every mode: such an effect is declared critical. Behind a proxy it is
// the proxy that finds the address of a name, so that only addresses which
// are written as such can be judged.
//
// What is fetched is kept for a quarter of an hour. The package does not
// decide what is allowed, reads no settings and runs no scripts. Pages become
// Markdown in internal/webpage.
package web
