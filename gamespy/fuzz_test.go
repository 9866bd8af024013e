package gamespy_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/gamespy"
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
		dirty := gamespy.Message{Pairs: gamespy.Pairs{{"stale", "pair"}}, Ending: gamespy.NoValue}
		require.NoError(t, dirty.UnmarshalBinary(wire[len("before"):]))
		require.Empty(t, cmp.Diff(m.Pairs, dirty.Pairs, equateEmpty))
		require.Equal(t, m.Ending, dirty.Ending)
	})
}

var equateEmpty = cmp.Transformer("", func(p gamespy.Pairs) []gamespy.Pair { return append([]gamespy.Pair{}, p...) })

// FuzzServerInfo checks that an encoded ServerInfo parses to the same values, except for
// characters that Clean removes.
func FuzzServerInfo(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := gamespy.Parse(text)
		if err != nil {
			return
		}
		for i, p := range m.Pairs {
			m.Pairs[i] = gamespy.Pair{Key: p.Key.Clean(), Value: p.Value.Clean()}
		}
		info := m.Pairs.ServerInfo()
		datagrams, err := info.Reply(gamespy.Status, 1)
		if err != nil {
			require.ErrorIs(t, err, gamespy.ErrTooLong)
			return
		}
		require.Empty(t, cmp.Diff(info, joined(t, datagrams).Pairs.ServerInfo()))
	})
}

// FuzzAssembler splits the input into datagrams. It checks the limits and that a lost pair
// is always reported.
func FuzzAssembler(f *testing.F) {
	seed(f)
	f.Add([]byte(part1 + "\n" + part3 + "\n" + part2 + "\n" + part1))
	f.Fuzz(func(t *testing.T, input []byte) {
		a := gamespy.Assembler{MaxReplies: 4, MaxBytes: 100}
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
			require.LessOrEqual(t, n, 4)
			require.LessOrEqual(t, size, 100)
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
				require.ErrorIs(t, err, gamespy.ErrTooLong)
			}
		}
		require.LessOrEqual(t, size, 600+len(query))
		if len(datagrams) > 0 {
			joined(t, datagrams)
		}
	})
}

// FuzzLists checks that parsing and encoding of both list forms are inverse.
func FuzzLists(f *testing.F) {
	seed(f)
	f.Add([]byte("\\\\\\\\\\\\123456\\final\\"))
	f.Fuzz(func(t *testing.T, list []byte) {
		servers, err := gamespy.ParseCompactList(list)
		if err == nil {
			wire, err := gamespy.AppendCompactList(nil, servers)
			require.NoError(t, err)
			require.Equal(t, list, wire)
		}
		servers, err = gamespy.ParseTextList(list)
		if err != nil {
			return
		}
		wire, err := gamespy.AppendTextList(nil, servers)
		if err != nil { // the encoded list may be longer than the input
			require.ErrorIs(t, err, gamespy.ErrLimit)
			return
		}
		again, err := gamespy.ParseTextList(wire)
		require.NoError(t, err)
		require.Equal(t, servers, again)
	})
}

// FuzzLogin passes the input to both sides of a list, as a whole and byte by byte.
func FuzzLogin(f *testing.F) {
	seed(f)
	f.Add([]byte(`\validate\hMwdTNWS\final\\queryid\1.1\\list\cmp\gamename\bcommander\final\`))
	f.Fuzz(func(t *testing.T, input []byte) {
		server, slow := gamespy.ListServer{Challenge: "LRPOPQ"}, gamespy.ListServer{Challenge: "LRPOPQ"}
		r, err := server.Receive(input)
		var slowRequest *gamespy.ListRequest
		var slowErr error
		for i := range input {
			if slowRequest, slowErr = slow.Receive(input[i : i+1]); slowErr != nil || slowRequest != nil {
				break
			}
		}
		if err == nil { // otherwise the bytes after a request may be the reason
			require.NoError(t, slowErr)
			require.Equal(t, r, slowRequest)
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

// FuzzHeartbeat checks that an encoded heartbeat parses to the same value.
func FuzzHeartbeat(f *testing.F) {
	seed(f)
	f.Fuzz(func(t *testing.T, datagram []byte) {
		h, err := gamespy.ParseHeartbeat(datagram)
		if err != nil {
			return
		}
		wire, err := h.MarshalBinary()
		require.NoError(t, err)
		again, err := gamespy.ParseHeartbeat(wire)
		require.NoError(t, err)
		require.Equal(t, h, again)
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
		require.NoError(t, gamespy.Pairs{{"validate", gamespy.Text(got)}}.Verify(key, challenge))
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
