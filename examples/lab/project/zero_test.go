package project

import (
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport"
)

// Users declare these types without a constructor. Each zero value does its work, and methods that ask
// for something find nothing.
func TestZeroValues(t *testing.T) {
	start, payload := time.Unix(0, 0), []byte{byte(opcode.OpDestroyObject), 0xFF, 0xFF, 0xFF, 0x3F}
	for name, use := range map[string]func(t *testing.T){
		"opcode.Decoder and Encoder": func(t *testing.T) {
			var d opcode.Decoder
			m, err := d.Decode(payload)
			require.NoError(t, err)
			var e opcode.Encoder
			again, err := e.Append(nil, m)
			require.NoError(t, err)
			require.Equal(t, payload, again)
		},
		"stateupdate.Tracker": func(t *testing.T) {
			var tracker stateupdate.Tracker
			require.Nil(t, tracker.Ship(0x3FFFFFFF))
			require.NotNil(t, tracker.Clone())
			tracker.Forget(0x3FFFFFFF)
			_, err := tracker.Apply(&opcode.DestroyObject{ObjectID: 0x3FFFFFFF})
			require.NoError(t, err)
		},
		"stateupdate.Broadcaster": func(t *testing.T) {
			var b stateupdate.Broadcaster
			require.NotNil(t, b.AddReceiver(2))
			updates, err := b.Advance(0)
			require.NoError(t, err)
			require.Empty(t, updates)
			b.RemoveShip(1)
			b.RemoveReceiver(3)
		},
		"match.Match": func(t *testing.T) {
			var m match.Match
			require.Empty(t, m.Flush())
			require.NotNil(t, m.Clone())
			require.Len(t, slices.Collect(m.Receive(match.Datagram{})), 1)
		},
		"transport.Reassembler": func(t *testing.T) {
			var r transport.Reassembler
			require.Empty(t, r.Expire(start))
			whole, _, err := r.Add(start, &transport.Message{Type: transport.TypeData, Body: payload})
			require.NoError(t, err)
			require.Equal(t, payload, whole)
		},
		"transport.Observer": func(t *testing.T) {
			var o transport.Observer
			require.NotNil(t, o.Clone())
			for _, err := range o.Receive(start, true, nil) {
				require.Error(t, err)
			}
		},
		"gamespy": func(t *testing.T) {
			var a gamespy.Assembler
			require.Empty(t, a.Flush())
			var r gamespy.Responder
			answers, err := r.Answer(start, netip.AddrPort{}, []byte(`\basic\`), &gamespy.ServerInfo{})
			require.NoError(t, err)
			require.NotEmpty(t, answers)
			var b gamespy.Beacon
			require.NotEmpty(t, b.Due(start, &gamespy.ServerInfo{}))
			var c gamespy.ListClient
			require.False(t, c.Whole())
			var m gamespy.Master
			require.Empty(t, m.Servers(start))
		},
		"stateupdate.Flight": func(t *testing.T) {
			var f stateupdate.Flight
			require.Nil(t, f.Ship())
			_, err := f.Apply(&opcode.DestroyObject{ObjectID: 0x3FFFFFFF})
			require.NoError(t, err)
			messages, err := f.Advance(time.Minute)
			require.NoError(t, err)
			require.Empty(t, messages)
			_, ok := f.NextDeadline()
			require.False(t, ok)
		},
		"checksum.Server": func(t *testing.T) {
			var s checksum.Server
			exchange, first := s.NewExchange()
			require.NotNil(t, exchange)
			require.NotNil(t, first)
			var c checksum.Client
			answer, err := c.Receive(first)
			require.NoError(t, err)
			require.NotNil(t, answer)
		},
	} {
		t.Run(name, use)
	}
}
