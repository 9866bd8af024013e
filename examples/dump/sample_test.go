package main

import (
	"bytes"
	"encoding/hex"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

func TestSampleEqualsTestdata(t *testing.T) {
	want, err := os.ReadFile("../../testdata/sample.jsonl")
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, sample), "examples/dump/sample.jsonl must be a copy of testdata/sample.jsonl")
}

// sources are the vectors that may occur in the sample, by their hex.
type sources struct {
	datagrams map[string]string // deciphered, or GameSpy text: its direction
	messages  map[string]bool
	payloads  map[string]bool
}

func loadSources(t *testing.T) sources {
	s := sources{map[string]string{}, map[string]bool{}, map[string]bool{}}
	type transportVector struct {
		testdata.Vector
		Dir, Level, Hex string
		Messages        []struct {
			Offset, Length int
			Truncated      bool
		}
	}
	for _, v := range testdata.Load[transportVector](t, "transport.json") {
		switch {
		case v.Kind == "constructed" || v.Kind == "negative":
		case v.Kind == "truncated":
			for _, m := range v.Messages {
				if !m.Truncated {
					s.messages[v.Hex[2*m.Offset:2*(m.Offset+m.Length)]] = true
				}
			}
		case v.Level == "datagram":
			s.datagrams[v.Hex] = v.Dir
		default:
			s.messages[v.Hex] = true
		}
	}
	type hexVector struct {
		testdata.Vector
		Hex string
	}
	for _, v := range testdata.Load[hexVector](t, "gamespy.json") {
		if v.Name == "status-query" {
			s.datagrams[v.Hex] = "c2s"
		}
	}
	for _, v := range testdata.Load[hexVector](t, "payloads.json") {
		if v.Kind == "observed" {
			s.payloads[v.Hex] = true
		}
	}
	return s
}

// Every datagram of the sample was captured, or has a captured message or payload and a note.
func TestSampleIsReal(t *testing.T) {
	s := loadSources(t)
	last, line := 0.0, 0
	for d, err := range recording.Read(bytes.NewReader(sample)) {
		line++
		require.NoError(t, err)
		require.GreaterOrEqual(t, d.Seconds, last, "line %d", line)
		last = d.Seconds
		if !transport.IsGameSpy(d.Data) {
			cipher.Decrypt(d.Data)
		}
		if dir, ok := s.datagrams[hex.EncodeToString(d.Data)]; ok {
			require.EqualValues(t, dir, d.Direction, "line %d", line)
			require.Empty(t, d.Note, "line %d", line)
			continue
		}
		require.NotEmpty(t, d.Note, "line %d", line)
		peer := map[recording.Direction]byte{recording.ToServer: 2, recording.ToClient: 1}[d.Direction]
		require.Equal(t, []byte{peer, 1}, d.Data[:2], "line %d", line)
		requireWrapped(t, s, d.Data[2:], line)
	}
	require.Positive(t, line)
}

func requireWrapped(t *testing.T, s sources, message []byte, line int) {
	if s.messages[hex.EncodeToString(message)] {
		return
	}
	for m, err := range transport.Messages(append([]byte{1, 1}, message...)) {
		require.NoError(t, err)
		require.False(t, m.Reliable, "line %d: the sequence number was not captured", line)
		require.True(t, s.payloads[hex.EncodeToString(m.Body)], "line %d: not in the vectors", line)
	}
}

// The sample has the captured ciphertext of the vectors, unchanged.
func TestSampleHoldsCapturedCiphertext(t *testing.T) {
	type vector struct {
		testdata.Vector
		Cipher string
	}
	for _, v := range testdata.Load[vector](t, "cipher.json") {
		if v.Kind == "observed" {
			require.Contains(t, string(sample), v.Cipher)
		}
	}
}
