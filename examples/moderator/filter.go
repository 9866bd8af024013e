package main

import (
	"bytes"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stream"
	"github.com/bcwire/bcwire/transport"
)

// filter moderates the datagrams of one player.
type filter struct {
	pass   bool      // malformed datagrams
	split  []*pieces // messages in fragments, the newest last
	stored int       // bytes of their fragments
}

// Limits of the fragments of a player. The game sends the longest messages, lists of files, one by one.
const (
	maxSplit  = 16
	maxStored = 128 << 10
)

// pieces are the fragments of a message. All of them are relayed as they were judged, or none: a
// player must not exchange a fragment afterwards.
type pieces struct {
	seq    uint16
	all    map[uint8]transport.Message
	total  int // 0 until the first fragment has arrived
	judged bool
}

// relay returns the datagrams to relay in place of an enciphered datagram.
func (f *filter) relay(datagram []byte) [][]byte {
	if transport.IsGameSpy(datagram) {
		return [][]byte{datagram}
	}
	plain := bytes.Clone(datagram)
	cipher.Decrypt(plain)
	var p transport.Packet
	err := p.UnmarshalBinary(plain)
	var more [][]byte
	if err == nil {
		more, err = f.moderate(&p)
	}
	switch {
	case err == nil:
		return more
	case f.pass:
		return [][]byte{datagram}
	}
	return nil
}

// moderate returns the enciphered datagrams to relay in place of a datagram.
func (f *filter) moderate(p *transport.Packet) (datagrams [][]byte, err error) {
	var kept, others []transport.Message // others are the other fragments of a complete message
	for _, m := range p.Messages {
		switch {
		case m.Type != transport.TypeData:
		case m.Fragment:
			fragments := f.judge(&m)
			if len(fragments) == 0 {
				continue
			}
			m, others = fragments[0], append(others, fragments[1:]...)
		default:
			m.Body = censor(m.Body)
		}
		kept = append(kept, m)
	}
	if len(kept) > 0 || len(p.Messages) == 0 {
		p.Messages = kept
		datagrams, err = appendPacket(nil, p)
	}
	for i := range others {
		if err == nil {
			datagrams, err = appendPacket(datagrams, &transport.Packet{PeerID: p.PeerID, Messages: others[i : i+1]})
		}
	}
	return datagrams, err
}

func appendPacket(datagrams [][]byte, p *transport.Packet) ([][]byte, error) {
	d, err := p.MarshalBinary()
	if err != nil {
		return nil, err
	}
	cipher.Encrypt(d)
	return append(datagrams, d), nil
}

// judge returns the fragments to relay when one has arrived, this one first: none before all have
// arrived, then all, and later this one again, as it was judged.
func (f *filter) judge(m *transport.Message) (fragments []transport.Message) {
	s := f.piecesOf(m.Seq)
	if _, ok := s.all[m.FragIndex]; !ok && !s.judged && f.stored+len(m.Body) <= maxStored {
		m.Body = bytes.Clone(m.Body)
		s.all[m.FragIndex] = *m
		f.stored += len(m.Body)
		if m.FragIndex == 0 {
			s.total = int(m.FragTotal)
		}
	}
	again, ok := s.all[m.FragIndex]
	switch {
	case s.judged && ok:
		return []transport.Message{again}
	case s.judged || !s.complete():
		return nil
	}
	s.censor()
	fragments = append(fragments, s.all[m.FragIndex])
	for i := range s.total {
		if i != int(m.FragIndex) {
			fragments = append(fragments, s.all[uint8(i)])
		}
	}
	return fragments
}

// piecesOf returns the fragments of a message. The fragments of the oldest message make room for those
// of a new one.
func (f *filter) piecesOf(seq uint16) *pieces {
	if i := slices.IndexFunc(f.split, func(s *pieces) bool { return s.seq == seq }); i >= 0 {
		return f.split[i]
	}
	if len(f.split) == maxSplit {
		for _, m := range f.split[0].all {
			f.stored -= len(m.Body)
		}
		f.split = slices.Delete(f.split, 0, 1)
	}
	s := &pieces{seq: seq, all: map[uint8]transport.Message{}}
	f.split = append(f.split, s)
	return s
}

// complete reports whether all fragments have arrived, and no others.
func (s *pieces) complete() bool {
	for i := range s.total {
		if _, ok := s.all[uint8(i)]; !ok {
			return false
		}
	}
	return s.total > 0 && len(s.all) == s.total
}

// censor judges the message. A censored one has as many fragments, because the player waits for as many
// Acks. If it is too short for them, it gets zeros at its end.
func (s *pieces) censor() {
	s.judged = true
	var payload []byte
	for i := range s.total {
		payload = append(payload, s.all[uint8(i)].Body...)
	}
	censored := censor(payload)
	if bytes.Equal(censored, payload) {
		return
	}
	censored = append(censored, make([]byte, max(0, s.total-len(censored)))...)
	for i := range s.total {
		m := s.all[uint8(i)]
		m.Body = censored[i*len(censored)/s.total : (i+1)*len(censored)/s.total]
		s.all[uint8(i)] = m
	}
}

var swearing = regexp.MustCompile(`(?i)\b(petaq|veruul|frak)\b`)

// censor returns the payload to send in place of a payload: a RequestObject without an object in place
// of a line that is dropped. The game reads a line with bytes after it, so censor does, too. It drops a
// line that is malformed otherwise.
func censor(payload []byte) []byte {
	if len(payload) == 0 || payload[0] != byte(opcode.OpChatMessage) && payload[0] != byte(opcode.OpTeamChatMessage) {
		return payload
	}
	var line *stream.Text
	msg, err := opcode.Decode(payload)
	switch msg := msg.(type) {
	case *opcode.ChatMessage:
		line = &msg.Text
	case *opcode.TeamChatMessage:
		line = &msg.Text
	}
	if line != nil && (err == nil || errors.Is(err, stream.ErrTrailing)) {
		before := line.String()
		text := swearing.ReplaceAllString(before, "***")
		shouts := len(text) > 5 && text == strings.ToUpper(text) && text != strings.ToLower(text)
		if !shouts && text == before {
			return payload
		}
		*line = stream.Lossy(text)
		if censored, err := opcode.Marshal(msg); err == nil && !shouts {
			return censored
		}
	}
	dropped, _ := opcode.Marshal(&opcode.RequestObject{}) // a constant, which encodes
	return dropped
}
