package config

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// ErrNoKey is wrapped by the error of [ResolveKey] when there is no key where
// it should be.
var ErrNoKey = errors.New("no key")

// KeySource is where a key comes from: at most one of its fields is set.
type KeySource struct {
	Value    string   // the key itself
	Variable string   // the environment variable that holds it
	Command  []string // the program, with its arguments, that prints it
}

// IsZero says that no source is named.
func (k KeySource) IsZero() bool {
	return k.Value == "" && k.Variable == "" && len(k.Command) == 0
}

// String says where the key comes from and never what it is.
func (k KeySource) String() string {
	switch {
	case k.Variable != "":
		return "$" + k.Variable
	case len(k.Command) > 0:
		return "the command " + strings.Join(k.Command, " ")
	case k.Value != "":
		return masked
	}
	return ""
}

// UnmarshalJSON reads "value", "$VARIABLE" or {"command": [...]}.
func (k *KeySource) UnmarshalJSON(b []byte) error {
	var text string
	if json.Unmarshal(b, &text) == nil {
		*k = KeySource{Value: text}
		if name := variableName(text); name != "" {
			*k = KeySource{Variable: name}
		}
		return nil
	}
	var c struct{ Command []string }
	if err := json.Unmarshal(b, &c); err != nil {
		return err
	}
	*k = KeySource{Command: c.Command}
	return nil
}

// MarshalJSON writes the form that UnmarshalJSON reads.
func (k KeySource) MarshalJSON() ([]byte, error) {
	switch {
	case k.Variable != "":
		return json.Marshal("$" + k.Variable)
	case len(k.Command) > 0:
		return json.Marshal(map[string][]string{"command": k.Command})
	}
	return json.Marshal(k.Value)
}

// variableName is NAME of "$NAME" and "${NAME}", else "".
func variableName(text string) string {
	name, ok := strings.CutPrefix(text, "$")
	if !ok {
		return ""
	}
	if inner, ok := strings.CutPrefix(name, "{"); ok {
		if name, ok = strings.CutSuffix(inner, "}"); !ok {
			return ""
		}
	}
	for i, r := range name {
		if r != '_' && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (i == 0 || r < '0' || r > '9') {
			return ""
		}
	}
	return name
}

// ResolveKey finds the key. A command gets env, no input, 30 seconds, and its
// first line of output is the key. With no source the key is "" and there is
// no error: some servers want none.
func ResolveKey(ctx context.Context, k KeySource, env map[string]string) (string, error) {
	switch {
	case k.Variable != "":
		key := strings.TrimSpace(env[k.Variable])
		if key == "" {
			return "", fmt.Errorf("%w: the variable %s is not set; set it, or set apiKey in the settings", ErrNoKey, k.Variable)
		}
		return key, nil
	case len(k.Command) > 0:
		return keyOfCommand(ctx, k.Command, env)
	}
	return strings.TrimSpace(k.Value), nil
}

func keyOfCommand(ctx context.Context, command []string, env map[string]string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.WaitDelay = time.Second
	cmd.Env = []string{}
	for _, name := range sortedKeys(env) {
		cmd.Env = append(cmd.Env, name+"="+env[name])
	}
	out, diagnosis := &bounded{limit: 64 << 10}, &bounded{limit: 2 << 10}
	cmd.Stdout, cmd.Stderr = out, diagnosis
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		return "", fmt.Errorf("%w: the key command %q failed: %w: %s; run it by hand to see why", ErrNoKey, command[0], err, strings.TrimSpace(diagnosis.String()))
	}
	line, _, _ := strings.Cut(strings.TrimSpace(out.String()), "\n")
	if line = strings.TrimSpace(line); line == "" {
		return "", fmt.Errorf("%w: the key command %q printed nothing; it must print the key on its first line", ErrNoKey, command[0])
	}
	return line, nil
}

// bounded keeps the first limit bytes and swallows the rest.
type bounded struct {
	bytes.Buffer
	limit int
}

func (b *bounded) Write(p []byte) (int, error) {
	b.Buffer.Write(p[:min(len(p), max(0, b.limit-b.Len()))])
	return len(p), nil
}

// BuiltinProvider is what is known of a provider by its name. Its timeouts are
// the defaults.
func BuiltinProvider(name string) (Provider, bool) {
	p := Provider{Wire: "openai-chat", FirstByteTimeoutMs: 300_000, IdleTimeoutMs: 120_000}
	base := func(url, key string) (Provider, bool) {
		p.BaseURL, p.APIKey.Variable = url, key
		return p, true
	}
	switch name {
	case "anthropic":
		p.Wire, p.AuthToken.Variable = "anthropic", "ANTHROPIC_AUTH_TOKEN"
		return base("https://api.anthropic.com", "ANTHROPIC_API_KEY")
	case "gemini":
		p.Wire = "gemini"
		return base("https://generativelanguage.googleapis.com/v1beta", "GEMINI_API_KEY")
	case "openai":
		return base("https://api.openai.com/v1", "OPENAI_API_KEY")
	case "openrouter":
		return base("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY")
	case "deepseek":
		return base("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY")
	case "xai":
		return base("https://api.x.ai/v1", "XAI_API_KEY")
	case "groq":
		return base("https://api.groq.com/openai/v1", "GROQ_API_KEY")
	case "mistral":
		return base("https://api.mistral.ai/v1", "MISTRAL_API_KEY")
	case "cerebras":
		return base("https://api.cerebras.ai/v1", "CEREBRAS_API_KEY")
	case "together":
		return base("https://api.together.xyz/v1", "TOGETHER_API_KEY")
	case "fireworks":
		return base("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY")
	case "moonshot":
		return base("https://api.moonshot.ai/v1", "MOONSHOT_API_KEY")
	case "zai":
		return base("https://api.z.ai/api/paas/v4", "ZAI_API_KEY")
	case "dashscope":
		return base("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY")
	case "ollama":
		return base("http://127.0.0.1:11434/v1", "")
	case "lmstudio":
		return base("http://127.0.0.1:1234/v1", "")
	case "llamacpp":
		return base("http://127.0.0.1:8080/v1", "")
	case "vllm":
		return base("http://127.0.0.1:8000/v1", "")
	}
	return Provider{}, false
}

// BuiltinProviders are the names that [BuiltinProvider] knows, the ones with a
// key first, in the order in which a model is looked for when none is named.
func BuiltinProviders() []string {
	return []string{
		"anthropic", "openai", "gemini", "openrouter", "deepseek", "xai", "groq", "mistral", "cerebras",
		"together", "fireworks", "moonshot", "zai", "dashscope", "ollama", "lmstudio", "llamacpp", "vllm",
	}
}

// urlVariable is the variable that holds a built-in provider's base URL.
func urlVariable(provider string) string {
	switch provider {
	case "anthropic":
		return "ANTHROPIC_BASE_URL"
	case "openai":
		return "OPENAI_BASE_URL"
	case "ollama":
		return "OLLAMA_HOST"
	}
	return ""
}

// ollamaURL makes a base URL of what OLLAMA_HOST may hold: a host, a port, or
// both, with or without a scheme. An address to listen on everywhere is one to
// reach at home.
func ollamaURL(host string) string {
	scheme, rest, ok := strings.Cut(host, "://")
	if !ok {
		scheme, rest = "http", host
	}
	rest = strings.TrimRight(rest, "/")
	address, path, _ := strings.Cut(rest, "/")
	name, port := address, ""
	if i := strings.LastIndexByte(address, ':'); i >= 0 && !strings.HasSuffix(address, "]") {
		name, port = address[:i], address[i+1:]
	}
	if name == "" || name == "0.0.0.0" || name == "[::]" {
		name = "127.0.0.1"
	}
	if port == "" && !ok {
		port = "11434"
	}
	if port != "" {
		name += ":" + port
	}
	if path == "" {
		path = "v1"
	}
	return scheme + "://" + name + "/" + path
}

// Provider is how the provider of that name is reached: the built-in one with
// the settings laid over it. It reports false for a name that neither knows.
func (c Config) Provider(name string) (Provider, bool) {
	p, known := BuiltinProvider(name)
	s, set := c.Providers[name]
	if !set {
		return p, known
	}
	if !known {
		p.Wire = "openai-chat"
	}
	if s.Wire != "" {
		p.Wire = s.Wire
	}
	if s.BaseURL != "" {
		p.BaseURL = s.BaseURL
	}
	if !s.APIKey.IsZero() {
		p.APIKey, p.AuthToken = s.APIKey, KeySource{}
	}
	p.Headers, p.Quirks = s.Headers, s.Quirks
	p.FirstByteTimeoutMs, p.IdleTimeoutMs = s.FirstByteTimeoutMs, s.IdleTimeoutMs
	return p, true
}

// KeyVariables are the names of the variables in env whose values are keys of
// providers: those of the built-in ones and those that the settings name. They
// are kept out of the environment of commands.
func (c Config) KeyVariables(env map[string]string) []string {
	names := []string{"ANTHROPIC_AUTH_TOKEN", "GOOGLE_API_KEY"}
	for _, provider := range BuiltinProviders() {
		p, _ := BuiltinProvider(provider)
		names = append(names, p.APIKey.Variable)
	}
	for _, k := range c.keySources() {
		names = append(names, k.Variable)
	}
	slices.Sort(names)
	return slices.DeleteFunc(slices.Compact(names), func(name string) bool { return env[name] == "" })
}

// CommandEnv is the environment for commands: that of the process without the
// keys of providers, then what the settings add, sorted by name.
func (l Loaded) CommandEnv(environ []string) []string {
	keys := l.Config.KeyVariables(Environ(environ))
	var out []string
	for _, pair := range environ {
		if name, _, _ := strings.Cut(pair, "="); !slices.Contains(keys, name) {
			out = append(out, pair)
		}
	}
	for _, name := range sortedKeys(l.Config.Env) {
		out = append(out, name+"="+l.Config.Env[name])
	}
	return out
}

// SecretValues are the values that must not be recorded or logged: keys in
// env, keys written in the settings, and headers that carry one. Values of
// fewer than 8 bytes are left out: to take them out of texts would spoil them.
func (c Config) SecretValues(env map[string]string) []string {
	var values []string
	for _, name := range c.KeyVariables(env) {
		values = append(values, strings.TrimSpace(env[name]))
	}
	for _, k := range c.keySources() {
		values = append(values, strings.TrimSpace(k.Value))
	}
	secretOf := func(m map[string]string) {
		for name, value := range m {
			if secretName(name) {
				_, bearer, _ := strings.Cut(value, " ")
				values = append(values, value, bearer)
			}
		}
	}
	for _, p := range c.Providers {
		secretOf(p.Headers)
	}
	for _, s := range c.MCPServers {
		secretOf(s.Headers)
		secretOf(s.Env)
	}
	slices.Sort(values)
	return slices.DeleteFunc(slices.Compact(values), func(v string) bool { return len(v) < 8 })
}

// secretName says that a variable or header of that name holds a secret.
func secretName(name string) bool {
	name = strings.ToUpper(name)
	return slices.ContainsFunc([]string{"KEY", "TOKEN", "SECRET", "PASSWORD", "PASSWD", "AUTH", "CREDENTIAL", "COOKIE"},
		func(word string) bool { return strings.Contains(name, word) })
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
