// Filter stands between players and a server, and filters the chat: it replaces words, and drops lines in capitals.
//
//	go run ./examples/filter -server 127.0.0.1:22101 -listen 127.0.0.1:22102
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"net/netip"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"time"

	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport/udp"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:22102", "listen for players at `IP:PORT`")
	server := flag.String("server", "127.0.0.1:22101", "relay to the server at `IP:PORT`")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	conn, err := net.ListenPacket("udp", *listen)
	if err == nil {
		err = run(ctx, conn.(*net.UDPConn), *server)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// run relays until the context ends.
func run(ctx context.Context, conn *net.UDPConn, server string) error {
	upstream, err := netip.ParseAddrPort(server)
	if err != nil {
		return err
	}
	return udp.Relay(ctx, conn, upstream, udp.RelayHandler{
		Edit: func(_ *udp.RelayClient, _ time.Time, fromHost bool, payload []byte) []byte {
			if m, err := opcode.Decode(payload); !fromHost && (err == nil || errors.Is(err, stream.ErrTrailing)) {
				return censor(payload, m)
			}
			return payload
		},
	})
}

var swearing = regexp.MustCompile(`(?i)\b(petaq|veruul|frak)\b`)

// censor returns what to relay in place of a payload with a message, or nil to drop it.
func censor(payload []byte, m opcode.Message) []byte {
	var line *stream.Text
	switch m := m.(type) {
	case *opcode.ChatMessage:
		line = &m.Text
	case *opcode.TeamChatMessage:
		line = &m.Text
	default:
		return payload
	}
	before := line.String()
	text := swearing.ReplaceAllString(before, "***")
	switch {
	case len(text) > 5 && text == strings.ToUpper(text) && text != strings.ToLower(text):
		return nil
	case text == before:
		return payload
	}
	*line = stream.Lossy(text)
	censored, _ := opcode.Marshal(m) // a line that does not encode is dropped
	return censored
}
