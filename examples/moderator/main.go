// Moderator relays datagrams between players and a server, and moderates the chat: it replaces
// words, and drops lines in capitals. Messages have sequence numbers, so a relay cannot remove one.
// Moderator replaces a dropped line by a RequestObject with the ID 0, which hosts ignore.
//
//	go run -C examples ./moderator -server 127.0.0.1:22101 -listen 127.0.0.1:22102
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"regexp"
	"strings"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/udp"
)

func main() {
	server := flag.String("server", "127.0.0.1:22101", "`HOST:PORT` of the server")
	listen := flag.String("listen", "127.0.0.1:22102", "`IP:PORT` for the players")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "Usage: moderator [flags]\n\nModerator relays datagrams between players and a server, and moderates the chat.\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "moderator: %q: unexpected argument; -h lists the flags\n", flag.Arg(0))
		os.Exit(2)
	}
	if addr, err := net.ResolveUDPAddr("udp", *server); err != nil {
		log.Fatalf("-server %q is not the HOST:PORT of a server: %v", *server, err)
	} else if addr.Port == 0 {
		log.Fatalf("-server %q is not the HOST:PORT of a server: the port is 0", *server)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	conn, err := net.ListenPacket("udp", *listen)
	if err != nil {
		log.Fatal(err)
	}
	context.AfterFunc(ctx, func() { conn.Close() })
	log.Print("listening at ", conn.LocalAddr())
	r := &relay{conn.(*net.UDPConn), *server, map[netip.AddrPort]net.Conn{}}
	if err := r.run(); ctx.Err() == nil {
		log.Fatal(err)
	}
}

const maxPlayers = 64 // limits the sockets that strangers can open

// relay passes datagrams between players and a server, with a socket for each player.
type relay struct {
	listener *net.UDPConn
	server   string
	players  map[netip.AddrPort]net.Conn
}

// run passes on the datagrams of the players.
func (r *relay) run() error {
	buf := make([]byte, 1<<16)
	for {
		n, addr, err := r.listener.ReadFromUDPAddrPort(buf)
		if err != nil && !udp.Transient(err) {
			return err
		}
		conn := r.players[addr]
		if conn == nil && err == nil && len(r.players) < maxPlayers {
			if conn, err = net.Dial("udp", r.server); err != nil {
				return err
			}
			r.players[addr] = conn
			go r.answers(conn, addr)
		}
		if conn != nil && err == nil {
			_, _ = conn.Write(moderate(buf[:n])) // the session retransmits lost messages
		}
	}
}

// answers passes on the datagrams of the server to a player.
func (r *relay) answers(conn net.Conn, addr netip.AddrPort) {
	buf := make([]byte, 1<<16)
	for {
		n, err := conn.Read(buf)
		if err == nil {
			_, _ = r.listener.WriteToUDPAddrPort(buf[:n], addr)
		} else if !udp.Transient(err) {
			return
		}
	}
}

// moderate returns an enciphered datagram with moderated chat, or a malformed one unchanged.
func moderate(datagram []byte) []byte {
	if transport.IsGameSpy(datagram) {
		return datagram
	}
	cipher.Decrypt(datagram)
	defer cipher.Encrypt(datagram)
	var p transport.Packet
	if err := p.UnmarshalBinary(datagram); err != nil {
		return datagram
	}
	for i := range p.Messages {
		if m := &p.Messages[i]; m.Type == transport.TypeData && !m.Fragment {
			m.Body = censor(m.Body)
		}
	}
	if moderated, err := p.MarshalBinary(); err == nil {
		cipher.Encrypt(moderated)
		return moderated
	}
	return datagram
}

var swearing = regexp.MustCompile(`(?i)\b(petaq|veruul|frak)\b`)

// censor returns the payload to send in place of a payload.
func censor(payload []byte) []byte {
	msg, err := opcode.Decode(payload)
	chat, ok := msg.(*opcode.ChatMessage)
	if err != nil || !ok {
		return payload
	}
	text := chat.Text.String()
	if len(text) > 5 && text == strings.ToUpper(text) && text != strings.ToLower(text) {
		msg = &opcode.RequestObject{}
	} else if swearing.MatchString(text) {
		chat.Text = stream.Lossy(swearing.ReplaceAllString(text, "***"))
	}
	if censored, err := msg.MarshalBinary(); err == nil {
		return censored
	}
	return payload
}
