package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
)

// sampleLine is a line of the sample.
type sampleLine struct {
	T      float64
	Dir    string
	Client int
	Hex    string
	Note   string
}

func sampleLines(t testing.TB) (lines []sampleLine) {
	for line := range strings.Lines(string(sample)) {
		var l sampleLine
		require.NoError(t, json.Unmarshal([]byte(line), &l))
		lines = append(lines, l)
	}
	return lines
}

func TestSampleEqualsTestdata(t *testing.T) {
	want, err := os.ReadFile("../../testdata/sample.jsonl")
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, sample), "examples/dump/sample.jsonl is to be the copy of testdata/sample.jsonl")
}

// sources are the vectors that the sample may be made of, by their hex.
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

// TestSampleIsReal checks that every datagram is a captured one, or a captured message or
// payload in a datagram of its own, which its note says.
func TestSampleIsReal(t *testing.T) {
	s := loadSources(t)
	last := 0.0
	for i, line := range sampleLines(t) {
		require.GreaterOrEqual(t, line.T, last, "line %d", i+1)
		last = line.T
		data := testdata.Bytes(line.Hex)
		if !transport.IsGameSpy(data) {
			cipher.Decrypt(data)
		}
		if dir, ok := s.datagrams[hex.EncodeToString(data)]; ok {
			require.Equal(t, dir, line.Dir, "line %d", i+1)
			require.Empty(t, line.Note, "line %d", i+1)
			continue
		}
		require.NotEmpty(t, line.Note, "line %d", i+1)
		peer := map[string]byte{"c2s": 2, "s2c": 1}[line.Dir]
		require.Equal(t, []byte{peer, 1}, data[:2], "line %d", i+1)
		requireWrapped(t, s, data[2:], i+1)
	}
}

func requireWrapped(t *testing.T, s sources, message []byte, line int) {
	if s.messages[hex.EncodeToString(message)] {
		return
	}
	for m, err := range transport.Messages(append([]byte{1, 1}, message...)) {
		require.NoError(t, err)
		require.False(t, m.Reliable, "line %d: a sequence number would be invented", line)
		require.True(t, s.payloads[hex.EncodeToString(m.Body)], "line %d is no vector", line)
	}
}

// TestSampleHoldsCapturedCiphertext checks that the one ciphertext that is from the wire
// is in the sample as it was captured.
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
