package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	ansi "github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"

	"github.com/bcwire/bcwire/examples/internal/terminal"
)

// watch looks again and again until it is interrupted.
func watch(ctx context.Context, o *options, stdout, stderr io.Writer) int {
	out := o.output(stdout)
	show := func(f *found) error { return report(out, f, stdout, stderr) }
	table, isTable := out.(*tableOutput)
	if f, ok := terminal.File(stdout); ok && isTable {
		s := &screen{w: stdout, size: func() (int, int, error) { return term.GetSize(int(f.Fd())) }}
		s.open()
		defer s.close()
		show = func(f *found) error { return s.show(table, f) }
	}
	for {
		f := o.find(ctx)
		if ctx.Err() != nil {
			return 0
		}
		if err := show(&f); err != nil {
			if !terminal.Closed(err) {
				terminal.Complain(stderr, "browse", err)
			}
			return exitFailed
		}
		select {
		case <-ctx.Done():
			return 0
		case <-time.After(o.every):
		}
	}
}

// screen shows one text after another in the same place.
type screen struct {
	w    io.Writer
	size func() (width, height int, err error)
}

// What a terminal does.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l\x1b[H" // another screen, without a cursor
	leaveScreen = "\x1b[?25h\x1b[?1049l"
	home        = "\x1b[H"
	clearLine   = "\x1b[K"
	clearRest   = "\x1b[J"
)

func (s *screen) open() { io.WriteString(s.w, enterScreen+"looking for servers...") }

func (s *screen) close() { io.WriteString(s.w, leaveScreen) }

// show replaces what is on the screen, of lines that do not wrap. It clears behind each, and
// not everything before, so that nothing flickers.
func (s *screen) show(out *tableOutput, f *found) error {
	width, height, err := s.size()
	if err != nil || width < 1 || height < 2 {
		width, height = 80, 24
	}
	out.width = width
	text, err := out.format(f)
	if err != nil {
		return err
	}
	if f.err != nil {
		var b strings.Builder
		terminal.Complain(&b, "browse", f.err)
		text += b.String()
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > height {
		more := fmt.Sprintf("... %d more lines", len(lines)-height+1)
		lines = append(lines[:height-1], more)
	}
	for i := range lines {
		lines[i] = ansi.Trim(lines[i], width) + clearLine
	}
	_, err = io.WriteString(s.w, home+strings.Join(lines, "\r\n")+clearRest)
	return err
}
