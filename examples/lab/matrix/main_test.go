package main

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/objectid"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/transport/udp"
)

// play plays a trial on a host in a bubble. The host relays everything if it relays at all.
func play(t *testing.T, ctx context.Context, relays bool, name string) error {
	n := &network{}
	server, _ := n.listen()
	var h *join.Host
	h = join.NewHost(time.Now(), join.HostOptions{
		Mission: opcode.MissionInit{PlayerLimit: objectid.Slots},
		Message: func(p *join.Member, m opcode.Message) {
			if relays {
				h.Relay(p, m)
			}
		},
	})
	serving, stop := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() { ended <- udp.Serve(serving, server, h.Hub(), udp.Handler{Event: h.Handle, Tick: h.Tick}) }()
	defer func() {
		stop()
		require.NoError(t, <-ended)
	}()
	i := slices.IndexFunc(trials, func(x trial) bool { return x.name == name })
	return trials[i].at(ctx, first, n.listen)
}

// A Host passes all cases.
func TestTrials(t *testing.T) {
	for _, x := range trials {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { require.NoError(t, play(t, t.Context(), true, x.name)) })
		})
	}
}

// A server that does not answer fails, and one that relays nothing.
func TestTrialsFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := &network{}
		_, _ = n.listen()
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		require.ErrorIs(t, trials[0].at(ctx, first, n.listen), context.DeadlineExceeded)
		require.ErrorContains(t, play(t, t.Context(), false, "chat"), "lines are missing")
	})
}
