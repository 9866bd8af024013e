package gamespy_test

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/bcwire/bcwire/gamespy"
	"github.com/bcwire/bcwire/testdata"
)

// BenchmarkBar compares the parser with a split of the text at its backslashes, without
// pairs.
func BenchmarkBar(b *testing.B) {
	wire := status(b)
	b.Run("Parse", func(b *testing.B) {
		testdata.AtMost(b, testdata.Limit{Aim: 1.5}, func() { splitSink = strings.Split(string(wire), `\`) }, func() {
			if _, err := gamespy.Parse(wire); err != nil {
				b.Fatal(err)
			}
		})
	})
}

var splitSink []string

func BenchmarkParse(b *testing.B) {
	wire := status(b)
	testdata.Bytewise(b, wire, func() { _, _ = gamespy.Parse(wire) })
}

func BenchmarkReply(b *testing.B) {
	wire := status(b)
	from := netip.MustParseAddrPort("127.0.0.1:22101")
	var a gamespy.Assembler
	testdata.Bytewise(b, wire, func() {
		r, _, _ := a.Add(time.Time{}, from, wire)
		_ = r.Pairs.ServerInfo()
	})
}

func BenchmarkAnswer(b *testing.B) {
	info := gamespy.NewServerInfo("My Game23")
	from := netip.MustParseAddrPort("127.0.0.1:22101")
	query := []byte(`\status\`)
	now := time.Unix(1, 0)
	b.Run("allowed", func(b *testing.B) {
		var r gamespy.Responder
		b.ReportAllocs()
		for b.Loop() {
			now = now.Add(time.Second)
			if d, err := r.Answer(now, from, query, &info); d == nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("refused", func(b *testing.B) {
		var r gamespy.Responder
		for range 10 {
			_, _ = r.Answer(now, from, query, &info)
		}
		b.ReportAllocs()
		for b.Loop() {
			if d, _ := r.Answer(now, from, query, &info); d != nil {
				b.Fatal("answered")
			}
		}
	})
}

// status returns the captured reply of the game.
func status(t testing.TB) []byte {
	for _, v := range testdata.Load[vector](t, "gamespy.json") {
		if v.Name == "status-response" {
			return v.Hex
		}
	}
	t.Fatal("no such vector")
	return nil
}
