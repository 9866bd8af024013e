package capture

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// A capture that grows gives each datagram when its packet is whole, also if a block is written in two parts.
func TestFollow(t *testing.T) {
	all := recordedMatch(t)
	var file bytes.Buffer
	w := NewWriter(&file)
	for i := range all {
		require.NoError(t, w.Write(&all[i]))
	}
	require.NoError(t, w.Flush())
	text := file.Bytes()
	name := filepath.Join(t.TempDir(), "growing.pcapng")
	writer, err := os.Create(name)
	require.NoError(t, err)
	defer writer.Close()
	reader, err := os.Open(name)
	require.NoError(t, err)
	defer reader.Close()
	synctest.Test(t, func(t *testing.T) {
		ctx, interrupt := context.WithCancel(t.Context())
		read, end := make(chan Datagram, len(all)), make(chan error, 1)
		go func() {
			for d, err := range (&Opener{Follow: true}).NewReader(ctx, "growing", reader).Datagrams() {
				if err != nil {
					end <- err
					return
				}
				d.Data = bytes.Clone(d.Data)
				read <- *d
			}
		}()
		const parts = 10
		for i := range parts {
			_, err := writer.Write(text[len(text)*i/parts : len(text)*(i+1)/parts])
			require.NoError(t, err)
			time.Sleep(time.Second)
			synctest.Wait()
			require.Greater(t, len(read), len(all)*i/parts)
		}
		require.Len(t, read, len(all))
		interrupt()
		require.ErrorIs(t, <-end, context.Canceled)
		close(read)
		requireData(t, all, slices.Collect(func(yield func(Datagram) bool) {
			for d := range read {
				yield(d)
			}
		}))
	})
}
