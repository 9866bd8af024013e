package recording

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// object is a line as encoding/json decodes it.
type object struct {
	T      float64         `json:"t"`
	Dir    string          `json:"dir"`
	Client *int64          `json:"client"`
	Hex    *string         `json:"hex"`
	Note   json.RawMessage `json:"note"` // of any type
}

// parseJSON returns the datagram of a line of JSON.
func (r *reader) parseJSON(line []byte) (d Datagram, err error) {
	if r.canonical(line, &d) {
		return d, nil
	}
	return r.parseAnyJSON(line)
}

// parseAnyJSON returns the datagram of a line of JSON in any form.
func (r *reader) parseAnyJSON(line []byte) (Datagram, error) {
	var v object
	if err := json.Unmarshal(line, &v); err != nil {
		return Datagram{}, jsonError(line, err)
	}
	d := Datagram{Seconds: v.T, Direction: Direction(v.Dir), Client: NoClient}
	if !d.Direction.valid() {
		return d, badDirection(d.Direction)
	}
	if v.Client != nil {
		d.Client = *v.Client
	}
	if v.Hex == nil {
		return d, errNoHex
	}
	var err error
	if r.data, err = appendHex(r.data[:0], []byte(*v.Hex), 0); err != nil {
		return d, causef(err, "hex: %v", err)
	}
	d.Data = r.data
	_ = json.Unmarshal(v.Note, &d.Note) // a note that is not a string is ignored
	return d, nil
}

// jsonError returns the cause in place of an error of encoding/json.
func jsonError(line []byte, err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return typeError(wrong)
	}
	var column int64
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		column = syntax.Offset
	}
	sentinel := errSyntax
	var v json.RawMessage
	if json.NewDecoder(bytes.NewReader(line)).Decode(&v) == io.ErrUnexpectedEOF {
		sentinel = io.ErrUnexpectedEOF
	}
	return causef(sentinel, "column %d: %v", column, err)
}

// typeError returns the cause for a value of the wrong type or range.
func typeError(err *json.UnmarshalTypeError) error {
	switch err.Field {
	case "t":
		return causef(errValue, "t: %.40s, want a 64-bit number", err.Value)
	case "client":
		return causef(errValue, "client: %.40s, want a 64-bit integer", err.Value)
	case "dir":
		return causef(errValue, "dir: %.40s, want a string", err.Value)
	case "hex":
		return causef(errHex, "hex: %.40s, want a string", err.Value)
	}
	return causef(errSyntax, "%.40s, want an object", err.Value)
}
