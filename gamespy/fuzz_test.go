package gamespy_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

func seed(f *testing.F) {
	for _, v := range testdata.Load[vector](f, "gamespy.json") {
		f.Add([]byte(v.Hex))
	}
	for _, s := range []string{
		``, `\`, `\\`, `\a`, `\a\b\`, `\a\b\c`, part1, part2, part3, `\final\`, `\status\\secure\A\echo\x`,
		`\hostname\*x\password\1\numplayers\007\player_3\Bob\player_0\`, `\x\y\queryid\1.1\final\`,
		`\heartbeat\1\gamename\x\statechanged\2\final\`, `\ip\1.2.3.4:5\ip\[::1]:6\final\`,
	} {
		f.Add([]byte(s))
	}
}

// FuzzMessage checks that parsing and encoding are inverse.
func FuzzMessage(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := gamespy.Parse(text)
		if err != nil {
			require.LessOrEqual(t, len(m.Pairs), gamespy.MaxPairs)
			return
		}
		wire, err := m.AppendBinary([]byte("before"))
		require.NoError(t, err)
		require.Equal(t, "before"+string(text), string(wire))
		again, err := gamespy.Parse(wire[len("before"):])
		require.NoError(t, err)
		require.Empty(t, cmp.Diff(m, again))
	})
}

// FuzzServerInfo checks that an encoded ServerInfo parses to the same values, except for the
// characters that a Responder removes.
func FuzzServerInfo(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := gamespy.Parse(text)
		if err != nil {
			return
		}
		for i, p := range m.Pairs {
			m.Pairs[i] = gamespy.Pair{Key: clean(p.Key), Value: clean(p.Value)}
		}
		info := m.Pairs.ServerInfo()
		datagrams, err := answerTo(`\status\`, &info)
		if err != nil {
			require.ErrorIs(t, err, stream.ErrLimit)
			return
		}
		require.Empty(t, cmp.Diff(info, joined(t, datagrams).Pairs.ServerInfo()))
	})
}

// clean removes what a Responder removes from received texts.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' {
			return -1
		}
		return r
	}, s)
}

// FuzzAssembler splits the input into datagrams. It checks the limits and that a lost pair
// is always reported.
func FuzzAssembler(f *testing.F) {
	seed(f)
	f.Add([]byte(part1 + "\n" + part3 + "\n" + part2 + "\n" + part1))
	f.Fuzz(func(t *testing.T, input []byte) {
		var a gamespy.Assembler
		parts, whole, refused := 0, 0, 0
		for i, d := range bytes.Split(input, []byte("\n")) {
			r, complete, err := a.Add(start.Add(time.Duration(i)*time.Second), source, d)
			parts++
			switch {
			case err != nil:
				refused++
				require.False(t, complete)
			case complete:
				whole++
				require.LessOrEqual(t, len(r.Pairs), gamespy.MaxPairs)
				require.Equal(t, source, r.From)
			}
			n, size := a.Pending()
			require.LessOrEqual(t, n, 8)
			require.LessOrEqual(t, size, 64<<10)
		}
		pending, _ := a.Pending()
		require.LessOrEqual(t, pending+whole+refused, parts)
		rest := a.Flush()
		require.Len(t, rest, pending)
		for _, r := range rest {
			require.True(t, r.Incomplete)
		}
		n, size := a.Pending()
		require.Zero(t, n+size)
	})
}

// FuzzResponder checks the limits, and that a Responder does not answer a reply.
func FuzzResponder(f *testing.F) {
	seed(f)
	info := gamespy.NewServerInfo("My Game23")
	f.Fuzz(func(t *testing.T, query []byte) {
		var r gamespy.Responder
		datagrams, err := r.Answer(start, source, query, &info)
		if err != nil {
			require.Empty(t, datagrams)
			return
		}
		size := 0
		for _, d := range datagrams {
			size += len(d)
			back, err := r.Answer(start, source, d, &info)
			require.Empty(t, back, "a reply must get no answer")
			if err != nil {
				require.ErrorIs(t, err, stream.ErrLimit)
			}
		}
		require.LessOrEqual(t, size, 600+len(query))
		if len(datagrams) > 0 {
			joined(t, datagrams)
		}
	})
}

// FuzzLists checks that parsing and encoding of compact lists are inverse, and that a text list has
// the same servers.
func FuzzLists(f *testing.F) {
	seed(f)
	f.Add([]byte("\\\\\\\\\\\\123456\\final\\"))
	f.Fuzz(func(t *testing.T, list []byte) {
		servers, err := receiveList(list)
		if err != nil {
			require.LessOrEqual(t, len(servers), len(list)/6)
			return
		}
		wire, err := sendList("cmp", servers)
		require.NoError(t, err)
		require.Equal(t, list, wire)
		text, err := sendList("", servers)
		if err != nil { // the encoded list may be longer than the input
			require.ErrorIs(t, err, stream.ErrLimit)
			return
		}
		m, err := gamespy.Parse(text)
		if err != nil {
			require.ErrorIs(t, err, stream.ErrLimit)
			return
		}
		require.Len(t, m.Pairs, len(servers)+1, "with final")
		for i, s := range servers {
			require.Equal(t, gamespy.Pair{Key: "ip", Value: s.String()}, m.Pairs[i])
		}
	})
}

// FuzzLogin passes the input to both sides of a list, as a whole and byte by byte.
func FuzzLogin(f *testing.F) {
	seed(f)
	f.Add([]byte(`\validate\hMwdTNWS\final\\queryid\1.1\\list\cmp\gamename\bcommander\final\`))
	f.Fuzz(func(t *testing.T, input []byte) {
		server, slow := gamespy.ListServer{Challenge: "LRPOPQ"}, gamespy.ListServer{Challenge: "LRPOPQ"}
		list, err := server.Receive(input, nil)
		var slowList []byte
		var slowErr error
		for i := range input {
			if slowList, slowErr = slow.Receive(input[i:i+1], nil); slowErr != nil || slowList != nil {
				break
			}
		}
		if err == nil { // otherwise the bytes after a request may be the reason
			require.NoError(t, slowErr)
			require.Equal(t, list, slowList)
		}

		var client gamespy.ListClient
		send, err := client.Receive(input)
		require.True(t, err == nil || send == nil)
		if send != nil {
			_, err = client.Receive(input)
			require.NoError(t, err)
			list, err := client.Servers()
			require.Equal(t, err == nil, client.Whole())
			require.LessOrEqual(t, len(list), len(input)/6)
		}
	})
}

// FuzzValidate compares Validate with a plain implementation.
func FuzzValidate(f *testing.F) {
	f.Add("Nm3aZ9", "LRPOPQ")
	f.Add("k", "")
	f.Add("", "x")
	f.Fuzz(func(t *testing.T, key, challenge string) {
		got, err := gamespy.Validate(key, challenge)
		require.Equal(t, key == "" || challenge == "" || len(challenge) > gamespy.MaxChallenge, err != nil)
		if err != nil {
			return
		}
		require.Equal(t, oracleValidate(key, challenge), got)
	})
}

func oracleValidate(key, challenge string) string {
	state := make([]int, 256)
	for i := range state {
		state[i] = i
	}
	j := 0
	for i := range state {
		j = (j + state[i] + int(key[i%len(key)])) % 256
		state[i], state[j] = state[j], state[i]
	}
	a, b := 0, 0
	var out []byte
	for _, c := range []byte(challenge) {
		a = (a + int(c) + 1) % 256
		b = (b + state[a]) % 256
		state[a], state[b] = state[b], state[a]
		out = append(out, c^byte(state[(state[a]+state[b])%256]))
	}
	for len(out)%3 != 0 {
		out = append(out, 0)
	}
	const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
	var text []byte
	for ; len(out) > 0; out = out[3:] {
		bits := int(out[0])<<16 | int(out[1])<<8 | int(out[2])
		text = append(text, alphabet[bits>>18], alphabet[bits>>12&63], alphabet[bits>>6&63], alphabet[bits&63])
	}
	return string(text)
}
