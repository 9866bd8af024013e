package match_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/match"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// recordings are the recorded matches. The lists were written by hand from their messages, as dump
// prints them with all bytes: each event with the time of the datagram that shows it first.
var recordings = map[string]struct {
	datagrams func(t testing.TB) []recording.Datagram
	roster    []string
	events    []string                // all kinds but fire, damage, collide and score
	counts    map[match.EventKind]int // of the other kinds
	scores    []string
}{
	"match": {
		testdata.Match,
		[]string{"2 0 [Ann] false", "3 1 [Cid] false", "4 2 [Ben] false"},
		[]string{
			"1.815 Ann joins", "1.816 Cid joins", "2.817 Ben joins",
			"2.817 Cid flies Sovereign", "2.867 Ann: hello", "2.867 Ann flies Akira", "3.817 Ben flies Bird of Prey",
			"10.507 Ann leaves (left)", "10.562 Ben leaves (left)", "11.512 Cid leaves (left)",
		},
		map[match.EventKind]int{match.Fire: 6},
		nil,
	},
	"battle": {
		testdata.Battle,
		[]string{"2 0 [Ann] false", "3 1 [Ben] false", "4 2 [Cid] false", "5 3 [Dee] false", "6 2 [Cid] false"},
		[]string{
			"0.332 Ann joins", "1.395 Ann flies Sovereign", "2.027 Ben joins", "3.029 Ben flies Warbird",
			"3.619 Cid joins", "4.631 Cid flies Bird of Prey", "5.227 Dee joins", "6.267 Dee flies Galor",
			"9.671 Ann: hello", "12.010 Ben: hi Ann", "16.062 Cid: today is a good day to die",
			"17.626 Dee destroys Cid (collision)", "18.684 Cid flies Bird of Prey",
			"20.208 Cid destroys Dee (collision)", "21.230 Dee flies Galor",
			"24.023 Dee: shields at 50%", "34.479 Cid: back in a minute", "35.507 Cid leaves (left)",
			"40.030 Ann: that was close", "44.002 Dee explodes: destroys itself", "45.095 Dee flies Galor",
			"48.319 Cid joins", "49.330 Cid flies Vor'cha", "52.026 Cid: re",
			"60.103 Ben: Qapla'!", "70.434 Dee: bye", "71.543 Dee leaves (left)", "77.628 Ann: good fight",
			"79.515 Cid leaves (left)", "79.515 Ann leaves (left)", "79.572 Ben leaves (left)",
		},
		map[match.EventKind]int{match.Fire: 87, match.Collide: 11},
		[]string{
			"Dee has 1 kills, 0 deaths, 1000 points", "Cid has 0 kills, 1 deaths, 0 points",
			"Cid has 1 kills, 1 deaths, 1000 points", "Dee has 1 kills, 1 deaths, 1000 points",
			"Dee has 1 kills, 2 deaths, 1000 points", "Cid has 1 kills, 1 deaths, 1000 points",
		},
	},
	"openbc": {
		testdata.OpenBC,
		[]string{"2 0 [G1-galaxy] true", "3 1 [G2-birdofprey] true"},
		[]string{
			"0.806 G1-galaxy joins", "1.807 G1-galaxy flies Galaxy", "4.304 G2-birdofprey joins", "5.305 G2-birdofprey flies Bird of Prey",
			"6.469 G1-galaxy destroys G2-birdofprey (collision)", "7.470 G2-birdofprey flies Bird of Prey",
			"8.289 G1-galaxy destroys G2-birdofprey (collision)", "9.289 G2-birdofprey flies Bird of Prey",
		},
		map[match.EventKind]int{match.Collide: 11},
		[]string{
			"G1-galaxy has 1 kills, 0 deaths, 700 points", "G2-birdofprey has 0 kills, 1 deaths, 0 points",
			"G1-galaxy has 2 kills, 0 deaths, 1400 points", "G2-birdofprey has 0 kills, 2 deaths, 0 points",
		},
	},
}

// follow passes datagrams of a recording to a Match, and returns the events.
func follow(m *match.Match, datagrams []recording.Datagram) (events []match.Event) {
	for _, d := range datagrams {
		for step := range m.Receive(deciphered(d)) {
			events = append(events, step.Events...)
		}
	}
	return append(events, m.Flush()...)
}

func deciphered(d recording.Datagram) match.Datagram {
	data := bytes.Clone(d.Data)
	if !transport.IsGameSpy(data) {
		cipher.Decrypt(data)
	}
	return match.Datagram{Time: d.Time(), Client: fmt.Sprint(d.Client), FromHost: d.Direction == recording.ToClient, Data: data}
}

// A capture that begins in the middle of a match shows who does what, by the peer ID, as one from the beginning does. A
// torpedo or a bolt shows who has a slot; all have fired one after 14.5 s.
func TestMiddleOfAMatch(t *testing.T) {
	deeds := func(from float64, client int64) map[string]int {
		m, found := match.Match{Events: true}, map[string]int{}
		for _, e := range follow(&m, slices.DeleteFunc(testdata.Battle(t), func(d recording.Datagram) bool {
			return d.Seconds < from || client > 0 && d.Client != client
		})) {
			if at := e.Time.Seconds(); at < 14.5 || at > 46.9 || !slices.Contains([]match.EventKind{match.Chat, match.Fire, match.Kill, match.Explode}, e.Kind) {
				continue
			}
			found[fmt.Sprint(e.Kind, " of ", e.Peer)]++
		}
		return found
	}
	for client := range int64(5) {
		want := deeds(0, client)
		require.GreaterOrEqual(t, len(want), 8)
		require.Equal(t, want, deeds(10, client), "client %d", client)
	}
}

// The roster, the chat, the kills and the other events of each recording are those in the bytes.
func TestRecordings(t *testing.T) {
	for name, r := range recordings {
		t.Run(name, func(t *testing.T) {
			m := match.Match{Events: true}
			var events, scores, roster []string
			counts := map[match.EventKind]int{}
			for _, e := range follow(&m, r.datagrams(t)) {
				switch e.Kind {
				case match.Score:
					scores = append(scores, e.String())
				case match.Fire, match.Collide:
					counts[e.Kind]++
				case match.Damage:
				default:
					events = append(events, fmt.Sprintf("%.3f %v", e.Time.Seconds(), &e))
				}
			}
			for p := range m.Players() {
				roster = append(roster, fmt.Sprintf("%v %v %v %v", p.PeerID, p.Slot, p.Names, p.InGame))
			}
			require.Equal(t, r.events, events)
			require.Equal(t, r.scores, scores)
			require.Equal(t, r.roster, roster)
			require.Equal(t, r.counts, counts)
		})
	}
}

// The damage of a recorded ship, once for both links: the host's blocks for the owner have each subsystem.
func TestRecordedDamage(t *testing.T) {
	m := match.Match{Events: true}
	var lines []string
	for _, e := range follow(&m, testdata.OpenBC(t)) {
		if e.Kind == match.Damage && (e.Part == "Hull" || strings.Contains(e.Part, "Torp") || e.Part == "Warp Core") {
			lines = append(lines, fmt.Sprintf("%.3f %v", e.Time.Seconds(), &e))
		}
	}
	require.Equal(t, []string{
		"6.602 G1-galaxy Hull: 100% to 86%", "6.602 G1-galaxy Warp Core: 100% to 71%",
		"6.701 G1-galaxy Torpedoes / Aft Torpedo 1: 100% to 16%", "6.701 G1-galaxy Torpedoes / Aft Torpedo 2: 100% to 16%",
		"8.388 G1-galaxy Hull: 86% to 28%", "8.388 G1-galaxy Warp Core: 71% to 0%",
		"8.487 G1-galaxy Torpedoes / Aft Torpedo 1: 16% to 0%", "8.487 G1-galaxy Torpedoes / Aft Torpedo 2: 16% to 0%",
		"9.478 G2-birdofprey Torpedoes / Fwd Torpedo: 100% to 0%", "10.171 G1-galaxy Hull: 28% to 0%",
	}, lines)
}

// Without a request there are no events, and the players are the same.
func TestEventsOnRequest(t *testing.T) {
	for name, r := range recordings {
		var m match.Match
		require.Empty(t, follow(&m, r.datagrams(t)))
		var roster []string
		for p := range m.Players() {
			roster = append(roster, fmt.Sprintf("%v %v %v %v", p.PeerID, p.Slot, p.Names, p.InGame))
		}
		require.Equal(t, r.roster, roster, name)
	}
}

// Read gives the same events as Receive.
func TestRead(t *testing.T) {
	for name, r := range recordings {
		datagrams := r.datagrams(t)
		want := match.Match{Events: true}
		m := match.Match{Events: true}
		var events []match.Event
		for step, err := range match.Read(bytes.NewReader(recorded(t, datagrams)), &m) {
			require.NoError(t, err)
			events = append(events, step.Events...)
		}
		require.Equal(t, follow(&want, datagrams), events, name)
	}
}

// recorded returns a recording of datagrams.
func recorded(t testing.TB, datagrams []recording.Datagram) (text []byte) {
	for _, d := range datagrams {
		var err error
		text, err = recording.Append(text, d)
		require.NoError(t, err)
	}
	return text
}

// ofKinds returns the events of some kinds in words, sorted, each once.
func ofKinds(events []match.Event, kinds ...match.EventKind) (lines []string) {
	for _, e := range events {
		if slices.Contains(kinds, e.Kind) {
			if e.Kind == match.Kill || e.Kind == match.Explode {
				e.Weapon, e.Reason = "", "" // the collision is on the link of the victim only
			}
			lines = append(lines, e.String())
		}
	}
	slices.Sort(lines)
	return lines
}

// announced are the kinds of events that every link carries.
var announced = []match.EventKind{match.Join, match.Leave, match.Ship, match.Chat, match.Kill, match.Explode}

// All links of a recording, each followed alone, have all events that the host announces to all, and no
// others.
func TestSplitByLink(t *testing.T) {
	for name, r := range recordings {
		links := map[int64][]recording.Datagram{}
		datagrams := r.datagrams(t)
		for _, d := range datagrams {
			links[d.Client] = append(links[d.Client], d)
		}
		m := match.Match{Events: true}
		want := slices.Compact(ofKinds(follow(&m, datagrams), announced...))
		var all []match.Event
		for _, link := range links {
			m := match.Match{Events: true}
			events := follow(&m, link)
			lines := ofKinds(events, announced...)
			require.Subset(t, want, lines, name+strings.Join(want, "\n")+"\n\n"+strings.Join(lines, "\n"))
			all = append(all, events...)
		}
		require.Equal(t, want, slices.Compact(ofKinds(all, announced...)), name)
	}
}
