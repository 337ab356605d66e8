package tui

import (
	"os"

	tea "charm.land/bubbletea/v2"

	"github.com/minicode-go/minicode/internal/app"
	"github.com/minicode-go/minicode/internal/command"
	"github.com/minicode-go/minicode/llm"
)

// What the event loop is told, beside what Bubble Tea tells it.
type (
	happened struct{ work *work } // a turn has yielded something
	ended    struct {             // a turn is over
		work *work
		err  error
	}
	commanded struct { // a command is over
		command.Result
		work  *work
		err   error
		moved bool // to another session
	}
	gauged struct { // what the status line shows was found out
		info  app.Info
		used  llm.Count
		todos []todo

		servers string
		broken  bool
	}
	asked     struct{ dialog *dialog } // a question is put
	withdrawn struct{ dialog *dialog } // nobody waits for its answer any more
	opened    struct{ dialog *dialog } // it may be answered now
	signalled struct{ signal os.Signal }
	edited    struct { // the external editor is closed
		path string
		err  error
		then func(path, text string, err error) (cmd tea.Cmd, keep bool)
	}
	lost    struct{} // nothing can be written any more
	drained struct{} // all is written
	due     struct{} // a frame
	tick    struct{} // the spinner turns
	settled struct{} // the terminal's answers are there, or do not come
	disarm  struct{} // Ctrl+C no longer counts as the first of two
	found   struct { // files for the word
		word  word
		items []item
		more  bool // is being found
	}
)
