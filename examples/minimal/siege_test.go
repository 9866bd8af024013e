package main

import (
	"testing"
	"time"

	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/examples/lab/siege/siegetest"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/transport/udp"
)

// besieged starts the server for the attacks of package siege.
func besieged(now time.Time, o join.HostOptions) siege.Server {
	host := newHost(now, o)
	return siege.Server{Host: host, Handler: udp.Handler{Event: host.Handle, Tick: host.Tick}}
}

// Strangers with a socket attack the server, as they attack the program server.

func TestHostileSuite(t *testing.T) { siegetest.Suite(t, besieged) }

func TestHoursOfSiege(t *testing.T) { siegetest.Hours(t, besieged) }

func TestSpoofedConnect(t *testing.T) { siegetest.SpoofedConnect(t, besieged) }

func TestSpoofedConnectWithPeerID(t *testing.T) { siegetest.SpoofedConnectWithPeerID(t, besieged) }

func TestRestart(t *testing.T) { siegetest.Restart(t, besieged) }

func TestSpoofedPeerIDWhileJoining(t *testing.T) { siegetest.SpoofedPeerIDWhileJoining(t, besieged) }

func TestSpoofedSessionsOfTheAddress(t *testing.T) {
	siegetest.SpoofedSessionsOfTheAddress(t, besieged)
}

func TestSquatters(t *testing.T) { siegetest.Squatters(t, besieged) }

func TestCheapSessions(t *testing.T) { siegetest.CheapSessions(t, besieged) }

func TestPasswordGuesses(t *testing.T) { siegetest.PasswordGuesses(t, besieged) }

func TestWrongNumbers(t *testing.T) { siegetest.WrongNumbers(t, besieged) }

func TestReplay(t *testing.T) { siegetest.Replay(t, besieged) }

func TestDisturbedPath(t *testing.T) { siegetest.DisturbedPath(t, besieged) }

func TestFullServer(t *testing.T) { siegetest.FullServer(t, besieged) }

func TestForgedAddress(t *testing.T) { siegetest.ForgedAddress(t, besieged) }

func TestOpenBCClient(t *testing.T) { siegetest.OpenBC(t, besieged) }

func TestRejoiners(t *testing.T) { siegetest.Rejoiners(t, besieged) }

func TestPrograms(t *testing.T) { siegetest.Programs(t, besieged, 16) }
