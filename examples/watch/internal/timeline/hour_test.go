package timeline

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// BenchmarkHour loads a match of an hour, and asks for parts of it.
func BenchmarkHour(b *testing.B) {
	name := filepath.Join(b.TempDir(), "hour.jsonl")
	out, err := exec.Command("go", "run", "../../../lab/hour", "-o", name).CombinedOutput()
	require.NoError(b, err, "%s", out)
	var s *Store
	b.Run("Load", func(b *testing.B) {
		for b.Loop() {
			s = load(b, Options{}, datagrams(b, name))
		}
		b.ReportMetric(float64(s.messages), "messages")
	})
	s = load(b, Options{}, datagrams(b, name))
	info, random := s.Info(), rand.New(rand.NewPCG(3, 4))
	for name, call := range map[string]func(n int) error{
		"Window": func(int) error {
			from := info.Start + random.Float64()*(info.End-info.Start-2)
			_, err := s.Window(info.Link, from, from+2, true)
			return err
		},
		"Message": func(int) error {
			_, err := s.Message(random.IntN(info.Messages))
			return err
		},
		"Rows": func(int) error {
			_, err := s.Messages(Query{From: random.IntN(info.Messages), Count: 100})
			return err
		},
		"FilterByName": func(n int) error {
			_, err := s.Messages(Query{Filter: Filter{Names: fmt.Sprint("TorpedoFire,", n)}, Count: 100})
			return err
		},
		"FilterByText": func(n int) error {
			messages(b, s, Query{Filter: Filter{Text: fmt.Sprintf("0x%04x", n)}, Count: 100})
			return nil
		},
	} {
		b.Run(name, func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				require.NoError(b, call(n))
			}
		})
	}
}
