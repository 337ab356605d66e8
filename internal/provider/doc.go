// Package provider finds the model that a name means, and the way to it: the
// provider, its settings and key, the wire, the one HTTP client.
//
//	d := &provider.Directory{Settings: loaded, Env: env}
//	model, err := d.Model("anthropic/claude-sonnet-4-5")
//	if err != nil {
//		return err // for the person: an unknown name, an unusable setting
//	}
//
// A key is looked up at the first request: a command that prints one may be
// slow, and a missing key is told where it matters.
//
// A server on one's own machine or network is asked then for the window of a
// model that neither the settings nor the catalogue know: in the ways of
// llama.cpp, vLLM, LM Studio and Ollama at once, for two seconds at most, once
// for all models of a Directory with that name. Ollama, and LM Studio with a
// model that is not loaded, know it for sure when the model answers, so they
// are asked once more at the first piece of the first answer; if they still do
// not tell, 4,096 tokens are assumed, the least that they load. The window is
// in Info from then on. Whatever fails is not told: the window stays unknown,
// and [Directory.WindowNote] says what to do. Public providers are asked
// nothing, and no server at start-up.
package provider
