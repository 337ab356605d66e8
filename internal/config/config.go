package config

import "slices"

// Config is every setting. The tags of a field are its documentation: help is
// its line of help, default its default as JSON, enum its words, min and max
// its bounds, merge:"join" says that the lists of all layers are joined, and
// secret:"yes" that its value is not shown.
type Config struct {
	Schema        string               `json:"$schema" default:"\"\"" help:"Where an editor finds the schema of this file"`
	Model         string               `json:"model" default:"\"\"" help:"The model to use, as provider/model or a name from the catalogue; empty: found from the keys that are there"`
	FallbackModel string               `json:"fallbackModel" default:"\"\"" help:"The model to go on with when the first stays overloaded"`
	Effort        string               `json:"effort" default:"\"\"" enum:",low,medium,high" help:"How hard the model should think, where it can; empty: its own default"`
	Mode          string               `json:"mode" default:"\"default\"" enum:"plan,read-only,default,manual,prompt,accept-edits,acceptEdits,workspace-write,auto,dont-ask,dontAsk,full-access,bypassPermissions,danger-full-access,allow" help:"The permission mode to start in; never taken from a project's files"`
	Providers     map[string]Provider  `json:"providers" default:"{}" help:"Providers by name: changes to built-in ones, and others"`
	Models        map[string]Model     `json:"models" default:"{}" help:"What is to be assumed of a model, by provider/model"`
	Permissions   Permissions          `json:"permissions" help:"Rules about what tools may do"`
	Sandbox       Sandbox              `json:"sandbox" help:"Running commands with less power"`
	Context       Context              `json:"context" help:"When the conversation is made shorter"`
	Limits        Limits               `json:"limits" help:"Limits of a turn and of single results"`
	MCPServers    map[string]MCPServer `json:"mcpServers" default:"{}" help:"MCP servers by name"`
	Hooks         Hooks                `json:"hooks" help:"Programs of yours that run around tools and turns"`
	Web           Web                  `json:"web" help:"Searching and fetching"`
	Sessions      Sessions             `json:"sessions" help:"Stored conversations"`
	Terminal      Terminal             `json:"terminal" help:"How the terminal looks and answers"`
	Network       Network              `json:"network" help:"How MiniCode itself reaches the network"`
	Env           map[string]string    `json:"env" default:"{}" help:"Variables for commands, hooks and MCP servers"`
}

// Provider is how a provider is reached.
type Provider struct {
	Wire               string            `json:"wire" default:"\"\"" enum:",anthropic,openai-chat,openai-responses,gemini" help:"The protocol; empty: the built-in provider's, else openai-chat"`
	BaseURL            string            `json:"baseUrl" default:"\"\"" help:"Address, with the version path where the wire has one (https://host/v1)"`
	APIKey             KeySource         `json:"apiKey" default:"\"\"" help:"The key, \"$VARIABLE\", or {\"command\": [...]} that prints it"`
	Headers            map[string]string `json:"headers" default:"{}" secret:"yes" help:"Headers to send besides"`
	Quirks             map[string]any    `json:"quirks" default:"{}" help:"Differences of a server that looks like OpenAI's"`
	FirstByteTimeoutMs int               `json:"firstByteTimeoutMs" default:"300000" min:"0" help:"Milliseconds to wait for the first byte of an answer"`
	IdleTimeoutMs      int               `json:"idleTimeoutMs" default:"120000" min:"0" help:"Milliseconds of silence after which an answer counts as broken"`

	// AuthToken is a bearer token that goes before the key. No setting makes
	// it; the built-in provider anthropic reads ANTHROPIC_AUTH_TOKEN.
	AuthToken KeySource `json:"-"`
}

// Model is what is assumed of one model; what is unset comes from the
// catalogue or the server.
type Model struct {
	Context    int      `json:"context" default:"0" min:"0" help:"Window in tokens, input and output together; 0: not known"`
	MaxOutput  int      `json:"maxOutput" default:"0" min:"0" help:"Tokens that one answer may have; 0: not known"`
	Price      *Price   `json:"price" default:"null" help:"US dollars per million tokens"`
	Thinking   *bool    `json:"thinking" default:"null" help:"Whether the model can be asked to think"`
	Images     *bool    `json:"images" default:"null" help:"Whether the model takes images"`
	Tools      *bool    `json:"tools" default:"null" help:"Whether the model can call tools"`
	ToolFormat string   `json:"toolFormat" default:"\"native\"" enum:"native,text" help:"Where tool calls stand: in the protocol, or in the text"`
	Aliases    []string `json:"aliases" default:"[]" help:"Other names for the model"`
}

// Price is in US dollars per million tokens.
type Price struct {
	Input      float64 `json:"input" default:"0" min:"0" help:"Input that was not cached"`
	Output     float64 `json:"output" default:"0" min:"0" help:"Output"`
	CacheRead  float64 `json:"cacheRead" default:"0" min:"0" help:"Input read from the cache"`
	CacheWrite float64 `json:"cacheWrite" default:"0" min:"0" help:"Input written to the cache"`
}

// Permissions are the rules of all layers. [Loaded.Rules] has them with where
// each came from.
type Permissions struct {
	Allow                 []string `json:"allow" default:"[]" merge:"join" help:"What needs no question, such as Bash(go test:*)"`
	Ask                   []string `json:"ask" default:"[]" merge:"join" help:"What is always asked"`
	Deny                  []string `json:"deny" default:"[]" merge:"join" help:"What is never done; beats ask and allow"`
	AdditionalDirectories []string `json:"additionalDirectories" default:"[]" merge:"join" help:"Directories that count as the workspace too"`
	Protected             []string `json:"protected" default:"[]" merge:"join" help:"Paths whose change is always asked, besides the built-in ones"`
	Secrets               []string `json:"secrets" default:"[]" merge:"join" help:"Paths whose reading is always asked, besides the built-in ones"`
}

// Sandbox is what commands may do when they run inside it.
type Sandbox struct {
	Mode     string         `json:"mode" default:"\"off\"" enum:"off,on,required" help:"required: refuse to run a command without a sandbox"`
	Write    []string       `json:"write" default:"[]" merge:"join" help:"Directories that commands may write besides the workspace"`
	DenyRead []string       `json:"denyRead" default:"[]" merge:"join" help:"Paths that commands cannot read, besides secrets"`
	Network  SandboxNetwork `json:"network" help:"The network inside the sandbox"`
}

// SandboxNetwork is the network inside the sandbox.
type SandboxNetwork struct {
	Allow []string `json:"allow" default:"[]" merge:"join" help:"Hosts that commands may reach"`
}

// Context says at which share of the window each stage of compaction begins.
type Context struct {
	Auto                bool    `json:"auto" default:"true" help:"Whether the conversation is made shorter by itself; false: only by /compact, /snip and /collapse"`
	ClearAt             float64 `json:"clearAt" default:"0.5" min:"0" max:"1" help:"Share of the window at which old results are cleared; 0: never"`
	SnipAt              float64 `json:"snipAt" default:"0.7" min:"0" max:"1" help:"Share at which a middle part is cut out; 0: never"`
	CollapseAt          float64 `json:"collapseAt" default:"0.75" min:"0" max:"1" help:"Share at which older parts are digested; 0: never"`
	SummarizeAt         float64 `json:"summarizeAt" default:"0.85" min:"0" max:"1" help:"Share at which all but the newest part is summarized; 0: never"`
	RefuseAt            float64 `json:"refuseAt" default:"0.95" min:"0" max:"1" help:"Share at which nothing more is sent; 0: never refuse"`
	TailTokens          int     `json:"tailTokens" default:"40000" min:"0" help:"Most tokens of the newest part that a summary leaves alone"`
	SummaryModel        string  `json:"summaryModel" default:"\"\"" help:"The model that writes summaries; empty: the one in use"`
	SummaryInstructions string  `json:"summaryInstructions" default:"\"\"" help:"What every summary should mind"`
}

// Limits bound a turn and single results.
type Limits struct {
	MaxSteps            int     `json:"maxSteps" default:"200" min:"0" help:"Steps of one turn; 0: 200"`
	MaxBudgetUSD        float64 `json:"maxBudgetUsd" default:"0" min:"0" help:"US dollars that a run may cost; 0: no limit"`
	CommandTimeoutMs    int     `json:"commandTimeoutMs" default:"120000" min:"1" help:"Milliseconds after which a command is ended"`
	CommandMaxTimeoutMs int     `json:"commandMaxTimeoutMs" default:"600000" min:"1" help:"Most milliseconds that the model may ask for"`
	ResultChars         int     `json:"resultChars" default:"50000" min:"1000" help:"Characters of one result; what is longer goes to a file"`
	BatchChars          int     `json:"batchChars" default:"200000" min:"1000" help:"Characters of all results of one answer"`
}

// MCPServer is one MCP server: a command, or an address.
type MCPServer struct {
	Type           string            `json:"type" default:"\"\"" enum:",stdio,http,sse,streamable-http" help:"Transport; empty: by command or url"`
	Command        string            `json:"command" default:"\"\"" help:"The program to start"`
	Args           []string          `json:"args" default:"[]" help:"Its arguments"`
	Env            map[string]string `json:"env" default:"{}" secret:"yes" help:"Its variables"`
	Cwd            string            `json:"cwd" default:"\"\"" help:"Its directory; empty: the project's"`
	URL            string            `json:"url" default:"\"\"" help:"The address of a server that runs already"`
	Headers        map[string]string `json:"headers" default:"{}" secret:"yes" help:"Headers to send to it"`
	TimeoutMs      int               `json:"timeoutMs" default:"60000" min:"0" help:"Milliseconds that one call may take"`
	StartTimeoutMs int               `json:"startTimeoutMs" default:"30000" min:"0" help:"Milliseconds that the start may take"`
	Enabled        bool              `json:"enabled" default:"true" help:"false: not started"`
	ReadOnlyTools  []string          `json:"readOnlyTools" default:"[]" help:"Tools of it that only read and need no question"`
	ResultChars    int               `json:"resultChars" default:"50000" min:"0" help:"Characters of one result"`
	DeferTools     bool              `json:"deferTools" default:"false" help:"Whether its tools are told to the model only when wanted"`
}

// Hooks are the person's programs by event, as Claude Code has them. Each
// group's Names is filled in by [Load].
type Hooks struct {
	Names              string      `json:"names" default:"\"claude\"" enum:"claude,own" help:"Whose tool names the hooks of this file see"`
	PreToolUse         []HookGroup `json:"PreToolUse" default:"[]" merge:"join" help:"Before a tool; may stop it"`
	PostToolUse        []HookGroup `json:"PostToolUse" default:"[]" merge:"join" help:"After a tool that worked"`
	PostToolUseFailure []HookGroup `json:"PostToolUseFailure" default:"[]" merge:"join" help:"After a tool that failed"`
	UserPromptSubmit   []HookGroup `json:"UserPromptSubmit" default:"[]" merge:"join" help:"Before a prompt goes to the model"`
	Stop               []HookGroup `json:"Stop" default:"[]" merge:"join" help:"Before a turn ends"`
	SubagentStop       []HookGroup `json:"SubagentStop" default:"[]" merge:"join" help:"Before a sub-agent ends"`
	SessionStart       []HookGroup `json:"SessionStart" default:"[]" merge:"join" help:"When a session opens"`
	SessionEnd         []HookGroup `json:"SessionEnd" default:"[]" merge:"join" help:"When a session ends"`
	PreCompact         []HookGroup `json:"PreCompact" default:"[]" merge:"join" help:"Before the conversation is made shorter"`
	PostCompact        []HookGroup `json:"PostCompact" default:"[]" merge:"join" help:"After that"`
	Notification       []HookGroup `json:"Notification" default:"[]" merge:"join" help:"When the person is told something"`
	PermissionRequest  []HookGroup `json:"PermissionRequest" default:"[]" merge:"join" help:"Before the person is asked for a permission"`
}

// HookGroup is the hooks of one event that share a matcher.
type HookGroup struct {
	Matcher string `json:"matcher" default:"\"\"" help:"Tools it is for; empty or *: all"`
	Names   string `json:"names" default:"\"\"" enum:",claude,own" help:"Whose tool names it sees; empty: as hooks.names"`
	Hooks   []Hook `json:"hooks" default:"[]" help:"What runs, side by side"`
}

// Hook is one program, or another kind of handler, of a [HookGroup].
type Hook struct {
	Type          string            `json:"type" default:"\"command\"" help:"The kind of handler"`
	Command       string            `json:"command" default:"\"\"" help:"The command line, or the program when there are args"`
	Args          []string          `json:"args" default:"[]" help:"Arguments; with them there is no shell"`
	Timeout       float64           `json:"timeout" default:"600" min:"0" help:"Seconds it may take"`
	If            string            `json:"if" default:"\"\"" help:"A rule that the call must match"`
	StatusMessage string            `json:"statusMessage" default:"\"\"" help:"What is shown while it runs"`
	Async         bool              `json:"async" default:"false" help:"Whether nothing waits for it"`
	Shell         string            `json:"shell" default:"\"\"" help:"The shell for the command line"`
	URL           string            `json:"url" default:"\"\"" help:"For handlers of type http"`
	Headers       map[string]string `json:"headers" default:"{}" secret:"yes" help:"For handlers of type http"`
}

// For is the groups of an event by its name; nil for an event that MiniCode
// does not have.
func (h Hooks) For(event string) []HookGroup {
	switch event {
	case "PreToolUse":
		return h.PreToolUse
	case "PostToolUse":
		return h.PostToolUse
	case "PostToolUseFailure":
		return h.PostToolUseFailure
	case "UserPromptSubmit":
		return h.UserPromptSubmit
	case "Stop":
		return h.Stop
	case "SubagentStop":
		return h.SubagentStop
	case "SessionStart":
		return h.SessionStart
	case "SessionEnd":
		return h.SessionEnd
	case "PreCompact":
		return h.PreCompact
	case "PostCompact":
		return h.PostCompact
	case "Notification":
		return h.Notification
	case "PermissionRequest":
		return h.PermissionRequest
	}
	return nil
}

// Web is searching and fetching.
type Web struct {
	Search Search `json:"search" help:"web_search"`
	Fetch  Fetch  `json:"fetch" help:"web_fetch"`
}

// Search is who answers web_search.
type Search struct {
	Provider string    `json:"provider" default:"\"duckduckgo\"" enum:"duckduckgo,brave,tavily,searxng" help:"Who searches; duckduckgo needs no key"`
	APIKey   KeySource `json:"apiKey" default:"\"\"" help:"Its key, in the forms of providers.NAME.apiKey"`
	URL      string    `json:"url" default:"\"\"" help:"The address of a SearXNG"`
}

// Fetch is what web_fetch may reach.
type Fetch struct {
	Allow []string `json:"allow" default:"[]" merge:"join" help:"Hosts that need no question"`
	Deny  []string `json:"deny" default:"[]" merge:"join" help:"Hosts that are never fetched from"`
}

// Sessions is how long conversations are kept.
type Sessions struct {
	KeepDays int `json:"keepDays" default:"0" min:"0" help:"Days after which sessions are removed; 0: kept for ever"`
}

// Terminal is how the terminal looks and answers.
type Terminal struct {
	Theme        string            `json:"theme" default:"\"auto\"" help:"auto, light, dark, or the name of a theme"`
	Keys         map[string]string `json:"keys" default:"{}" help:"Keys by what they do; never taken from a project's files"`
	Notify       string            `json:"notify" default:"\"auto\"" enum:"auto,bell,osc,off" help:"How you are told that a turn ended or waits"`
	ScreenReader bool              `json:"screenReader" default:"false" help:"Plain lines without drawing"`
	FullScreen   bool              `json:"fullScreen" default:"false" help:"Use the whole screen instead of the scrollback"`
}

// Network is how MiniCode itself reaches the network.
type Network struct {
	Proxy  string `json:"proxy" default:"\"\"" help:"Proxy address; empty: HTTPS_PROXY and friends"`
	CAFile string `json:"caFile" default:"\"\"" help:"A PEM file of certificate authorities to trust besides the system's"`
}

// Default is what holds when nothing is set.
func Default() Config {
	var c Config
	if err := decode(withDefaults(describe(), nil), &c); err != nil {
		panic("config: the defaults do not fit their fields: " + err.Error())
	}
	return c
}

// keySources are the places where settings name keys.
func (c Config) keySources() []KeySource {
	keys := []KeySource{c.Web.Search.APIKey}
	for _, name := range sortedKeys(c.Providers) {
		keys = append(keys, c.Providers[name].APIKey)
	}
	return slices.DeleteFunc(keys, KeySource.IsZero)
}
