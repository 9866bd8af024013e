package main

import (
	"context"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport/udp"
)

// serve runs a host that relays everything if it relays at all. It returns the address.
func serve(t *testing.T, relays bool) string {
	socket, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	var h *join.Host
	h = join.NewHost(time.Now(), join.HostOptions{
		Mission: opcode.MissionInit{PlayerLimit: objectid.Slots},
		Message: func(p *join.Member, m opcode.Message) {
			if relays {
				h.Relay(p, m)
			}
		},
	})
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- udp.Serve(ctx, socket, h.Hub(), udp.Handler{Event: h.Handle, Tick: h.Tick}) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-ended)
	})
	return socket.LocalAddr().String()
}

func play(ctx context.Context, addr, name string) error {
	return trials[slices.IndexFunc(trials, func(x trial) bool { return x.name == name })].at(ctx, addr)
}

// A Host can play the cases that do not wait for long, and in the long form of the tests also chat.
func TestTrials(t *testing.T) {
	addr := serve(t, true)
	names := []string{"join", "refusal", "leave", "rename", "files", "chat"}
	for _, name := range names[:testdata.Either(len(names), 4)] {
		require.NoError(t, play(t.Context(), addr, name), name)
	}
}

// A server that does not answer, or in the long form one that relays nothing, fails.
func TestTrialsFail(t *testing.T) {
	ctx, stop := context.WithTimeout(t.Context(), time.Second)
	defer stop()
	silent, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer silent.Close()
	require.ErrorIs(t, play(ctx, silent.LocalAddr().String(), "join"), context.DeadlineExceeded)
	if testdata.Either(true, false) {
		require.ErrorContains(t, play(t.Context(), serve(t, false), "chat"), "lines are missing")
	}
}
