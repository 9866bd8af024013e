package recording

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"strconv"
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

// canonical reads a line in the form of Append without encoding/json. It reports whether the line
// has this form. Other lines, numbers and notes are left to encoding/json, which returns the same
// datagram for a line in this form.
func (r *reader) canonical(line []byte, d *Datagram) bool {
	s := scanner{line}
	*d = Datagram{Client: NoClient}
	ok := s.literal(`{"t":`) && s.float(&d.Seconds)
	if s.literal(`,"dir":"`) {
		ok = ok && s.direction(&d.Direction)
	}
	if s.literal(`,"client":`) {
		ok = ok && s.integer(&d.Client)
	}
	if !ok || !s.literal(`,"hex":"`) {
		return false
	}
	digits, ok := s.quoted()
	if !ok {
		return false
	}
	var err error
	if r.data, err = hex.AppendDecode(r.data[:0], digits); err != nil {
		return false
	}
	d.Data = r.data
	if s.literal(`,"note":"`) {
		note, ok := s.quoted()
		if !ok || !isPlain(note) {
			return false
		}
		d.Note = string(note)
	}
	return string(s.rest) == "}"
}

// scanner reads the parts of a line.
type scanner struct{ rest []byte }

// literal skips a text. It reports whether the rest begins with the text.
func (s *scanner) literal(text string) bool {
	if len(s.rest) < len(text) || string(s.rest[:len(text)]) != text {
		return false
	}
	s.rest = s.rest[len(text):]
	return true
}

// digits skips decimal digits and returns their number.
func (s *scanner) digits() (n int) {
	for n < len(s.rest) && s.rest[n] >= '0' && s.rest[n] <= '9' {
		n++
	}
	s.rest = s.rest[n:]
	return n
}

// whole skips the integer part of a number. It reports whether JSON allows it.
func (s *scanner) whole() bool {
	s.literal("-")
	zero := len(s.rest) > 0 && s.rest[0] == '0'
	n := s.digits()
	return n == 1 || n > 1 && !zero
}

// float reads a number without an exponent.
func (s *scanner) float(v *float64) bool {
	number := s.rest
	if !s.whole() || s.literal(".") && s.digits() == 0 {
		return false
	}
	var err error
	*v, err = strconv.ParseFloat(string(number[:len(number)-len(s.rest)]), 64)
	return err == nil
}

// integer reads an integer.
func (s *scanner) integer(v *int64) bool {
	number := s.rest
	if !s.whole() {
		return false
	}
	var err error
	*v, err = strconv.ParseInt(string(number[:len(number)-len(s.rest)]), 10, 64)
	return err == nil
}

// direction reads a direction and the quotation mark after it.
func (s *scanner) direction(d *Direction) bool {
	for _, known := range [2]Direction{ToServer, ToClient} {
		if s.literal(string(known)) {
			*d = known
			return s.literal(`"`)
		}
	}
	return false
}

// quoted reads up to a quotation mark, which it skips.
func (s *scanner) quoted() (text []byte, ok bool) {
	text, s.rest, ok = bytes.Cut(s.rest, []byte(`"`))
	return text, ok
}

// isPlain reports whether a text is printable ASCII without escapes.
func isPlain(text []byte) bool {
	return !bytes.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' || c == '\\' })
}
