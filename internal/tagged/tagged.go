// Package tagged reads and writes sealed interfaces as JSON objects whose
// first key says which of the interface's types they hold.
//
//	{"type":"text","text":"hello"}
//
// A [Union] is the table of one sealed interface. It is built once, as a
// package variable, and never changes afterwards. The package knows nothing
// of what it carries; it must not grow options.
package tagged

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
)

// ErrUnknown is wrapped by the error of [Union.Decode] when the object's
// "type" is not one of the union's names.
var ErrUnknown = errors.New("unknown type")

// Union maps names to the concrete types of the sealed interface T.
type Union[T any] struct {
	types map[string]reflect.Type
	names map[reflect.Type]string
}

// New makes a union from zero values of its members, each under its name.
func New[T any](members map[string]T) *Union[T] {
	u := &Union[T]{types: map[string]reflect.Type{}, names: map[reflect.Type]string{}}
	for name, zero := range members {
		t := reflect.TypeOf(zero)
		u.types[name], u.names[t] = t, name
	}
	return u
}

// Name returns the name of v's type, or "" when it is not of the union.
func (u *Union[T]) Name(v T) string { return u.names[reflect.TypeOf(v)] }

// Encode writes v as an object whose first key is "type".
func (u *Union[T]) Encode(v T) ([]byte, error) {
	name := u.Name(v)
	if name == "" {
		return nil, fmt.Errorf("tagged: %T: %w", v, ErrUnknown)
	}
	body, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	head := `{"type":"` + name + `"`
	if len(body) > 2 {
		head += ","
	}
	return append([]byte(head), body[1:]...), nil
}

// Decode reads an object that Encode wrote. An object of another type gives
// an error that wraps [ErrUnknown].
func (u *Union[T]) Decode(data []byte) (T, error) {
	var zero T
	var tag struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &tag); err != nil {
		return zero, err
	}
	return u.DecodeAs(tag.Type, data)
}

// DecodeAs is Decode for a caller that knows the type already.
func (u *Union[T]) DecodeAs(name string, data []byte) (T, error) {
	var zero T
	t, ok := u.types[name]
	if !ok {
		return zero, fmt.Errorf("tagged: %q: %w", name, ErrUnknown)
	}
	p := reflect.New(t)
	if err := json.Unmarshal(data, p.Interface()); err != nil {
		return zero, err
	}
	return p.Elem().Interface().(T), nil
}
