package wire

import (
	"bytes"
	"errors"
	"io"
)

// maxEvent is how many bytes one event may have.
const maxEvent = 64 << 20

var errTooLong = errors.New("an event of the stream is too long")

// decoder reads server-sent events. Lines may end in LF, CR or CRLF and be
// split anywhere between two reads. A last event without its blank line is
// given too, as several servers leave it out; one with blank data is none, as
// some keep the connection alive with it.
type decoder struct {
	r      io.Reader
	buf    []byte // what was read; buf[at:] is not looked at yet
	at     int
	skipLF bool // the line before ended in CR, so a LF belongs to it
	begun  bool
	name   string
	data   []byte
	any    bool // data has a line
	err    error
}

func newDecoder(r io.Reader) *decoder { return &decoder{r: r} }

// next gives the next event with data. Its bytes are good until the call
// after. At the end the error is io.EOF, or what the reader said.
func (d *decoder) next() (Event, error) {
	d.name, d.data, d.any = "", d.data[:0], false
	for {
		line, err := d.line()
		if err != nil {
			if d.any && errors.Is(err, io.EOF) {
				return Event{Name: d.name, Data: d.data}, nil
			}
			return Event{}, err
		}
		if len(line) == 0 {
			if len(bytes.TrimSpace(d.data)) > 0 {
				return Event{Name: d.name, Data: d.data}, nil
			}
			d.name, d.data, d.any = "", d.data[:0], false
			continue
		}
		field, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		switch string(field) {
		case "data":
			if d.any {
				d.data = append(d.data, '\n')
			}
			d.any = true
			if d.data = append(d.data, value...); len(d.data) > maxEvent {
				return Event{}, errTooLong
			}
		case "event":
			d.name = string(value)
		}
	}
}

// line gives the next line without its end.
func (d *decoder) line() ([]byte, error) {
	searched := 0 // bytes after at that have no line end
	for {
		if d.skipLF && d.at < len(d.buf) {
			d.skipLF = false
			if d.buf[d.at] == '\n' {
				d.at++
			}
		}
		rest := d.buf[d.at:]
		if i := lineEnd(rest[searched:]); i >= 0 {
			line := rest[:searched+i]
			d.skipLF = rest[searched+i] == '\r'
			d.at += searched + i + 1
			return d.first(line), nil
		}
		if searched = len(rest); searched > maxEvent {
			return nil, errTooLong
		}
		if d.err != nil {
			d.at = len(d.buf)
			if len(rest) > 0 && errors.Is(d.err, io.EOF) {
				return d.first(rest), nil
			}
			return nil, d.err
		}
		d.fill()
	}
}

// first takes the byte order mark off the stream's first line.
func (d *decoder) first(line []byte) []byte {
	if !d.begun {
		d.begun = true
		return bytes.TrimPrefix(line, []byte("\xEF\xBB\xBF"))
	}
	return line
}

func (d *decoder) fill() {
	if d.at > 0 {
		d.buf = d.buf[:copy(d.buf, d.buf[d.at:])]
		d.at = 0
	}
	if len(d.buf) == cap(d.buf) {
		d.buf = append(make([]byte, 0, max(8<<10, 2*cap(d.buf))), d.buf...)
	}
	n, err := d.r.Read(d.buf[len(d.buf):cap(d.buf)])
	d.buf, d.err = d.buf[:len(d.buf)+n], err
}

func lineEnd(b []byte) int {
	lf := bytes.IndexByte(b, '\n')
	if lf >= 0 {
		b = b[:lf]
	}
	if cr := bytes.IndexByte(b, '\r'); cr >= 0 {
		return cr
	}
	return lf
}
