//go:build !linux && !darwin

package line

// terminal is the terminal that is read from. What was typed of a line that is
// not whole cannot be told here.
type terminal struct{ fd int }

func (*terminal) handOver()  {}
func (*terminal) gone() bool { return false }
