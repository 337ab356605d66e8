package provider

import "testing"

// FuzzAnswers checks that whatever a server says is a window that a model can
// have, or none, and the same each time.
func FuzzAnswers(f *testing.F) {
	for _, seed := range []string{
		``, `null`, `{}`, `[`, `<html>`,
		`{"default_generation_settings": {"n_ctx": 4096}}`,
		`{"data": [{"id": "m", "max_model_len": 1e9}, {"id": "m", "loaded_context_length": 256, "max_context_length": 99999999}]}`,
		`{"parameters": "num_ctx 32768\nnum_ctx", "remote_host": "x", "model_info": {"general.architecture": "a", "a.context_length": 300}}`,
		`{"models": [{"name": "m:latest", "context_length": 2.0e4}, {"name": null}]}`,
		`{"parameters": "num_ctx NaN\nnum_ctx Inf\nnum_ctx 0x1p12", "model_info": {"general.architecture": ""}, "models": [{"name": "M", "context_length": -0}]}`,
	} {
		f.Add([]byte(seed), []byte(seed), "m", true)
	}
	f.Fuzz(func(t *testing.T, answer, running []byte, model string, local bool) {
		for name, read := range map[string]func() reading{
			"llama.cpp": func() reading { return readLlamaCpp(answer) },
			"vLLM":      func() reading { return readVLLM(answer, model) },
			"LM Studio": func() reading { return readLMStudio(answer, model) },
			"Ollama":    func() reading { return readOllama(answer, running, model, local) },
		} {
			r := read()
			if r.window != 0 && (r.window < minWindow || r.window > maxWindow) {
				t.Errorf("%s: a window of %d", name, r.window)
			}
			if again := read(); again != r {
				t.Errorf("%s: %v, then %v", name, r, again)
			}
		}
	})
}
