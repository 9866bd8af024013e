package main

import (
	"testing"
	"time"

	"github.com/bcwire/bcwire/examples/lab/siege"
	"github.com/bcwire/bcwire/join"
	"github.com/bcwire/bcwire/transport/udp"
)

// besieged starts the server for the attacks of package siege.
func besieged(now time.Time, o join.HostOptions) siege.Server {
	m := newMatch(now, o)
	return siege.Server{Host: m.Host, Handler: udp.Handler{Event: m.Handle, Tick: m.tick}}
}

// Strangers with a socket attack the server, as they attack the program server.

func TestHostileSuite(t *testing.T) { siege.Suite(t, besieged) }

func TestHoursOfSiege(t *testing.T) { siege.Hours(t, besieged) }

func TestSpoofedConnect(t *testing.T) { siege.SpoofedConnect(t, besieged) }

func TestSpoofedConnectWithPeerID(t *testing.T) { siege.SpoofedConnectWithPeerID(t, besieged) }

func TestRestart(t *testing.T) { siege.Restart(t, besieged) }

func TestSpoofedPeerIDWhileJoining(t *testing.T) { siege.SpoofedPeerIDWhileJoining(t, besieged) }

func TestSpoofedSessionsOfTheAddress(t *testing.T) { siege.SpoofedSessionsOfTheAddress(t, besieged) }

func TestSquatters(t *testing.T) { siege.Squatters(t, besieged) }

func TestCheapSessions(t *testing.T) { siege.CheapSessions(t, besieged) }

func TestPasswordGuesses(t *testing.T) { siege.PasswordGuesses(t, besieged) }

func TestWrongNumbers(t *testing.T) { siege.WrongNumbers(t, besieged) }

func TestReplay(t *testing.T) { siege.Replay(t, besieged) }

func TestDisturbedPath(t *testing.T) { siege.DisturbedPath(t, besieged) }

func TestFullServer(t *testing.T) { siege.FullServer(t, besieged) }

func TestForgedAddress(t *testing.T) { siege.ForgedAddress(t, besieged) }

func TestOpenBCClient(t *testing.T) { siege.OpenBC(t, besieged) }
