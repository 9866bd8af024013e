package main

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// vectorProblems returns the rows that have no vector, and the vectors that contradict the rows.
func vectorProblems(root string, rows []row) (all []error) {
	names := map[string]string{}
	for _, r := range rows {
		if !r.dead() {
			names[r.opcode] = r.name
		}
	}
	covered := map[string]bool{}
	for _, file := range vectorFiles {
		text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return append(all, err)
		}
		var vectors []struct{ Name, Hex, Opcode, Message, Error string }
		if err := json.Unmarshal(text, &vectors); err != nil {
			return append(all, fmt.Errorf("%s:%d: %w", file, lineOf(text, err), err))
		}
		for _, v := range vectors {
			payload, err := hex.DecodeString(v.Hex)
			first := "0x" + strings.ToUpper(v.Hex[:min(2, len(v.Hex))])
			switch {
			case err != nil:
				all = append(all, fmt.Errorf("%s: %s: %w", file, v.Name, err))
			case len(payload) > 0 && first != v.Opcode:
				all = append(all, fmt.Errorf("%s: %s: opcode is %s, but the first byte is %s", file, v.Name, v.Opcode, first))
			case names[v.Opcode] != "" && names[v.Opcode] != v.Message:
				all = append(all, fmt.Errorf("%s: %s: message is %s, but %s is %s in %s", file, v.Name, v.Message, v.Opcode, names[v.Opcode], messagesFile))
			case v.Error == "":
				covered[v.Opcode] = true
			}
		}
	}
	if len(all) > 0 {
		return all
	}
	for _, r := range rows {
		if !r.dead() && !covered[r.opcode] {
			all = append(all, fmt.Errorf("%s has no vector for %s (%s): add one, or one that was captured to %s", vectorsFile, r.name, r.opcode, vectorFiles[0]))
		}
	}
	return all
}

// lineOf returns the number of the line with a mistake in JSON.
func lineOf(text []byte, err error) int {
	var offset int64
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		offset = e.Offset
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		offset = e.Offset
	}
	return bytes.Count(text[:offset], []byte("\n")) + 1
}
