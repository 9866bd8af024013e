package game

import (
	"testing"

	"github.com/bcwire/bcwire/examples/lab/siege/siegetest"
)

// Strangers with a socket attack a match. The rows of .github/SECURITY.md name these tests.

func TestHostileSuite(t *testing.T) { siegetest.Suite(t, start) }

func TestHoursOfSiege(t *testing.T) { siegetest.Hours(t, start) }

func TestSpoofedConnect(t *testing.T) { siegetest.SpoofedConnect(t, start) }

func TestSpoofedConnectWithPeerID(t *testing.T) { siegetest.SpoofedConnectWithPeerID(t, start) }

func TestRestart(t *testing.T) { siegetest.Restart(t, start) }

func TestSpoofedPeerIDWhileJoining(t *testing.T) { siegetest.SpoofedPeerIDWhileJoining(t, start) }

func TestSpoofedSessionsOfTheAddress(t *testing.T) { siegetest.SpoofedSessionsOfTheAddress(t, start) }

func TestSquatters(t *testing.T) { siegetest.Squatters(t, start) }

func TestCheapSessions(t *testing.T) { siegetest.CheapSessions(t, start) }

func TestPasswordGuesses(t *testing.T) { siegetest.PasswordGuesses(t, start) }

func TestGuessedPeerID(t *testing.T) { siegetest.GuessedPeerID(t, start) }

func TestWrongNumbers(t *testing.T) { siegetest.WrongNumbers(t, start) }

func TestReplay(t *testing.T) { siegetest.Replay(t, start) }

func TestDisturbedPath(t *testing.T) { siegetest.DisturbedPath(t, start) }

func TestFullServer(t *testing.T) { siegetest.FullServer(t, start) }

func TestForgedAddress(t *testing.T) { siegetest.ForgedAddress(t, start) }

func TestOpenBCClient(t *testing.T) { siegetest.OpenBC(t, start) }

func TestRejoiners(t *testing.T) { siegetest.Rejoiners(t, start) }

func TestPrograms(t *testing.T) { siegetest.Programs(t, start, 16) }
