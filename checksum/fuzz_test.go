package checksum_test

import (
	"bytes"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/testdata"
)

func FuzzManifest(f *testing.F) {
	small := checksum.Vanilla()
	small.Rounds = small.Rounds[:2] // the whole manifest is slow and covers no more code
	f.Add([]byte(save(f, small)))
	for _, s := range []string{
		manifestWith(""),
		withTree(`{"name_hash":"0x1","content_hash":["0x2","0x3"],"verified":false}`, `{"name":"grün"},{"name":"d","files":[{"name":"€","content_hash":["0xffffffff"]}]}`),
		manifestWith(`{"index":0,"dir":"a\\b/\r\n","filter":"*"},{"index":255,"dir":"A","recursive":true}`),
		`{"schema":"bc-checksum-manifest/1","name":"<\u2028\ud800","game_version":"61","note":"\u0000","NOTE":"x"}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := checksum.LoadManifest(bytes.NewReader(data))
		if err != nil {
			require.ErrorIs(t, err, stream.ErrInvalid)
			return
		}
		saved := save(t, m)
		again, err := load(saved)
		require.NoError(t, err)
		require.Equal(t, saved, save(t, again))
		require.Empty(t, checksum.Compare(m, again))
		for _, r := range m.Rounds {
			response := m.Response(r.Request())
			_, err = opcode.Decode(encode(t, response))
			require.NoError(t, err)
		}
	})
}

// FuzzValidate compares any response with a manifest and with an empty manifest.
func FuzzValidate(f *testing.F) {
	for _, m := range respond(installation(f, nil)) {
		f.Add(encode(f, m))
	}
	f.Add(testdata.Bytes("2100 30303030")) // no DirHash
	for _, name := range []string{"0", "1", "3", "ff", "ff-empty-tree"} {
		f.Add(captured(f, "checksum-response-"+name))
	}
	f.Add(testdata.Bytes("2102 00000000" + strings.Repeat("0000 01 00000001", 15) + "0000 00"))
	f.Add(testdata.Bytes("21ff 3fd19487 0000 03 00000001 00000001 a52bc883" + "0000 00" + "0000 00" + "0100 0000000000000000 00"))
	manifest := checksum.Vanilla()
	f.Fuzz(func(t *testing.T, payload []byte) {
		var response opcode.ChecksumResponse
		if opcode.Unmarshal(payload, &response) != nil {
			return
		}
		tree := checksum.NewTree(&response.Tree)
		again := response
		again.Tree = tree.Checksums()
		require.Equal(t, payload, encode(t, &again))

		found := manifest.VerifyResponse(&response)
		require.LessOrEqual(t, len(found), 2+len(payload)/4+102)
		for _, finding := range found {
			require.Equal(t, response.Index, finding.Round)
			require.NotEmpty(t, finding.Path)
			require.NotEmpty(t, finding.String())
			require.False(t, checksum.AcceptAll.Rejects(finding))
			require.True(t, checksum.Strict.Rejects(finding))
		}
		requireLearned(t, &response)
	})
}

// requireLearned requires that a response agrees with the manifest learned from it.
func requireLearned(t *testing.T, response *opcode.ChecksumResponse) {
	t.Helper()
	unknown := new(checksum.Manifest)
	if slices.ContainsFunc(unknown.VerifyResponse(response), checksum.LearnFirst.Rejects) {
		return
	}
	for _, r := range checksum.Rounds() {
		if r.Index == response.Index {
			r.Tree = checksum.NewTree(&response.Tree)
			learned := &checksum.Manifest{Rounds: []checksum.Round{r}}
			require.Empty(t, learned.VerifyResponse(response))
			again, err := load(save(t, learned))
			require.NoError(t, err)
			require.Empty(t, again.VerifyResponse(response))
		}
	}
}

// FuzzServerExchange mixes any messages with the messages of an honest client.
func FuzzServerExchange(f *testing.F) {
	for _, script := range messageSeeds(f) {
		f.Add(script, uint8(0))
		f.Add(script, uint8(0x35))
	}
	manifest := checksum.Vanilla()
	files := game(manifest)
	delete(files, "scripts/multiplayer/SpeciesToShip.pyc")
	responses := respond(installation(f, map[string][]byte{
		"scripts/multiplayer/Modifier.pyc": nil, "scripts/multiplayer/SpeciesToShip.pyc": nil,
	}))
	f.Fuzz(func(t *testing.T, script []byte, mode uint8) {
		s := &checksum.Server{Policy: checksum.Policy(mode % 4)}
		if mode&0x10 != 0 {
			s.Manifest = manifest
		}
		if mode&0x20 != 0 {
			s.Files = files
		}
		host, _ := s.NewExchange()
		calls := 0
		receive := func(m opcode.Message) error {
			calls++
			before := host.State()
			next, err := host.Receive(m)
			if host.State().Over() && !before.Over() {
				require.NotNil(t, next, "the host sends a last message")
			}
			if before.Over() {
				require.Error(t, err)
				require.Equal(t, before, host.State())
			}
			if next != nil {
				encode(t, next)
			}
			return err
		}
		for _, m := range messages(script) {
			_ = receive(m)
		}
		for i := 0; i < 5 && !host.State().Over(); i++ {
			_ = receive(responses[i])
		}
		for i := 0; i < 200 && !host.State().Over(); i++ {
			_ = receive(&opcode.FileTransferAck{})
		}
		require.True(t, host.State().Over(), "the exchange has ended")
		why, rejected := host.Rejection()
		require.Equal(t, host.State() == checksum.StateRejected, rejected)
		require.Equal(t, rejected, why.Kind != 0)
	})
}

// FuzzClient passes any messages to a client, and then those from an honest host.
func FuzzClient(f *testing.F) {
	for _, script := range messageSeeds(f) {
		f.Add(script)
	}
	manifest := checksum.Vanilla()
	f.Fuzz(func(t *testing.T, script []byte) {
		x := &checksum.Client{Manifest: manifest}
		files := 0
		receive := func(m opcode.Message) error {
			before := x.State()
			reply, file, err := receive(x, m)
			if reply != nil {
				encode(t, reply)
			}
			if before.Over() {
				require.Error(t, err)
				require.Equal(t, before, x.State())
			}
			if file != nil {
				files++
				require.True(t, fs.ValidPath(file.Path), file.Path)
			}
			return err
		}
		for _, m := range messages(script[:min(len(script), 4096)]) {
			_ = receive(m)
		}
		require.LessOrEqual(t, files, checksum.MaxReceived)
		if x.State().Over() {
			return
		}
		for i, r := range checksum.Rounds() {
			if err := receive(r.Request()); i == 0 && err != nil {
				require.ErrorIs(t, err, stream.ErrLimit)
				return
			}
		}
		_ = receive(&opcode.ChecksumComplete{})
		require.Equal(t, checksum.StateComplete, x.State())
	})
}

// messages decodes payloads, each behind its two-byte length.
func messages(script []byte) (list []opcode.Message) {
	for len(script) >= 2 {
		n := min(int(script[0])|int(script[1])<<8, len(script)-2)
		if m, err := opcode.Decode(script[2 : 2+n]); err == nil {
			list = append(list, m)
		}
		script = script[2+n:]
	}
	return list
}

// messageSeeds returns seeds for messages.
func messageSeeds(f *testing.F) (scripts [][]byte) {
	var forward, backward []byte
	add := func(script []byte, payload []byte) []byte {
		return append(append(script, byte(len(payload)), byte(len(payload)>>8)), payload...)
	}
	var payloads [][]byte
	for _, name := range roundNames {
		payloads = append(payloads, captured(f, "checksum-request-"+name))
	}
	for _, m := range respond(installation(f, map[string][]byte{"scripts/multiplayer/Modifier.pyc": nil})) {
		payloads = append(payloads, encode(f, m))
	}
	for _, name := range []string{"file-transfer", "file-transfer-ack", "checksum-complete", "system-checksum-failed", "version-mismatch"} {
		payloads = append(payloads, captured(f, name))
	}
	for i, p := range payloads {
		forward = add(forward, p)
		backward = add(backward, payloads[len(payloads)-1-i])
		scripts = append(scripts, add(add(nil, p), p))
	}
	escape := add(forward[:0:0], testdata.Bytes("25 0400 2e2e2f78 00"))
	return append(scripts, forward, backward, escape, nil)
}
