package game

import (
	"testing"

	"github.com/bcwire/bcwire/examples/lab/siege"
)

// Strangers with a socket attack a match. The rows of .github/SECURITY.md name these tests.

func TestHostileSuite(t *testing.T) { siege.Suite(t, start) }

func TestHoursOfSiege(t *testing.T) { siege.Hours(t, start) }

func TestSpoofedConnect(t *testing.T) { siege.SpoofedConnect(t, start) }

func TestSpoofedConnectWithPeerID(t *testing.T) { siege.SpoofedConnectWithPeerID(t, start) }

func TestRestart(t *testing.T) { siege.Restart(t, start) }

func TestSpoofedPeerIDWhileJoining(t *testing.T) { siege.SpoofedPeerIDWhileJoining(t, start) }

func TestSpoofedSessionsOfTheAddress(t *testing.T) { siege.SpoofedSessionsOfTheAddress(t, start) }

func TestSquatters(t *testing.T) { siege.Squatters(t, start) }

func TestCheapSessions(t *testing.T) { siege.CheapSessions(t, start) }

func TestPasswordGuesses(t *testing.T) { siege.PasswordGuesses(t, start) }

func TestGuessedPeerID(t *testing.T) { siege.GuessedPeerID(t, start) }

func TestWrongNumbers(t *testing.T) { siege.WrongNumbers(t, start) }

func TestReplay(t *testing.T) { siege.Replay(t, start) }

func TestDisturbedPath(t *testing.T) { siege.DisturbedPath(t, start) }

func TestFullServer(t *testing.T) { siege.FullServer(t, start) }

func TestForgedAddress(t *testing.T) { siege.ForgedAddress(t, start) }

func TestOpenBCClient(t *testing.T) { siege.OpenBC(t, start) }
