package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/bcwire/bcwire/transport/recording"
)

// repeatBattle writes the recorded battle n times, one after the other, and calls each after every
// one. Later battles have later times and other clients, of which there are 250 at most.
func repeatBattle(w io.Writer, n int, each func(i int)) error {
	text, err := os.ReadFile(battleFile)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	var line []byte
	for i := range n {
		for d, err := range recording.Read(bytes.NewReader(text)) {
			if err != nil {
				return err
			}
			d.Seconds += 80 * float64(i)
			d.Client += 5 * int64(i%50)
			if line, err = recording.Append(line[:0], d); err != nil {
				return err
			}
			if _, err := out.Write(line); err != nil {
				return err
			}
		}
		if err := out.Flush(); err != nil {
			return err
		}
		each(i)
	}
	return nil
}

// counter counts the bytes of an output.
type counter int64

func (c *counter) Write(b []byte) (int, error) {
	*c += counter(len(b))
	return len(b), nil
}

// BenchmarkMessages decodes and writes a recording with -json and with -parquet. The values are per
// million messages.
func BenchmarkMessages(b *testing.B) {
	const battles, messages = 4, 4 * 13_086
	var text bytes.Buffer
	if err := repeatBattle(&text, battles, func(int) {}); err != nil {
		b.Fatal(err)
	}
	file := filepath.Join(b.TempDir(), "x.parquet")
	dump := func(args ...string) (size int64, took time.Duration) {
		var out counter
		start := time.Now()
		if status := run(context.Background(), append(args, "-"), bytes.NewReader(text.Bytes()), &out, os.Stderr); status != 0 {
			b.Fatal("exit status ", status)
		}
		took = time.Since(start)
		if info, err := os.Stat(file); err == nil && out == 0 {
			return info.Size(), took
		}
		return int64(out), took
	}
	report := func(b *testing.B, size int64) {
		const million = 1e6 / messages
		b.ReportMetric(float64(size)*million/1e6, "MB/million")
		b.ReportMetric(b.Elapsed().Seconds()/float64(b.N)*million, "s/million")
	}
	b.Run("json", func(b *testing.B) {
		var size int64
		for b.Loop() {
			size, _ = dump("-json")
		}
		report(b, size)
	})
	b.Run("parquet", func(b *testing.B) {
		var size int64
		for b.Loop() {
			size, _ = dump("-tables", "messages", "-parquet", file)
		}
		report(b, size)
		least := [2]float64{math.Inf(1), math.Inf(1)}
		for range 5 {
			for i, args := range [][]string{{"-tables", "messages", "-parquet", file}, {"-json"}} {
				_, took := dump(args...)
				least[i] = min(least[i], took.Seconds())
			}
		}
		b.ReportMetric(least[0]/least[1], "ratio")
	})
}
