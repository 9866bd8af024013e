package transport_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

func TestAckOf(t *testing.T) {
	newFragment := func(seq uint16, index, total uint8) transport.Message {
		return transport.Message{Type: transport.TypeData, Reliable: true, Fragment: true, Seq: seq, FragIndex: index, FragTotal: total}
	}
	table := []struct {
		m    transport.Message
		wire string
	}{
		{transport.NewData(2, nil), "01 02 00 00"},
		{transport.NewData(0x0201, nil), "01 01 02 00"},
		{transport.NewMessage(2, &transport.Boot{}), "01 02 00 02"},
		{transport.NewMessage(0x0201, &transport.Disconnect{}), "01 01 02 02"},
		{newFragment(2, 0, 3), "01 02 00 01 00"},
		{newFragment(2, 1, 0), "01 02 00 01 01"},
		{newFragment(2, 254, 0), "01 02 00 01 FE"},
		{newFragment(3, 1, 0), "01 03 00 01 01"},
	}
	for _, v := range table {
		a := transport.AckOf(&v.m)
		m := transport.NewMessage(99, a)
		wire, err := m.AppendBinary(nil)
		require.NoError(t, err)
		require.Equal(t, testdata.Bytes(v.wire), wire)
		again, ok := m.Ack()
		require.True(t, ok)
		require.Equal(t, *a, again)
	}
}

func TestAckOfMessage(t *testing.T) {
	for _, v := range []struct {
		m    transport.Message
		want transport.Ack
		ok   bool
	}{
		{transport.Message{Type: transport.TypeAck, Seq: 7, Body: []byte{0x80}}, transport.Ack{Seq: 7, Flags: 0x80}, true},
		{
			transport.Message{Type: transport.TypeAck, Seq: 7, Body: []byte{0x83, 9}},
			transport.Ack{Seq: 7, Flags: 0x83, FragIndex: 9},
			true,
		},
		{transport.Message{Type: transport.TypeAck, Seq: 7}, transport.Ack{}, false},
		{transport.Message{Type: transport.TypeAck, Seq: 7, Body: []byte{1}}, transport.Ack{}, false},
		{transport.Message{Type: transport.TypeAck, Seq: 7, Body: []byte{0, 9}}, transport.Ack{}, false},
		{transport.Message{Type: transport.TypeAck, Seq: 7, Body: []byte{1, 9, 9}}, transport.Ack{}, false},
		{transport.Message{Type: transport.TypeBoot, Seq: 7, Body: []byte{0}}, transport.Ack{}, false},
	} {
		a, ok := v.m.Ack()
		require.Equal(t, v.ok, ok)
		require.Equal(t, v.want, a)
		body, err := v.m.Decode()
		if v.ok {
			require.Equal(t, &v.want, body)
		} else {
			require.Error(t, err)
			require.Nil(t, body)
		}
	}
}
