package main

import (
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/bcwire/bcwire/checksum"
	"github.com/bcwire/bcwire/examples/internal/hostport"
	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/transport"
)

// server puts a server together, without socket, console and recorder.
func (o *options) server(now time.Time, addr netip.AddrPort, files *checksum.Server, log *slog.Logger) (*server, error) {
	hub := transport.NewHub(now, transport.HubOptions{
		MaxPerIP:      o.perIP,
		RandomPeerIDs: o.randomIDs,
		Session: transport.Options{
			HandshakeTimeout: 10 * time.Second,
			// A client that has received nothing for as long has given up the host.
			SendTimeout: 45 * time.Second,
		},
	})
	s := &server{
		hub:   hub,
		match: newMatch(now, o.settings, hub, files, log, newStats()),
		discovery: &discovery{
			responder: gamespy.Responder{AnswerAll: true},
			beacon:    gamespy.Beacon{Port: addr.Port(), Stock: o.stockBeacon, Pause: gamespy.HeartbeatPause},
		},
	}
	s.alive.Store(now.UnixNano())
	if o.master == "" {
		return s, nil
	}
	master, err := net.ResolveUDPAddr("udp4", hostport.WithPort(o.master, gamespy.MasterPort))
	if err != nil {
		return nil, fmt.Errorf("-master: %w", err)
	}
	found := master.AddrPort()
	s.discovery.master = netip.AddrPortFrom(found.Addr().Unmap(), found.Port())
	return s, nil
}

// comparison says how players' files are compared: without a manifest they are not, but
// those of the first may be learned.
func (o *options) comparison() string {
	if o.manifest == "" && o.policy != checksum.LearnFirst {
		return "none"
	}
	return o.policy.String()
}

// files returns what players' files are compared with.
func (o *options) files() (*checksum.Server, error) {
	s := &checksum.Server{Policy: o.policy}
	if o.scripts != "" {
		root, err := os.OpenRoot(o.scripts) // nothing outside of it is sent, whatever links say
		if err != nil {
			return nil, fmt.Errorf("-scripts: %w", err)
		}
		s.Files = root.FS()
	}
	if o.manifest == "" {
		return s, nil
	}
	f, err := os.Open(o.manifest)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if s.Manifest, err = checksum.LoadManifest(f); err != nil {
		return nil, fmt.Errorf("%s: %w", o.manifest, err)
	}
	return s, nil
}
