package stateupdate_test

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

type update struct {
	class   *stateupdate.Class
	payload []byte
	message opcode.StateUpdate
}

func allBlocks(t testing.TB) (all []*update) {
	for _, class := range stateupdate.Stock() {
		for _, role := range []role{toOwner, toOther} {
			e, ship := role.encoder(), newShip(1, class)
			for i := range 6 {
				payload, err := e.Append(nil, seconds(float32(i)/10), ship)
				require.NoError(t, err)
				u := &update{class: class, payload: payload}
				require.NoError(t, opcode.Unmarshal(payload, &u.message))
				all = append(all, u)
			}
		}
	}
	return all
}

var sink int

// BenchmarkBlocks compares the fast path for the blocks of the recorded match with the walk.
func BenchmarkBlocks(b *testing.B) {
	var blocks []*update
	p := newPipeline(testdata.Match(b))
	p.frame(func(l *link, payload []byte) {
		m, err := l.decoder.Decode(payload)
		require.NoError(b, err)
		change, err := l.tracker.Apply(m)
		require.NoError(b, err)
		if m, ok := m.(*opcode.StateUpdate); ok && m.Flags&opcode.StateSubsystems != 0 && m.Bits == (stream.Bits{}) {
			u := &update{class: change.Ship.Class, message: *m}
			u.message.Data = bytes.Clone(m.Data)
			blocks = append(blocks, u)
		}
	})
	require.Greater(b, len(blocks), 500)
	var codec stream.Codec
	run := func(read func(c *stateupdate.Class, m *opcode.StateUpdate) bool) func() {
		return func() {
			for _, u := range blocks {
				if !read(u.class, &u.message) {
					panic("malformed block")
				}
			}
		}
	}
	size := 0
	for _, u := range blocks {
		size += len(u.message.Data)
	}
	testdata.Compare(b, size,
		run(func(c *stateupdate.Class, m *opcode.StateUpdate) bool { return c.ReadBlock(m) }),
		run(func(c *stateupdate.Class, m *opcode.StateUpdate) bool { return c.WalkBlock(&codec, m) }))
}
