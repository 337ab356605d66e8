// Package mcp brings other people's tools: servers that speak the Model Context
// Protocol, over standard streams or HTTP.
//
// The invariants: nothing waits for a server but who calls it, and that only
// for as long as the settings say; a server that is missing, broken, slow or
// mad costs one notice and nothing else; a server gets no variable of ours but
// those it is given; no process outlives [Servers.Close].
//
//	servers := mcp.New(configs, mcp.Options{Root: root, Env: env})
//	servers.Start()                  // returns at once
//	defer servers.Close()
//	tools := servers.Tools()         // of those that are there by now
//
// It decides nothing: each of its tools declares one effect, and the gate
// judges it. It does not read settings and does not know which servers are
// trusted: it starts what it is given.
//
// The protocol: https://modelcontextprotocol.io/specification, by the official
// Go SDK.
package mcp
