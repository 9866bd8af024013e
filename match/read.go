package match

import (
	"io"
	"iter"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// Read goes through a recording of package recording, JSON lines or hex text, step by step. It deciphers
// the datagrams, and passes them to m, which may be nil. The name of a Client is its number. The step is
// nil exactly if there is an error: a line is malformed, or r fails. After a malformed line, Read continues.
//
// If the labels of all directions are exchanged, Read goes by the peer IDs.
//
// The last step may have only Events, a Link that is nil, and a Message without content: joins and leaves
// that were waiting. If the loop ends early, the datagrams that follow are not read.
func Read(r io.Reader, m *Match) iter.Seq2[*Step, error] {
	if m == nil {
		m = new(Match)
	}
	return func(yield func(*Step, error) bool) {
		directions := directions{}
		for d, err := range recording.Read(r) {
			if err != nil {
				if !yield(nil, err) {
					return
				}
				continue
			}
			if !transport.IsGameSpy(d.Data) {
				cipher.Decrypt(d.Data)
			}
			dg := Datagram{Time: d.Time(), Client: d.ClientName(), FromHost: directions.fromHost(&d), Data: d.Data}
			for step := range m.Receive(dg) {
				if !yield(step, nil) {
					return
				}
			}
		}
		if events := m.Flush(); events != nil {
			yield(&Step{Datagram: Datagram{Time: m.at}, Message: new(transport.Observation), Events: events}, nil)
		}
	}
}

// directions finds the directions of a recording. In some recordings, all labels are exchanged.
type directions struct{ exchanged bool }

// fromHost reports whether the host has sent a datagram. The peer ID of a client under the label of the host shows that
// the labels are exchanged; then, and without a label, the peer ID counts.
func (x *directions) fromHost(d *recording.Datagram) bool {
	labelled := d.Direction == recording.ToClient
	if transport.IsGameSpy(d.Data) || len(d.Data) == 0 {
		return labelled != x.exchanged
	}
	peer := objectid.PeerID(int8(d.Data[0]))
	x.exchanged = x.exchanged || labelled && (peer > objectid.Host || peer == objectid.NoPeer)
	if x.exchanged || d.Direction == "" {
		return peer == objectid.Host
	}
	return labelled
}
