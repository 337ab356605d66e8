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
// slow, and a missing key is told where it matters. The package asks no
// provider anything by itself.
package provider
