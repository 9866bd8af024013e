//go:build tshark

package wireshark

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"maps"
	"math/rand/v2"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/capture"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/examples/wireshark/internal/pdml"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// The number of mutated payloads and datagrams. CI takes all of them.
var (
	mutations = flag.Int("mutations", 2000, "mutated payloads and datagrams")
	seed      = flag.Uint64("seed", 1, "seed of the mutations")
)

// datagram is a datagram of a case, in clear.
type datagram struct {
	toClient bool
	data     []byte
	at       float64
	missing  int // bytes that the capture lacks
}

// testCase is some datagrams between a client and the server that are dissected with no other
// history.
type testCase struct {
	name      string
	datagrams []datagram
}

// wireCase is a capture of cases, each with a client of its own.
type wireCase struct {
	names   []string // of the case of each packet
	packets []*show.Datagram
}

var server = netip.MustParseAddrPort("10.0.0.1:22101")

// add adds a case.
func (w *wireCase) add(c testCase) {
	n := len(w.packets)
	address := netip.AddrFrom4([4]byte{11, byte(n >> 16), byte(n >> 8), byte(n)})
	client := netip.AddrPortFrom(address, uint16(30000+n%30000))
	for _, d := range c.datagrams {
		if len(d.data) == 0 {
			continue // TShark does not call a dissector for UDP without data
		}
		packet := &show.Datagram{Number: len(w.packets) + 1, Time: d.at, Src: client, Dst: server, Data: bytes.Clone(d.data), Missing: d.missing}
		if d.toClient {
			packet.Src, packet.Dst = server, client
		}
		w.packets, w.names = append(w.packets, packet), append(w.names, c.name)
	}
}

// write writes the capture, enciphered unless the decoder takes plain datagrams.
func (w *wireCase) write(t *testing.T, plain bool) string {
	c, name := newCapture(t)
	for _, d := range w.packets {
		wire := *d
		wire.Data = onWire(d.Data, plain)
		c.write(t, wire)
	}
	c.close(t)
	return name
}

// captureFile is a capture that a test writes.
type captureFile struct {
	*capture.Writer
	file *os.File
	n    int // datagrams
}

func newCapture(t *testing.T) (c *captureFile, name string) {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "test.pcapng"))
	require.NoError(t, err)
	return &captureFile{Writer: capture.NewWriter(f), file: f}, f.Name()
}

// udp writes a datagram 10 ms after the one before.
func (c *captureFile) udp(t *testing.T, src, dst netip.AddrPort, data []byte) {
	t.Helper()
	c.write(t, capture.Datagram{Time: float64(c.n+1) / 100, Src: src, Dst: dst, Data: data})
}

func (c *captureFile) write(t *testing.T, d capture.Datagram) {
	t.Helper()
	c.n++
	require.NoError(t, c.Write(&d))
}

func (c *captureFile) close(t *testing.T) {
	t.Helper()
	require.NoError(t, errors.Join(c.Flush(), c.file.Close()))
}

// onWire returns a datagram as it is on the wire.
func onWire(data []byte, plain bool) []byte {
	data = bytes.Clone(data)
	if !plain && !transport.IsGameSpy(data) {
		cipher.Encrypt(data)
	}
	return data
}

// command returns a command of TShark with folders of its own for the configuration and for plugins.
// A dissector in the folders of the user or the system would be loaded, too, and the user's
// preferences and language would change the output.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "tshark", append([]string{"-n"}, args...)...)
	cmd.Env = append(os.Environ(), "LC_ALL=C.UTF-8", "HOME="+home, "APPDATA="+home, "XDG_CONFIG_HOME="+home,
		"WIRESHARK_CONFIG_DIR="+home, "WIRESHARK_PLUGIN_DIR="+home) // TShark takes the last one from users other than root only
	return cmd
}

// tshark starts TShark with the dissector. It returns the output, and a function that waits for the
// end and checks that there was no Lua error.
func tshark(t *testing.T, args ...string) (out io.Reader, wait func()) {
	t.Helper()
	cmd := command(t, append([]string{"-X", "lua_script:bcwire.lua"}, args...)...)
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	require.NoError(t, cmd.Start(), "install tshark")
	return out, func() {
		t.Helper()
		require.NoError(t, cmd.Wait(), complaints.String())
		require.NotContains(t, complaints.String(), "Lua")
	}
}

// A dissector that the user has installed is not loaded with the one of the tests.
func TestInstalledDissectorIsNotLoaded(t *testing.T) {
	home := t.TempDir()
	plugins := filepath.Join(home, ".local", "lib", "wireshark", "plugins")
	require.NoError(t, os.MkdirAll(plugins, 0o700))
	script, err := os.ReadFile("bcwire.lua")
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(plugins, "bcwire.lua"), script, 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(home, "init.lua"), []byte(`error("of the user")`), 0o600))
	t.Setenv("HOME", home)
	t.Setenv("WIRESHARK_CONFIG_DIR", home)
	var w wireCase
	w.add(testCase{"ack", []datagram{{data: []byte{2, 1, 1, 0, 0, 0}}}})
	w.compare(t, &show.Decoder{})
}

// compare dissects a capture with TShark and with the core of dump, and compares all fields.
func (w *wireCase) compare(t *testing.T, decoder *show.Decoder, args ...string) {
	t.Helper()
	out, wait := tshark(t, append([]string{"-r", w.write(t, decoder.Plain), "-T", "pdml", "-J", "bcwire"}, args...)...)
	w.compareWith(t, decoder, pdml.NewReader(out))
	wait()
}

func (w *wireCase) compareWith(t *testing.T, decoder *show.Decoder, reader *pdml.Reader) {
	t.Helper()
	failures, fields := 0, 0
	for i, d := range w.packets {
		packet, err := reader.Next()
		require.NoError(t, err, "packet %d", i+1)
		clear := hex.EncodeToString(d.Data)
		d.Data = onWire(d.Data, decoder.Plain)
		decoded := decoder.Decode(d)
		want := decoded.Leaves()
		fields += len(want)
		got, err := leaves(packet)
		if err == nil {
			err = same(want, got)
		}
		if err == nil && transport.IsGameSpy(d.Data) {
			err = samePairs(d.Data, packet)
		}
		if err != nil {
			t.Errorf("%s, packet %d, %s:\n%v", w.names[i], i+1, clear, err)
			if failures++; failures == 10 {
				t.FailNow()
			}
		}
	}
	_, err := reader.Next()
	require.ErrorIs(t, err, io.EOF)
	t.Logf("%d datagrams, %d fields", len(w.packets), fields)
}

// leaf is a field in the details of TShark.
type leaf struct {
	*pdml.Item
	groups []string
	base   int   // where the protocol begins, if its data is that of the frame
	starts []int // where the item around may begin
}

// at reports whether a field is at an offset. The details of TShark count from the beginning of the
// item around if the field is before it, which happens in another source of data and for bools.
func (l *leaf) at(offset int) bool {
	if l.Pos == offset || l.Pos == l.base+offset {
		return true
	}
	for _, start := range l.starts {
		if before := l.base + offset; offset < start && l.Pos == start+offset || before < start && l.Pos == start+before {
			return true
		}
	}
	return false
}

// generated are fields that are not bytes of the datagram.
var generated = map[string]bool{
	"bcwire.ack.frame": true, "bcwire.ack.message": true, "bcwire.rtt": true, "bcwire.player": true, "bcwire.ship": true, "bcwire.reassembled.frame": true, "bcwire.reassembled.in": true,
	"bcwire.gamespy.key": true, "bcwire.gamespy.value": true,
}

var errNoProtocol = errors.New("no bcwire in the packet")

// leaves returns the fields of the protocol.
func leaves(packet []*pdml.Item) (all []leaf, err error) {
	found := false
	for _, p := range packet {
		for _, x := range p.Children {
			if text := x.Show + x.Label; strings.Contains(text, "Lua Error") {
				return nil, errors.New(text)
			}
		}
		if p.Name == "bcwire" {
			found = true
			all = collect(all, p.Children, nil, []int{p.Pos})
			for i := range all {
				all[i].base = p.Pos
			}
		}
	}
	if !found {
		return nil, errNoProtocol
	}
	return all, nil
}

func collect(all []leaf, items []*pdml.Item, groups []string, starts []int) []leaf {
	for _, x := range items {
		inner := []int{x.Pos}
		for _, start := range starts {
			inner = append(inner, x.Pos-start)
		}
		switch {
		case generated[x.Name], strings.HasPrefix(x.Name, "_ws.expert"), strings.HasPrefix(x.Name, "bcwire.expert"):
		case x.Name == "_ws.lua.text":
			all = collect(all, x.Children, append(groups[:len(groups):len(groups)], x.Label), inner)
		case isContainer(x):
			all = collect(all, x.Children, groups, inner)
		default:
			all = append(all, leaf{Item: x, groups: groups, starts: starts})
		}
	}
	return all
}

// plainFields are the fields whose names have two parts.
var plainFields = map[string]bool{}

func init() {
	for _, name := range strings.Fields("peer count type flags length seq fragindex fragtotal fragment body trailing error opcode partialopcode gamespy") {
		plainFields["bcwire."+name] = true
	}
}

func isContainer(x *pdml.Item) bool {
	return strings.Count(x.Name, ".") == 1 && !plainFields[x.Name]
}

func same(want []show.Leaf, got []leaf) error {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			return fmt.Errorf("field %d: %q at %d of %d bytes, want no more", i, got[i].Label, got[i].Pos, got[i].Size)
		case i >= len(got):
			return fmt.Errorf("field %d: none, want %s %q", i, want[i].Path, want[i].Text)
		}
		if err := sameLeaf(&want[i], &got[i]); err != nil {
			return fmt.Errorf("field %d: %w", i, err)
		}
	}
	return nil
}

// samePairs compares the keys and values of a GameSpy text with those of package gamespy.
func samePairs(text []byte, packet []*pdml.Item) error {
	m, err := gamespy.Parse(text)
	if err != nil && !errors.Is(err, stream.ErrLimit) {
		return err
	}
	var got []*pdml.Item
	for _, p := range packet {
		for _, x := range p.Children {
			if x.Name == "bcwire.gamespy" {
				got = x.Children
			}
		}
	}
	if len(got) != len(m.Pairs) {
		return fmt.Errorf("%d pairs, want %d", len(got), len(m.Pairs))
	}
	for i, pair := range m.Pairs {
		label := printable(pair.Key)
		if pair.Value != "" {
			label += ": " + printable(pair.Value)
		}
		key := got[i]
		if len(key.Children) != 1 || key.Name != "bcwire.gamespy.key" || key.Children[0].Name != "bcwire.gamespy.value" {
			return fmt.Errorf("pair %d is %+v", i, key)
		}
		value := key.Children[0]
		wire := stream.Lossy(pair.Value)
		if key.Label != label || value.Value != hex.EncodeToString(wire) || value.Size != len(wire) {
			return fmt.Errorf("pair %d is %q with the value %s, want %q", i, key.Label, value.Value, label)
		}
	}
	return nil
}

// printable quotes a text with control characters.
func printable(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(s)
	}
	return s
}

const labelBytes = 200

// sameLeaf compares a field: the label up to some length, the place, and the bytes.
func sameLeaf(want *show.Leaf, got *leaf) error {
	label := expected(want, got.groups)
	long := len(label) > labelBytes
	if long {
		label = label[:labelBytes-3]
	}
	if got.Label != label && !(long && strings.HasPrefix(got.Label, label)) {
		return fmt.Errorf("label %q in %q, want %q", got.Label, got.groups, label)
	}
	size := len(want.Raw)
	if !got.at(want.Offset) || got.Size != size {
		return fmt.Errorf("%q at %d of %d bytes, want %d of %d", got.Label, got.Pos, got.Size, want.Offset, size)
	}
	if digits := hex.EncodeToString(want.Raw); size > 0 && got.Value != "" && got.Value != digits {
		return fmt.Errorf("%q has the bytes %s, want %s", got.Label, got.Value, digits)
	}
	return nil
}

// expected returns the label of a field in some groups.
func expected(f *show.Leaf, groups []string) string {
	if f.Err != nil {
		return f.Err.Error()
	}
	path := f.Path
	for _, g := range groups {
		rest, ok := strings.CutPrefix(path, g+".")
		if !ok && g != "Subsystems" {
			return fmt.Sprintf("%s, which is not in %s", path, g)
		}
		if ok {
			path = rest
		}
	}
	if f.Bit >= 0 {
		dots := []byte(".... ....")
		i := 7 - f.Bit
		if i >= 4 {
			i++
		}
		dots[i] = '0'
		if f.Text == "true" {
			dots[i] = '1'
		}
		return fmt.Sprintf("%s = %s: %s", dots, path, f.Text)
	}
	if f.Text == "" {
		return path
	}
	return path + ": " + f.Text
}

// Recordings.

func recordings(t *testing.T) map[string]map[string][]datagram {
	files, err := filepath.Glob("../../testdata/*.jsonl")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	all := map[string]map[string][]datagram{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		clients := map[string][]datagram{}
		for line := range bytes.Lines(text) {
			var v struct {
				T      float64
				Dir    string
				Client int
				Hex    string
			}
			require.NoError(t, json.Unmarshal(line, &v))
			data, err := hex.DecodeString(v.Hex)
			require.NoError(t, err)
			if !transport.IsGameSpy(data) {
				cipher.Decrypt(data)
			}
			client := fmt.Sprint(v.Client)
			clients[client] = append(clients[client], datagram{toClient: v.Dir == "s2c", data: data, at: v.T})
		}
		all[filepath.Base(file)] = clients
	}
	return all
}

// vectors returns the bytes of all golden vectors of a file.
func vectors(t *testing.T, file string) map[string][]byte {
	text, err := os.ReadFile("../../testdata/vectors/" + file)
	require.NoError(t, err)
	var list []struct {
		Name, Hex, Text string
		Dir             string
	}
	require.NoError(t, json.Unmarshal(text, &list))
	all := map[string][]byte{}
	for _, v := range list {
		if data, err := hex.DecodeString(v.Hex); err == nil && len(data) > 0 {
			all[v.Name] = data
		}
	}
	require.NotEmpty(t, all)
	return all
}

// carried returns the datagram of a host with a payload.
func carried(payload []byte) []byte {
	m := transport.NewUnreliable(payload)
	p := transport.Packet{PeerID: 1, Messages: []transport.Message{m}}
	b, err := p.MarshalBinary()
	if err != nil {
		return nil
	}
	return b
}

func TestVectors(t *testing.T) {
	t.Parallel()
	var w wireCase
	for _, file := range []string{"payloads.json", "payloads-constructed.json"} {
		for name, payload := range vectors(t, file) {
			w.add(testCase{name, []datagram{{toClient: true, data: carried(payload)}}})
		}
	}
	for name, data := range vectors(t, "transport.json") {
		w.add(testCase{name, []datagram{{data: data}}})
	}
	w.compare(t, &show.Decoder{})
}

func TestRecordings(t *testing.T) {
	t.Parallel()
	for name, clients := range recordings(t) {
		t.Run(name, func(t *testing.T) {
			var w wireCase
			for client, list := range clients {
				w.add(testCase{"client " + client, list})
			}
			w.compare(t, &show.Decoder{})
		})
	}
}

// sorted ranges over a map in the order of its keys, so that a seed gives the same cases.
func sorted[V any](m map[string]V) iter.Seq2[string, V] {
	return func(yield func(string, V) bool) {
		for _, key := range slices.Sorted(maps.Keys(m)) {
			if !yield(key, m[key]) {
				return
			}
		}
	}
}

// TestMutations compares what becomes of payloads and datagrams with changed bytes.
func TestMutations(t *testing.T) {
	t.Parallel()
	var seeds, datagrams [][]byte
	for _, file := range []string{"payloads.json", "payloads-constructed.json"} {
		for _, payload := range sorted(vectors(t, file)) {
			seeds = append(seeds, payload)
		}
	}
	for _, clients := range sorted(recordings(t)) {
		for _, list := range sorted(clients) {
			for _, d := range list {
				datagrams = append(datagrams, d.data)
			}
		}
	}
	r := rand.New(rand.NewPCG(1, *seed))
	var w wireCase
	for n := range *mutations {
		var d datagram
		if n%2 == 0 {
			d = datagram{toClient: true, data: carried(mutate(r, seeds[r.IntN(len(seeds))]))}
		} else {
			d = datagram{toClient: r.IntN(2) == 0, data: mutate(r, datagrams[r.IntN(len(datagrams))])}
		}
		w.add(testCase{fmt.Sprint("mutation ", n), []datagram{d}})
	}
	w.compare(t, &show.Decoder{})
}

// mutate changes some bytes, or cuts or lengthens the end.
func mutate(r *rand.Rand, b []byte) []byte {
	b = bytes.Clone(b)
	for range 1 + r.IntN(3) {
		if len(b) == 0 {
			return []byte{1}
		}
		switch i := r.IntN(len(b)); r.IntN(6) {
		case 0:
			b[i] = byte(r.Uint32())
		case 1:
			b[i] ^= 1 << r.IntN(8)
		case 2:
			b = b[:i]
		case 3:
			b = append(b, byte(r.Uint32()))
		case 4:
			b = append(b[:i], b[min(len(b), i+1+r.IntN(4)):]...)
		case 5:
			b[i] = []byte{0, 1, 0x7F, 0x80, 0xFF}[r.IntN(5)]
		}
	}
	if len(b) == 0 {
		return []byte{1}
	}
	return b
}
