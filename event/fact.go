package event

import (
	"encoding/json"

	"github.com/minicode-go/minicode/llm"
)

// Format is the number of the record format that this program writes.
const Format = 1

// Opened is the first fact of every session.
type Opened struct {
	Format int    `json:"format"`
	Model  string `json:"model,omitempty"` // "provider/name"
	Mode   string `json:"mode,omitempty"`  // permission mode
	Title  string `json:"title,omitempty"`
	From   string `json:"from,omitempty"` // session it was forked or spawned from
	At     string `json:"at,omitempty"`   // record of From that it was forked at
}

// Message is something said.
type Message struct{ llm.Message }

// Edited changes the view that the model has of the messages. Messages
// themselves are never changed.
type Edited struct {
	Stage  string     `json:"stage"`
	Why    Why        `json:"why"`
	Edits  []Edit     `json:"edits,omitempty"`
	Before int        `json:"before"`          // tokens in use
	After  int        `json:"after"`           // tokens in use, estimated
	Usage  *llm.Usage `json:"usage,omitempty"` // of the stage's own model calls
	Model  string     `json:"model,omitempty"` // "provider/name" that Usage is of
	Error  string     `json:"error,omitempty"` // a strike: the stage failed by its own doing
}

// Decided is the answer to "may this call run?", and by whom it was given. A
// grant in it is in force from then on: there is no other store of grants.
type Decided struct {
	Call    string          `json:"call"`
	Tool    string          `json:"tool"`
	Title   string          `json:"title,omitempty"`
	Effects []Effect        `json:"effects,omitempty"`
	Preview Preview         `json:"preview,omitzero"` // at most 16 kB, head and tail
	Args    json.RawMessage `json:"args,omitempty"`   // only when a hook or the person changed them
	Allow   bool            `json:"allow"`
	By      string          `json:"by"`               // mode, rule, grant, hook, user, critical, protected, headless
	Reason  string          `json:"reason,omitempty"` // which rule, what the person said
	Grant   *Grant          `json:"grant,omitempty"`
	Stop    bool            `json:"stop,omitempty"`  // no, and end the turn
	Asked   bool            `json:"asked,omitempty"` // it needed an approval that nobody gave or was to be asked for; false when a rule, plan or read-only says no
}

// Scope is how long a grant holds.
type Scope string

// The scopes. What is granted for ever is a rule in the settings as well.
const (
	ForTurn    Scope = "turn"
	ForSession Scope = "session"
	Always     Scope = "always"
)

// Grant is a permission given for more than one call, as rules in the syntax
// of the settings.
type Grant struct {
	Scope Scope    `json:"scope"`
	Rules []string `json:"rules"`
}

// Changed changes a setting of the conversation, or goes back in it. Only
// the fields that changed are set.
type Changed struct {
	Model   string `json:"model,omitempty"`
	Mode    string `json:"mode,omitempty"`
	Title   string `json:"title,omitempty"`
	Rewound bool   `json:"rewound,omitempty"` // the record's parent is where the conversation goes on
}

// Ended ends a turn.
type Ended struct {
	Reason Reason    `json:"reason"`
	Error  string    `json:"error,omitempty"`
	Fault  string    `json:"fault,omitempty"` // reason error: auth, rate_limited, overloaded, unreachable, or "" for any other
	Usage  llm.Usage `json:"usage"`           // of the whole turn
}

func (Opened) event()  {}
func (Message) event() {}
func (Edited) event()  {}
func (Decided) event() {}
func (Changed) event() {}
func (Ended) event()   {}

func (Opened) fact()  {}
func (Message) fact() {}
func (Edited) fact()  {}
func (Decided) fact() {}
func (Changed) fact() {}
func (Ended) fact()   {}
