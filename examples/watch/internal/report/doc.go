// Package report computes what happened in a match: scores, kills, highlights, maps and plots. It returns a report as
// HTML, for the page and for files, and its tables as CSV.
//
//	var b report.Builder
//	for step := range m.Receive(datagram) { // a match.Match with Events
//		b.Add(step, number)
//	}
//	for _, s := range b.Summaries() {
//		fmt.Println(s.Players, s.Deaths, b.Report(s.Match).Highlights)
//	}
//
// It does no input or output. The steps of package match are its only source, so that the report, dump -events
// and the page count the same events.
//
// # Figures
//
// Each restart begins another match with a report of its own. A player who leaves and joins again with the same
// name continues the same line, as on the host.
//
//	kills, deaths     announced deaths in the recording
//	told              kills, deaths and score as the host has last announced them
//	shots             phasers, pulses and torpedoes, without tractor beams
//	shields, hull     points that the player's ships have lost there. Repairs and charging do not count.
//	given             points that other ships have lost by the player. No message names the cause of damage: see
//	                  the field Killer of match.Event. With the host's log of damage, the points of the player's
//	                  hits.
//	alive             seconds from the creation or the first motion of each ship until its end
//	ping              mean time from a message to its Ack in milliseconds: to the client and back, plus to the
//	                  host and back, as seen from the place of the capture. It includes delays of both sides.
//
// A value is unknown without its source: ping needs the player's link, points need the class of the ship, and
// OpenBC sends no shields.
//
// # Highlights
//
//	first kill        the first kill of the match
//	several kills     two or more kills of a player, each at most 30 s after the last
//	close fight       a kill with a hull of at most 25 %
//	revenge           a kill of the last killer, at most 60 s after dying
//	series            3, 5, 10 or more kills without a death
//	heaviest damage   the ten seconds in which a player has lost the most points
//
// # Limits
//
// A Builder keeps 16 matches, the last ones. A match has at most 64 players, 1,000 kills, 100 highlights, 8 star
// systems, and 600 samples of each player. A sample is taken every half second. A list that is full keeps every
// other sample, and the distance doubles. Names and weapons have at most 80 bytes. Places more than 50,000 units
// from the centre are not on a map.
package report
