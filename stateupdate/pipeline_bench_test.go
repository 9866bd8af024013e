package stateupdate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bcwire/bcwire/cipher"
	"github.com/bcwire/bcwire/opcode"
	"github.com/bcwire/bcwire/stateupdate"
	"github.com/bcwire/bcwire/testdata"
	"github.com/bcwire/bcwire/transport"
	"github.com/bcwire/bcwire/transport/recording"
)

// pipeline processes the datagrams of a match like a proxy, each link separately.
type pipeline struct {
	datagrams []datagram
	links     []*link
	buf       []byte
	size      int
	messages  int
	created   int
	failed    int
}

type datagram struct {
	wire      []byte
	link      *link
	fragments *transport.Reassembler // of one direction
}

type link struct {
	fromHost, toHost transport.Reassembler
	decoder          opcode.Decoder
	tracker          stateupdate.Tracker
}

func newPipeline(datagrams []recording.Datagram) *pipeline {
	p := &pipeline{buf: make([]byte, 2048)}
	for _, d := range datagrams {
		for len(p.links) < int(d.Client) {
			p.links = append(p.links, new(link))
		}
		l := p.links[d.Client-1]
		fragments := &l.toHost
		if d.Direction == recording.ToClient {
			fragments = &l.fromHost
		}
		p.datagrams = append(p.datagrams, datagram{d.Data, l, fragments})
		p.size += len(d.Data)
	}
	return p
}

func (p *pipeline) decipher() {
	for i := range p.datagrams {
		cipher.Decrypt(p.buf[:copy(p.buf, p.datagrams[i].wire)])
	}
}

// frame also deciphers.
func (p *pipeline) frame(each func(l *link, payload []byte)) {
	p.messages = 0
	for i := range p.datagrams {
		d := &p.datagrams[i]
		b := p.buf[:copy(p.buf, d.wire)]
		cipher.Decrypt(b)
		for m, err := range transport.Messages(b) {
			p.messages++
			if err != nil {
				p.failed++
				continue
			}
			if m.Type != transport.TypeData {
				continue
			}
			if payload, verdict, _ := d.fragments.Add(time.Time{}, m); verdict == transport.VerdictComplete {
				each(d.link, payload)
			}
		}
	}
}

func (p *pipeline) decode(l *link, payload []byte) {
	if _, err := l.decoder.Decode(payload); err != nil {
		p.failed++
	}
}

func (p *pipeline) track(l *link, payload []byte) {
	m, err := l.decoder.Decode(payload)
	var change stateupdate.Change
	if err == nil {
		change, err = l.tracker.Apply(m)
	}
	if err != nil {
		p.failed++
	}
	if change.Created {
		p.created++
	}
}

// restart removes all ships and partial payloads.
func (p *pipeline) restart() {
	for _, l := range p.links {
		l.tracker.Reset()
		l.toHost, l.fromHost = transport.Reassembler{}, transport.Reassembler{}
	}
}

// BenchmarkPipeline processes the datagrams of a recorded match. Each benchmark has one more
// stage than the one before.
func BenchmarkPipeline(b *testing.B) {
	p := newPipeline(testdata.Match(b))
	for _, stage := range []struct {
		name string
		run  func()
	}{
		{"Decipher", p.decipher},
		{"Frame", func() { p.frame(func(*link, []byte) {}) }},
		{"Decode", func() { p.frame(p.decode) }},
		{"Track", func() { p.restart(); p.frame(p.track) }},
	} {
		b.Run(stage.name, func(b *testing.B) {
			b.SetBytes(int64(p.size))
			b.ReportAllocs()
			for b.Loop() {
				stage.run()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(p.datagrams)), "ns/datagram")
		})
	}
}

// The stages of the benchmark process all messages, and all stages before tracking do not
// allocate.
func TestPipeline(t *testing.T) {
	p := newPipeline(testdata.Match(t))
	payloads := 0
	p.frame(func(*link, []byte) { payloads++ })
	p.restart()
	p.frame(p.track)
	require.Zero(t, p.failed)
	require.Greater(t, p.messages, 1100)
	require.Greater(t, payloads, 950)
	require.Equal(t, 3*3, p.created, "created ships on all links")
	require.Zero(t, testing.AllocsPerRun(10, func() { p.frame(p.decode) }))
}
