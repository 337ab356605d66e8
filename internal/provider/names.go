package provider

import (
	"maps"
	"slices"

	"github.com/minicode-go/minicode/llm/catalog"
)

// Names is the models that a person may choose from, as "provider/model":
// those that the settings name, then those of the catalogue whose provider has
// a key and whose protocol is built. Others can be had by their names, too.
func (d *Directory) Names() []string {
	env := d.Settings.Env(d.Env)
	names := slices.Sorted(maps.Keys(d.Settings.Config.Models))
	for e := range catalog.All() {
		id := e.Provider + "/" + e.Name
		p, _ := d.Settings.Config.Provider(e.Provider)
		if e.Responses || p.Wire != "anthropic" && p.Wire != "openai-chat" || slices.Contains(names, id) || !d.hasKey(e.Provider, env) {
			continue
		}
		names = append(names, id)
	}
	return names
}
