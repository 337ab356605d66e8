package line

import "github.com/minicode-go/minicode/internal/visible"

// visible writes hidden characters so that they can be seen. The marks stand
// out where there are colours.
func (s *screen) visible(text string, m visible.Marks) string {
	return visible.Mark(text, m, func(mark string) string { return s.style(reverse, mark) })
}
