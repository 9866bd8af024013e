package show

// Clone returns a deep copy of the decoder, for example to seek in a capture. Packets that were
// decoded before stay valid.
func (d *Decoder) Clone() *Decoder {
	clone := *d
	clone.sessions = d.sessions.clone()
	return &clone
}

// Locate sets the direction and the client of a datagram if they are empty, as Decode does. It
// decodes nothing.
func (d *Decoder) Locate(dg *Datagram) { d.sessions.locate(dg) }
