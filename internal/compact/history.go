package compact

// Past is what the log tells of a stage's earlier work.
type Past struct {
	Steps   int // answers since it last changed something; below 0 when it never did
	Strikes int // in a row
	Row     int // how often it worked, not by hand, since the newest answer
}

// History gives what the log tells of the stage of that name.
type History func(stage string) Past

// of is the past of a stage; without a log there is none.
func (h History) of(stage string) Past {
	if h == nil {
		return Past{Steps: -1}
	}
	return h(stage)
}
