package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/examples/internal/show"
	"github.com/bcwire/bcwire/transport/recording"
)

// parseJSON reads a line of a recording.
func parseJSON(line string) (*show.Datagram, error) {
	var v recording.Line
	if err := json.Unmarshal([]byte(line), &v); err != nil {
		return nil, jsonError(err)
	}
	if v.Hex == nil {
		return nil, errNoHex
	}
	data, err := parseHex(*v.Hex, 0)
	if err != nil {
		return nil, fmt.Errorf("hex: %w", err)
	}
	d := &show.Datagram{Time: v.T, Dir: v.Dir, Data: data}
	if v.Client != nil {
		d.Client = strconv.FormatInt(*v.Client, 10)
	}
	return d, nil
}

// jsonError adds the column, if the error knows it.
func jsonError(err error) error {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return fmt.Errorf("column %d: %w", syntax.Offset, err)
	}
	return err
}

// parseHexLine reads a line of hex text.
func parseHexLine(line string) (*show.Datagram, error) {
	line, _, _ = strings.Cut(line, "#")
	dir, start := cutDirection(line)
	data, err := parseHex(line, start)
	if err != nil {
		return nil, err
	}
	if len(data) == 0 {
		return nil, errNoHex
	}
	return &show.Datagram{Dir: dir, Data: data}, nil
}

// cutDirection returns the direction that a line begins with, if it does, and where the
// rest begins.
func cutDirection(line string) (recording.Direction, int) {
	start := len(line) - len(strings.TrimLeft(line, " \t"))
	for _, dir := range []recording.Direction{recording.ToServer, recording.ToClient} {
		rest, ok := strings.CutPrefix(line[start:], string(dir))
		if ok && (rest == "" || rest[0] == ' ' || rest[0] == '\t') {
			return dir, len(line) - len(rest)
		}
	}
	return "", start
}
