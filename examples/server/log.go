package main

import "log/slog"

// logStranger logs what becomes of a client that is not in the game. Anybody can be one
// many times a second, so that these lines are limited: the next line tells how many were
// left out.
func (m *match) logStranger(p *player, message string, args ...any) {
	if !m.strangers.AllowN(m.now, 1) {
		m.unlogged++
		return
	}
	args = append([]any{"player", p}, args...)
	if m.unlogged > 0 {
		args = append(args, slog.Int("unlogged", m.unlogged))
		m.unlogged = 0
	}
	m.log.Info(message, args...)
}
