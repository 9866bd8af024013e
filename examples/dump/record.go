package main

import (
	"bytes"
	"net/netip"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/internal/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// record writes the datagrams of all inputs to a capture.
type record struct {
	file      *capture.File
	plain     bool // the datagrams are not enciphered
	addresses capture.Addresses
}

// wire returns a copy of a datagram as it is on the wire. Decoding deciphers the original.
func (r *record) wire(d *show.Datagram) []byte {
	if r == nil {
		return nil
	}
	data := bytes.Clone(d.Data)
	if r.plain && !transport.IsGameSpy(data) {
		cipher.Encrypt(data)
	}
	return data
}

// datagram writes a datagram whose direction and client are known.
func (r *record) datagram(d *show.Datagram, wire []byte) error {
	if r == nil {
		return nil
	}
	src, dst := r.ends(d)
	return r.file.Datagram(capture.Time(d.Time), src, dst, wire, d.Missing)
}

// ends returns the addresses of a datagram, made up if the input has none.
func (r *record) ends(d *show.Datagram) (src, dst netip.AddrPort) {
	if d.Src.IsValid() && d.Dst.IsValid() {
		return d.Src, d.Dst
	}
	src, dst = r.addresses.Client(d.Client), r.addresses.Server()
	if d.Dir == recording.ToClient {
		src, dst = dst, src
	}
	return src, dst
}
