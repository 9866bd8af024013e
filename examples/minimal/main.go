// Minimal is a dedicated server in one file: players join, choose ships, fly, fire, talk and leave.
// Package join does all of it, and limits what players may send. The program server adds damage,
// deaths, scores, an end of the match, and replies to browsers.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"log/slog"
	"net"
	"os"
	"os/signal"
	"time"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport/udp"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:22101", "`IP:PORT` to listen at")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), "Usage: minimal [flags]\n\nMinimal is a dedicated server in one file.\n\n")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "minimal: %q: unexpected argument; -h lists the flags\n", flag.Arg(0))
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	conn, err := net.ListenPacket("udp4", *addr)
	if err != nil {
		log.Fatal(err)
	}
	log.Print("listening at ", conn.LocalAddr())
	host := newHost(time.Now(), join.HostOptions{Mission: opcode.MissionInit{PlayerLimit: objectid.Slots}, Log: slog.Default()})
	if err := udp.Serve(ctx, conn.(*net.UDPConn), host.Hub(), udp.Handler{Event: host.Handle, Tick: host.Tick}); err != nil {
		log.Fatal(err)
	}
}

// newHost returns a host that follows the ships of the game.
func newHost(now time.Time, o join.HostOptions) *join.Host {
	o.Ships = stateupdate.Stock()
	return join.NewHost(now, o)
}
