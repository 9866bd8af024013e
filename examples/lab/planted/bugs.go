package main

// bugs are found in the syntax, so that they outlast changes around them. "planted -check" names those that do not.
var bugs = []bug{
	{"broadcaster-base-not-moved", "offsets of a position count from an older position", []change{{
		in:   "stateupdate.sent.motion",
		from: "e.base, e.positioned = s.Position, m.GameTime",
		to:   "e.positioned = m.GameTime",
	}}},
	{"broadcaster-owner-sees-all-as-own", "the owner of a ship gets all ships in the form of its own", []change{{
		in:   "stateupdate.Encoder.toOwner",
		from: "e.Receiver == s.PeerID",
		to:   "s.PeerID.Valid()",
	}}},
	{"broadcaster-subsystems-stand-still", "updates stay at the same subsystem", []change{{
		in:   "stateupdate.sent.walk",
		from: "e.next = s.Class.next(e.next)",
	}, {
		in:   "stateupdate.sent.walk",
		from: "w.End()",
		to:   "e.next = s.Class.next(e.next); w.End()",
	}}},
	{"client-ignores-deaths", "a client does not count a death without a killer", []change{{
		in: "join.peers.onScoreChange",
		from: `
			if q := p.know(m.VictimID); q != nil {
				q.Deaths = m.VictimDeaths
			}`,
		to: `
			if q := p.know(m.VictimID); q != nil && m.KillerID.Valid() {
				q.Deaths = m.VictimDeaths
			}`,
	}}},
	{"client-keeps-leavers", "a client keeps the players who leave", []change{{
		in:   "join.peers.onSystemLeave",
		from: "delete(p.known, id)",
		to:   "delete(p.known, objectid.NoPeer)",
	}, {
		in:   "join.peers.onGameLeave",
		from: "delete(p.known, id)",
		to:   "delete(p.known, objectid.NoPeer)",
	}}},
	{"hub-earlier-session-not-quiet", "an earlier session of an address sends on beside a new one", []change{{
		in:   "transport.Hub.quiet",
		from: "old.session.quiet(quietTime)",
		to:   "old.session.quiet(0)",
	}}},
	{"hub-earlier-session-stays", "a session does not replace an earlier one of its address", []change{{
		in:   "transport.Hub.makeRoom",
		from: "h.replace(old)",
	}}},
	{"hub-ended-session-counts", "a session that has ended counts as one of its network", []change{{
		in:   "transport.Hub.changed",
		from: "h.members.count(m, -1)",
	}}},
	{"join-leaver-not-announced", "the players are not told of one who times out", []change{{
		in:   "join.Host.leave",
		from: `h.logPlayer(m, "left", "how", end)`,
		to: `
			h.logPlayer(m, "left", "how", end)
			if end == transport.EndTimeout {
				return
			}`,
	}}},
	{"join-name-taken-twice", "two players get one name", []change{{
		in:   "join.Host.unique",
		from: "h.withName(unique) != nil",
		to:   "i < 0",
	}}},
	{"join-newcomer-not-named", "the players do not learn the name of a newcomer", []change{{
		in:   "join.Host.announce",
		from: "h.sendName(other, m, m.Name)",
	}}},
	{"join-others-not-named", "a newcomer does not learn the names of the players", []change{{
		in:   "join.Host.announce",
		from: "h.sendName(m, other, other.Name)",
	}}},
	{"join-rate-of-chat", "a player may not say two lines at once", []change{{
		in:   "join.newAccounts",
		from: "perSecond(2, 10)",
		to:   "perSecond(2, 0)",
	}}},
	{"join-relay-to-sender", "a message is relayed to its sender, too", []change{{
		in:   "join.Host.Relay",
		from: "h.send(m, from, h.others(from)...)",
		to:   "h.send(m, from, h.others(nil)...)",
	}}},
	{"join-restart-twice-in-the-log", "a restart is logged twice", []change{{
		in:   "join.Host.Restart",
		from: `h.log.Info("restart")`,
		to:   `h.log.Info("restart"); h.log.Info("restart")`,
	}}},
	{"join-round-stays-over", "after a restart, the round is still over", []change{{
		in:   "join.Host.begin",
		from: "h.over, h.started = false, h.clock.Now",
		to:   "h.started = h.clock.Now",
	}}},
	{"join-scores-not-sent", "a newcomer does not learn the scores", []change{{
		in:   "join.Host.enter",
		from: "h.Send(other.score(), m)",
		to:   "_ = other.score()",
	}}},
	{"join-scores-outlive-restart", "deaths count on after a restart", []change{{
		in:   "join.Host.begin",
		from: "m.Kills, m.Deaths, m.Points = 0, 0, 0",
		to:   "m.Kills, m.Points = 0, 0",
	}}},
	{"join-shot-of-slot", "a torpedo is that of the player whose peer ID follows from the slot", []change{{
		in:      "join.Member.sign",
		from:    "case *opcode.TorpedoFire: msg.PlayerID = m.PeerID",
		to:      "case *opcode.TorpedoFire: msg.PlayerID = objectid.PeerID(m.Slot) + 2",
		imports: "github.com/bcwire/bcwire/objectid",
	}}},
	{"join-slot-not-freed", "the slot of a client who leaves stays taken", []change{{
		in:   "join.Host.leave",
		from: "h.slots[i] = nil",
	}}},
	{"join-team-chat-to-all", "all players see the lines to a team", []change{{
		in:   "join.Host.Relay",
		from: "p.Team == from.Team",
		to:   "p.Team == from.Team || from.Slot > 0",
	}}},
	{"match-boot-about-others", "a Boot about another player ends the player of the link", []change{{
		in:   "match.Match.system",
		from: "!b.PeerID.Valid() || b.PeerID == l.self",
		to:   "b.PeerID.Valid()",
	}}},
	{"match-deaths-not-counted", "an observer counts a death too few", []change{{
		in:   "match.Link.onScores",
		from: "score{x.kills, g.VictimDeaths, x.points}",
		to:   "score{x.kills, max(x.deaths, g.VictimDeaths-1), x.points}",
	}}},
	{"match-late-shot-panics", "a shot of a ship that a restart has ended is a panic", []change{{
		in: "match.Link.shoot",
		from: `
			if from != nil {
				x.event.Ship, x.event.Class = from.id, from.class
			}`,
		to: `
			if weapon != objectid.None {
				x.event.Ship, x.event.Class = from.id, from.class
			}`,
	}}},
	{"match-lines-repeat", "an observer counts a message on several links as several", []change{{
		in:   "match.Link.hear",
		from: "a.find(key, place.at)",
		to:   "a.find(key+1, place.at)",
	}}},
	{"match-scores-outlive-restart", "for an observer, deaths count on after a restart", []change{{
		in:   "match.server.next",
		from: "p.Ship, p.Kills, p.Deaths, p.Score = objectid.None, 0, 0, 0",
		to:   "p.Ship, p.Kills, p.Score = objectid.None, 0, 0",
	}}},
	{"openbc-ack-not-widened", "an Ack of OpenBC stays a number modulo 256", []change{{
		in:   "transport.numbering.acknowledged",
		from: "return oldest + uint16(uint8(seq-oldest))",
		to:   "return seq",
	}}},
	{"openbc-late-number-is-next", "a late message of OpenBC looks like a later one", []change{{
		in:   "transport.numbering.received",
		from: "uint16(int16(int8(seq-expected)))",
		to:   "uint16(uint8(seq-expected))",
	}}},
	{"recorder-forgets-errors", "a recording does not report that the disk is full", []change{{
		in:   "capture.recordFile.fail",
		from: "f.err == nil",
		to:   "f.err == nil && f.limit > 0",
	}}},
	{"server-new-ship-without-updates", "the third ship of a player has no updates", []change{{
		in:   "game.Match.launch",
		from: "m.enlist(p)",
		to: `
			if p.Deaths > 1 {
				m.updates.RemoveShip(p.ship.ID)
			}
			m.enlist(p)`,
	}}},
	{"server-next-round-never-begins", "the pause between two rounds is an hour longer", []change{{
		in:   "game.Match.checkRound",
		from: "now >= m.restart",
		to:   "now > m.restart+time.Hour",
	}}},
	{"server-old-scores-after-restart", "a player who comes back has the score of an earlier round", []change{{
		in:   "game.Match.Restart",
		from: "clear(m.finished)",
	}}},
	{"server-players-in-browser", "a browser sees one player too many", []change{{
		in:   "game.Match.serverInfo",
		from: "len(players)",
		to:   "len(players) + 1",
	}}},
	{"server-score-not-broadcast", "the players do not learn of a death without a killer", []change{{
		in:   "game.Match.destroy",
		from: "m.Broadcast(change)",
		to: `
			if killer != nil {
				m.Broadcast(change)
			}`,
	}}},
	{"server-score-not-restored", "a player who comes back has no deaths", []change{{
		in:   "game.Match.restore",
		from: "p.Kills, p.Deaths, p.Points = p.Kills+before.Kills, p.Deaths+before.Deaths, p.Points+before.Points",
		to:   "p.Kills, p.Points = p.Kills+before.Kills, p.Points+before.Points",
	}}},
	{"server-ship-of-leaver-stays", "the ship of a player who leaves stays", []change{{
		in:   "game.Match.leave",
		from: "m.removeShip(p, m.Members()...)",
	}}},
	{"session-acks-stop", "one message of 64 is never acknowledged", []change{{
		in:   "transport.ackQueue.add",
		from: "q.unsent = append(q.unsent, a)",
		to: `
			if a.Seq%64 != 63 {
				q.unsent = append(q.unsent, a)
			}`,
	}}},
	{"session-buffers-in-wrong-order", "messages that come too early are buffered in the order of their arrival", []change{{
		in:   "transport.receiveChannel.insert",
		from: "slices.Insert(c.buffered, i, b)",
		to:   "append(c.buffered, b)",
	}}},
	{"session-delivers-duplicate", "the last message is delivered again if it comes again", []change{{
		in:   "transport.receiver.receive",
		from: "ahead < 0 || buffered",
		to:   "ahead < -1 || buffered",
	}}},
	{"session-duplicate-not-acknowledged", "a message that comes again is not acknowledged again", []change{{
		in:   "transport.receiver.receive",
		from: "r.acknowledge(now, m)",
	}}},
	{"session-fragment-ends-payload", "a fragment that is stored is taken for a whole payload", []change{{
		in:   "transport.receiver.receiveFragment",
		from: "v == VerdictStored",
		to:   "v == VerdictStored && later",
	}}},
	{"session-gives-up-retransmission", "a message is sent four times at most", []change{{
		in:   "transport.sender.schedule",
		from: "m.due = due",
		to: `
			if m.due = due; m.sends > 3 {
				m.due = forever
			}`,
	}}},
	{"session-keeps-acknowledged-messages", "messages that were acknowledged stay in memory", []change{{
		in:   "transport.sender",
		from: "options *Options",
		to:   "acked []*storedMessage; options *Options",
	}, {
		in:   "transport.sender.forget",
		from: "s.pool.put(m)",
		to:   "s.acked = append(s.acked, m)",
	}}},
	{"session-last-buffered-message-waits", "the last message that came too early is not delivered", []change{{
		in:   "transport.receiver.ready",
		from: "n < len(c.buffered)",
		to:   "n < len(c.buffered)-1",
	}}},
	{"session-queue-never-shrinks", "messages that were acknowledged count as queued", []change{{
		in:   "transport.sender.forget",
		from: "s.bytes -= len(m.wire)",
	}}},
	{"session-silence-timer-not-restarted", "a session times out although its peer sends", []change{{
		in:   "transport.lifecycle.heard",
		from: "l.heardAt, l.leavesAt = now, 0",
		to:   "l.leavesAt = 0",
	}}},
}
