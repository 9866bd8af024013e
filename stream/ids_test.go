package stream_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

// crew has IDs of all widths, with and without names.
type crew struct {
	Ship, Wing  objectid.ID
	Leader, Man objectid.PeerID
	Seat        objectid.Slot
}

func (m *crew) Walk(c *stream.Codec) {
	c.ObjectID(&m.Ship)
	c.ObjectID(&m.Wing)
	c.Field("Leader").PeerID(&m.Leader)
	c.Field("Man").PeerID8(&m.Man)
	c.Field("Seat").Slot8(&m.Seat)
}

var plus = objectid.Map{
	Object: func(id objectid.ID) objectid.ID { return id + 1 },
	Peer:   func(id objectid.PeerID) objectid.PeerID { return id + 2 },
	Slot:   func(s objectid.Slot) objectid.Slot { return s + 3 },
}

// A Codec with IDs encodes replacements into any room after a prefix. It does not modify the message, and decodes as
// without IDs.
func TestIDs(t *testing.T) {
	m := crew{Ship: 0x10, Wing: objectid.All, Leader: 2, Man: 125, Seat: 12}
	was := m
	for room := range 20 {
		c := stream.Codec{IDs: &plus}
		b, err := c.Append(append(make([]byte, 0, 3+room), "dst"...), noOp, "mymod.crew", m.Walk)
		require.NoError(t, err)
		require.Equal(t, append([]byte("dst"), testdata.Bytes("11000000 ffffffff 04000000 7f 0f")...), b)
		require.Equal(t, was, m)
		var again crew
		require.NoError(t, c.Decode(b[3:], noOp, "mymod.crew", again.Walk))
		require.Equal(t, crew{Ship: 0x11, Wing: objectid.All, Leader: 4, Man: 127, Seat: 15}, again)
	}
	plain := stream.Codec{IDs: &objectid.Map{}}
	b, err := plain.Append(nil, noOp, "mymod.crew", m.Walk)
	require.NoError(t, err)
	require.Equal(t, testdata.Bytes("10000000 ffffffff 02000000 7d 0c"), b)
}

// An ID that has no valid replacement is an error at its field, as is a number that does not fit.
func TestIDsOutOfRange(t *testing.T) {
	for want, m := range map[string]crew{
		"mymod: encode crew at offset 0: number out of range: 0xfffffffe becomes 0xffffffff": {Wing: objectid.All - 1},
		"mymod: encode crew.Leader at offset 8: number out of range: 126 becomes 128":        {Leader: 126},
		"mymod: encode crew.Man at offset 12: number out of range: 127 becomes 129":          {Man: 127},
		"mymod: encode crew.Man at offset 12: number out of range: 128, not -128 to 127":     {Man: 128},
		"mymod: encode crew.Seat at offset 13: number out of range: 13 becomes 16":           {Seat: 13},
	} {
		c := stream.Codec{IDs: &plus}
		b, err := c.Append([]byte("dst"), noOp, "mymod.crew", m.Walk)
		require.EqualError(t, err, want)
		require.ErrorIs(t, err, stream.ErrRange)
		require.Equal(t, "dst", string(b))
	}
}
