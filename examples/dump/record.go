package main

import (
	"net/netip"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
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

// datagram writes a datagram whose direction and client are known, with its bytes in the input.
func (r *record) datagram(d *show.Datagram, wire []byte) error {
	if r.plain && !transport.IsGameSpy(wire) {
		cipher.Encrypt(wire)
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
