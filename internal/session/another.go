package session

import (
	"errors"

	"github.com/minicode-go/minicode/event"
)

// Last is the last n records of a session, as they are in its file: it is not
// opened, so it may be open elsewhere. Records that cannot be read are left
// out.
func (s *Store) Last(path string, n int) ([]event.Record, error) {
	if err := sniff(path); err != nil {
		return nil, err
	}
	l, err := s.peek(path)
	if err != nil {
		return nil, err
	}
	var out []event.Record
	for r, err := range l.Tail(n) {
		if err == nil {
			out = append(out, r)
		}
	}
	return out, l.out.f.Close()
}

// Rename gives a session another title. Its error wraps [ErrLocked] while the
// session is open.
func (s *Store) Rename(path, title string) error {
	info, _ := s.summary(path) // without it the record has no directory
	l, _, err := s.Open(path, info.Cwd)
	if err != nil {
		return err
	}
	_, err = l.Append(event.Changed{Title: title})
	return errors.Join(err, l.Close())
}
