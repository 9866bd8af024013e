package gamespy

import (
	"bytes"
	"strconv"
)

// part is a datagram of a reply without its frame:
//
//	text\queryid\N.M           not the last part
//	text\final\\queryid\N.M    the last part, as the game sends it
//	text\queryid\N.M\final\    the last part, as other servers send it
//	text\final\                the only part
//
// A backslash may follow N.M. Only a final at the end counts, because a player may be
// called final.
type part struct {
	text   []byte
	number uint32 // N, the number of the reply
	index  int    // M, from 1; 0 without queryid
	final  bool
}

func parsePart(datagram []byte) part {
	p := part{text: datagram}
	if i := bytes.LastIndex(datagram, []byte(queryidText)); i >= 0 {
		id, last := bytes.CutSuffix(datagram[i+len(queryidText):], []byte(finalText))
		if !last {
			id = bytes.TrimSuffix(id, []byte(`\`))
		}
		if p.id(id) {
			p.text, p.final = datagram[:i], last
		}
	}
	if text, last := bytes.CutSuffix(p.text, []byte(finalText)); last {
		p.text, p.final = text, true
	}
	return p
}

// id parses N.M.
func (p *part) id(id []byte) bool {
	before, after, ok := bytes.Cut(id, []byte("."))
	number, err := strconv.ParseUint(string(before), 10, 32)
	index, err2 := strconv.ParseUint(string(after), 10, 32)
	if !ok || err != nil || err2 != nil || index < 1 || index > MaxParts {
		return false
	}
	p.number, p.index = uint32(number), int(index)
	return true
}
