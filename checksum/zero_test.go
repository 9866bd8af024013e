package checksum_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
)

// The zero values of the exchanges accept no message.
func TestZeroExchanges(t *testing.T) {
	messages := []opcode.Message{
		nil, &opcode.FileTransfer{}, &opcode.FileTransferAck{}, &opcode.ChecksumComplete{}, &opcode.SystemChecksumFailed{},
		&opcode.VersionMismatch{}, &opcode.ChatMessage{},
	}
	for _, r := range checksum.Rounds() {
		messages = append(messages, r.Request(), &opcode.ChecksumResponse{Index: r.Index}, &opcode.ChecksumResponse{Index: r.Index, NoFiles: true})
	}
	var server checksum.ServerExchange
	var client checksum.ClientExchange
	for _, m := range messages {
		reply, err := server.Receive(m)
		require.Nil(t, reply)
		var exchange *checksum.ExchangeError
		require.ErrorAs(t, err, &exchange)
		reply, file, err := client.Receive(m)
		require.Nil(t, reply)
		require.Nil(t, file)
		require.ErrorIs(t, err, checksum.ErrUnexpected)
	}
	_, err := server.Receive(&opcode.ChecksumResponse{})
	require.ErrorIs(t, err, checksum.ErrUnexpected)
	require.Equal(t, [2]checksum.State{}, [2]checksum.State{server.State(), client.State()})
	require.Empty(t, server.Findings())
	_, rejected := server.Rejection()
	require.False(t, rejected)
}

func TestZeroScanError(t *testing.T) {
	require.EqualError(t, &checksum.ScanError{}, "checksum: : <nil>")
	require.NoError(t, (&checksum.ScanError{}).Unwrap())
}
