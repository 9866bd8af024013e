package siegetest_test

import (
	"testing"
	"time"

	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/examples/lab/siege/siegetest"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/transport/udp"
)

// bare starts a Host without a program.
func bare(now time.Time, o join.HostOptions) siege.Server {
	host := join.NewHost(now, o)
	return siege.Server{Host: host, Handler: udp.Handler{Event: host.Handle, Tick: host.Tick}}
}

// A Host without a program holds against the players who attack it.

func TestRejoiners(t *testing.T) { siegetest.Rejoiners(t, bare) }

func TestPrograms(t *testing.T) { siegetest.Programs(t, bare, 0) }
