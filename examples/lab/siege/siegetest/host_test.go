package siegetest_test

import (
	"testing"
	"time"

	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/examples/lab/siege/siegetest"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/transport/udp"
)

// bare starts a Host without a program, which follows the ships.
func bare(now time.Time, o join.HostOptions) siege.Server {
	o.Ships = stateupdate.Stock()
	host := join.NewHost(now, o)
	return siege.Server{Host: host, Handler: udp.Handler{Event: host.Handle, Tick: host.Tick}}
}

// A Host without a program holds against strangers with a socket, and against the players who attack it.

func TestSpoofedConnect(t *testing.T) { siegetest.SpoofedConnect(t, bare) }

func TestSpoofedConnectWithPeerID(t *testing.T) { siegetest.SpoofedConnectWithPeerID(t, bare) }

func TestRestart(t *testing.T) { siegetest.Restart(t, bare) }

func TestSpoofedPeerIDWhileJoining(t *testing.T) { siegetest.SpoofedPeerIDWhileJoining(t, bare) }

func TestSpoofedSessionsOfTheAddress(t *testing.T) { siegetest.SpoofedSessionsOfTheAddress(t, bare) }

func TestSquatters(t *testing.T) { siegetest.Squatters(t, bare) }

func TestCheapSessions(t *testing.T) { siegetest.CheapSessions(t, bare) }

func TestWrongNumbers(t *testing.T) { siegetest.WrongNumbers(t, bare) }

func TestReplay(t *testing.T) { siegetest.Replay(t, bare) }

func TestFullServer(t *testing.T) { siegetest.FullServer(t, bare) }

func TestForgedAddress(t *testing.T) { siegetest.ForgedAddress(t, bare) }

func TestRejoiners(t *testing.T) { siegetest.Rejoiners(t, bare) }

func TestPrograms(t *testing.T) { siegetest.Programs(t, bare, 0) }
