//go:build tshark

package wireshark

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"
	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// allClients is a capture of the clients of all recordings, and what the core of dump makes of it.
func allClients(t *testing.T) (w wireCase, file string, decoded []*show.Packet) {
	for _, c := range everyClient(t) {
		w.add(c)
	}
	file = w.write(t, false)
	var decoder show.Decoder
	for _, d := range w.packets {
		d.Data = onWire(d.Data, false)
		decoded = append(decoded, decoder.Decode(d))
	}
	return w, file, decoded
}

// TestInfoColumn checks that the Info column has each payload as opcode.Line prints it, with the parts
// of ships and the subsystems as dump prints them.
func TestInfoColumn(t *testing.T) {
	t.Parallel()
	_, file, decoded := allClients(t)
	lines := run(t, "-r", file, "-T", "fields", "-e", "_ws.col.Protocol", "-e", "_ws.col.Info")
	require.Len(t, lines, len(decoded))
	parts, blocks := 0, 0
	for i, p := range decoded {
		const most = 3000 // Wireshark cuts longer ones
		text := strings.ReplaceAll(strings.ReplaceAll(lines[i], `\"`, `"`), `\\`, `\`)
		require.True(t, strings.HasPrefix(text, "BC\t"), text)
		wanted := infoLines(p)
		for _, line := range wanted {
			if strings.Index(text, line[:20%(len(line)+1)])+len(line) < most {
				require.Contains(t, text, line)
			}
		}
		all := strings.Join(wanted, " ")
		parts += strings.Count(all, " Torpedoes / ")
		blocks += strings.Count(all, " Hull ")
	}
	require.Positive(t, parts)
	require.Positive(t, blocks)
}

// linesOf returns the complete payloads of a datagram as [opcode.Line] prints them.
func linesOf(p *show.Packet) (all []string) {
	for _, r := range p.Messages {
		if m, err := opcode.Decode(r.Payload); r.Whole && (err == nil || errors.Is(err, stream.ErrTrailing) && r.Err == nil) {
			all = append(all, opcode.Line(m))
		}
	}
	return all
}

// infoLines returns the lines of linesOf with the names of the parts of ships, and with
// the conditions of subsystems instead of their bytes.
func infoLines(p *show.Packet) []string {
	lines := linesOf(p)
	line := -1 // of the message of a leaf
	message, conditions := -1, []string(nil)
	end := func() {
		if conditions == nil {
			return
		}
		at := max(strings.LastIndex(lines[line], " Data="), strings.LastIndex(lines[line], " SubsystemsRaw="))
		lines[line] = lines[line][:at] + " " + strings.Join(conditions, ", ")
		conditions = nil
	}
	for _, l := range p.Leaves() {
		if l.Path == "Opcode" && l.Message != message && line+1 < len(lines) && strings.HasPrefix(lines[line+1], p.Messages[l.Message].Name) {
			end()
			message, line = l.Message, line+1
		}
		text, _, _ := strings.Cut(l.Text, "  ")
		name, system := strings.CutSuffix(strings.TrimPrefix(l.Path, "Subsystems."), ".Condition")
		switch {
		case l.Message != message:
		case system:
			conditions = append(conditions, name+" "+text)
		case strings.Contains(text, " ("):
			id, _, _ := strings.Cut(text, " (")
			lines[line] = strings.Replace(lines[line], l.Path+"="+id, l.Path+"="+text, 1)
		}
	}
	end()
	return lines
}

// TestOpcodeOncePerPayload compares bcwire.opcode with the payloads of dump.
func TestOpcodeOncePerPayload(t *testing.T) {
	t.Parallel()
	_, file, decoded := allClients(t)
	lines := run(t, "-r", file, "-T", "fields", "-e", "bcwire.opcode")
	require.Len(t, lines, len(decoded))
	for i, p := range decoded {
		var got []string
		for _, code := range strings.FieldsFunc(lines[i], func(r rune) bool { return r == ',' }) {
			n, err := strconv.ParseUint(code, 0, 8)
			require.NoError(t, err)
			got = append(got, opcode.Code(n).String())
		}
		var want []string
		for _, line := range linesOf(p) {
			name, _, _ := strings.Cut(line, " ")
			want = append(want, name)
		}
		require.Equal(t, want, got, "packet %d", i+1)
	}
}

func TestFilters(t *testing.T) {
	t.Parallel()
	_, file, decoded := allClients(t)
	count := func(wanted func(line string) bool) (n int) {
		for _, p := range decoded {
			for _, line := range linesOf(p) {
				if wanted(line) {
					n++
					break
				}
			}
		}
		return n
	}
	begins := func(text string) func(string) bool {
		return func(line string) bool { return strings.HasPrefix(line, text) }
	}
	for filter, want := range map[string]int{
		"bcwire.torpedofire.tubeid":                  count(begins("TorpedoFire ")),
		"bcwire.torpedofire":                         count(begins("TorpedoFire ")),
		`bcwire.opcode == "StateUpdate"`:             count(begins("StateUpdate ")),
		`bcwire.missioninit.system == "Multi1"`:      count(func(l string) bool { return strings.Contains(l, "System=Multi1") }),
		`bcwire.objectcreateteam.species == "Akira"`: count(func(l string) bool { return strings.Contains(l, "Species=Akira") }),
		`bcwire.chatmessage.text contains "e"`: count(func(l string) bool {
			return strings.HasPrefix(l, "ChatMessage ") && strings.Contains(l[strings.Index(l, `Text="`)+6:], "e")
		}),
		"bcwire.deleteplayerui && bcwire.expert.unknown":                                                                 0,
		`bcwire.type == "Data" && !bcwire.opcode && bcwire.fragment && !bcwire.reassembled.frame && bcwire.seq == 65000`: 0,
	} {
		require.Len(t, run(t, "-r", file, "-Y", filter), want, filter)
	}
	require.NotEmpty(t, run(t, "-r", file, "-Y", "bcwire.reassembled.frame && bcwire.seq == 2"))
	require.NotEmpty(t, run(t, "-r", file, "-Y", "bcwire.peer == 1"))
	require.NotEmpty(t, run(t, "-r", file, "-2", "-Y", "bcwire.reassembled.in"))
}

// TestTwoPasses dissects each datagram twice, as Wireshark does.
func TestTwoPasses(t *testing.T) {
	t.Parallel()
	var w wireCase
	for _, c := range everyClient(t) {
		w.add(c)
	}
	w.compare(t, &show.Decoder{}, "-2")
}

// TestAcksNameTheirMessages checks that all Acks of stock recordings find their message.
func TestAcksNameTheirMessages(t *testing.T) {
	t.Parallel()
	var w wireCase
	for client, list := range recordings(t)["match.jsonl"] {
		w.add(testCase{client, list})
	}
	file := w.write(t, false)
	require.NotEmpty(t, run(t, "-r", file, "-Y", `bcwire.ack.message == "TorpedoFire"`))
	acks := run(t, "-r", file, "-T", "fields", "-Y", `bcwire.type == "Ack"`, "-e", "frame.number", "-e", "bcwire.type", "-e", "bcwire.ack.frame")
	require.NotEmpty(t, acks)
	for _, line := range acks {
		f := strings.Split(line, "\t")
		require.Equal(t, strings.Count(f[1], "0x01"), len(strings.Split(f[2], ",")), line)
	}
}

var (
	one = netip.MustParseAddrPort("192.0.2.1:33333")
	two = netip.MustParseAddrPort("192.0.2.2:44444")
)

// enciphered returns a datagram with a reliable payload.
func enciphered(t *testing.T, peer int8, seq uint16, payload string) []byte {
	t.Helper()
	b, err := hex.DecodeString(payload)
	require.NoError(t, err)
	m := transport.NewData(seq, b)
	p := transport.Packet{PeerID: objectid.PeerID(peer), Messages: []transport.Message{m}}
	d, err := p.MarshalBinary()
	require.NoError(t, err)
	cipher.Encrypt(d)
	return d
}

func TestRecognitionOnAnyPort(t *testing.T) {
	t.Parallel()
	c, name := newCapture(t)
	for i := range 5 {
		c.udp(t, one, two, enciphered(t, 2, uint16(i), "01"))
	}
	c.close(t)
	require.Len(t, run(t, "-r", name, "-Y", "bcwire"), 4, "from the second datagram on")
	require.Len(t, run(t, "-r", name, "-2", "-Y", "bcwire"), 4)
	require.Len(t, run(t, "-r", name, "-d", "udp.port==33333,bcwire", "-Y", "bcwire"), 5, "Decode As")
	require.Len(t, run(t, "-r", name, "-o", "bcwire.ports:22101,44444", "-Y", "bcwire"), 5, "preference")
}

func TestPortsOfThePreference(t *testing.T) {
	t.Parallel()
	c, name := newCapture(t)
	c.udp(t, one, server, enciphered(t, 2, 0, "01"))
	c.close(t)
	require.Len(t, run(t, "-r", name, "-Y", "bcwire"), 1)
	require.Empty(t, run(t, "-r", name, "-o", "bcwire.ports:5000", "-Y", "bcwire"))
}

// TestICMPErrors checks that a datagram that an ICMP error quotes does not count as a repetition.
func TestICMPErrors(t *testing.T) {
	t.Parallel()
	name := filepath.Join(t.TempDir(), "icmp.pcapng")
	f, err := os.Create(name)
	require.NoError(t, err)
	defer f.Close()
	w, err := pcapgo.NewNgWriter(f, layers.LinkTypeRaw)
	require.NoError(t, err)
	ip := func(protocol layers.IPProtocol) *layers.IPv4 {
		return &layers.IPv4{Version: 4, TTL: 64, Protocol: protocol, SrcIP: net.IP{192, 0, 2, 1}, DstIP: net.IP{10, 0, 0, 1}}
	}
	datagram := []gopacket.SerializableLayer{
		ip(layers.IPProtocolUDP), &layers.UDP{SrcPort: 33333, DstPort: 22101}, gopacket.Payload(enciphered(t, 2, 7, "01")),
	}
	unreachable := &layers.ICMPv4{TypeCode: layers.CreateICMPv4TypeCode(layers.ICMPv4TypeDestinationUnreachable, layers.ICMPv4CodePort)}
	write := func(missing int, all ...gopacket.SerializableLayer) {
		b := gopacket.NewSerializeBuffer()
		require.NoError(t, gopacket.SerializeLayers(b, gopacket.SerializeOptions{FixLengths: true}, all...))
		packet := b.Bytes()[:len(b.Bytes())-missing]
		require.NoError(t, w.WritePacket(gopacket.CaptureInfo{CaptureLength: len(packet), Length: len(packet)}, packet))
	}
	quoted := append([]gopacket.SerializableLayer{ip(layers.IPProtocolICMPv4), unreachable}, datagram...)
	write(0, quoted...)
	write(0, datagram...)
	write(3, quoted...)
	write(0, datagram...)
	require.NoError(t, w.Flush())
	require.Len(t, run(t, "-r", name, "-Y", "bcwire"), 4)
	repeated := run(t, "-r", name, "-T", "fields", "-e", "frame.number", "-Y", "bcwire.expert.repeated")
	require.Equal(t, []string{"4"}, repeated)
}

// recognised returns how many datagrams the heuristic takes for the game's.
func recognised(t *testing.T, lines io.Reader) string {
	cmd := exec.CommandContext(t.Context(), "lua5.4", "testdata/stub.lua", "bcwire.lua", "heuristic")
	cmd.Stdin = lines
	out, err := cmd.Output()
	require.NoError(t, err)
	return strings.TrimSpace(string(out))
}

func TestHeuristicInLua54(t *testing.T) {
	t.Parallel()
	var lines bytes.Buffer
	for i := range 3 {
		fmt.Fprintf(&lines, "%d 1.1.1.1 1 2.2.2.2 2 0 %x\n", i, enciphered(t, 2, uint16(i), "01"))
	}
	require.Equal(t, "2", recognised(t, &lines))
}

// TestNoFalsePositives has datagrams of other protocols between any ports.
func TestNoFalsePositives(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, *seed))
	bytesOf := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		return b
	}
	for name, datagram := range map[string]func() []byte{
		"DNS": func() []byte {
			b := append(bytesOf(2), 1, 0, 0, 1, 0, 0, 0, 0, 0, 0)
			for range 1 + r.IntN(3) {
				label := bytesOf(1 + r.IntN(12))
				for i := range label {
					label[i] = 'a' + label[i]%26
				}
				b = append(append(b, byte(len(label))), label...)
			}
			return append(b, 0, 0, 1, 0, 1)
		},
		"QUIC": func() []byte {
			if r.IntN(4) == 0 {
				b := append([]byte{0xC0 | byte(r.IntN(16)), 0, 0, 0, 1, 8}, bytesOf(8)...)
				return append(append(b, 0, 0x41, 0x2C), bytesOf(300)...)
			}
			return append([]byte{0x40 | byte(r.IntN(64))}, bytesOf(20+r.IntN(200))...)
		},
		"RTP":    func() []byte { return append([]byte{0x80, byte(r.IntN(2)<<7 | 96)}, bytesOf(10+r.IntN(160))...) },
		"random": func() []byte { return bytesOf(1 + r.IntN(40)) },
	} {
		t.Run(name, func(t *testing.T) {
			c, file := newCapture(t)
			var lines bytes.Buffer
			for i := range 100_000 {
				port, data := uint16(20000+i%50), datagram()
				c.udp(t, netip.AddrPortFrom(one.Addr(), port), netip.AddrPortFrom(two.Addr(), port+10000), data)
				fmt.Fprintf(&lines, "%d 1.1.1.1 %d 2.2.2.2 %d 0 %x\n", i, port, port, data)
			}
			c.close(t)
			require.Empty(t, run(t, "-r", file, "-o", "udp.try_heuristic_first:TRUE", "-Y", "bcwire"))
			require.Equal(t, "0", recognised(t, &lines), "without the other heuristics of TShark")
		})
	}
}

func TestFieldsOfTheReadme(t *testing.T) {
	t.Parallel()
	_, file, _ := allClients(t)
	out := run(t, "-r", file, "-Y", "bcwire.torpedofire", "-T", "fields", "-e", "frame.time_relative", "-e", "bcwire.torpedofire.tubeid")
	require.NotEmpty(t, out)
	for _, line := range out {
		require.Regexp(t, `^-?\d+\.\d+\t0x[0-9a-f]{8}(,0x[0-9a-f]{8})*$`, line)
	}
}
