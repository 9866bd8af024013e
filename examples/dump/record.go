package main

import (
	"os"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/dump/internal/replace"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/transport"
)

// record writes the datagrams of all inputs to a capture. The file takes its name when it is complete. Until then a file
// that had the name before stays. Only its owner can read it, because datagrams have passwords.
type record struct {
	capture *capture.Writer
	plain   bool // the datagrams are not enciphered
	name    string
	temp    *os.File
	any     bool // a datagram was written
}

func newRecord(name string, plain bool) (*record, error) {
	temp, err := replace.Temp(name)
	if err != nil {
		return nil, err
	}
	return &record{capture: capture.NewWriter(temp), plain: plain, name: name, temp: temp}, nil
}

// datagram writes a datagram whose direction and client are known, with its bytes in the input.
func (r *record) datagram(d *show.Datagram, wire []byte) error {
	if r.plain && !transport.IsGameSpy(wire) {
		cipher.Encrypt(wire)
	}
	asOnWire := *d
	asOnWire.Data, r.any = wire, true
	return r.capture.Write(&asOnWire)
}

// close completes the capture and gives it its name.
func (r *record) close() error {
	err := r.capture.Flush()
	if closing := r.temp.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Rename(r.temp.Name(), r.name)
	}
	if err != nil {
		os.Remove(r.temp.Name())
	}
	return err
}

// discard removes a capture that is not complete.
func (r *record) discard() {
	r.temp.Close()
	os.Remove(r.temp.Name())
}
