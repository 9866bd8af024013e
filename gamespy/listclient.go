package gamespy

import (
	"bytes"
	"io"
	"net/netip"
)

const (
	// maxLogin is the most that either side of a list sends before the list itself.
	maxLogin = 1024

	usualChallenge = 6 // bytes

	formCompact = "cmp"
	loginVer    = "1.6" // gamever of a login, unlike GameVer
)

// ListClient asks a master for the list of servers, by TCP. It says what to send and is
// told what comes:
//
//	master  \basic\\secure\LRPOPQ
//	client  \gamename\bcommander\gamever\1.6\location\0\validate\hMwdTNWS\final\\queryid\1.1\
//	client  \list\cmp\gamename\bcommander\final\
//	master  the list; then it closes
//
// The zero value is ready, for the game and the compact form. Use one per connection.
//
// Evidence: observed.
type ListClient struct {
	Key  string // for the challenge; "" means that of the game
	Text bool   // ask for the text form

	received []byte
	asked    bool
}

// Receive takes bytes of the master and returns what to send, if anything. It fails with
// [ErrNotText] if the master does not begin with a challenge, [ErrEnctype] or
// [ErrChallenge] if it begins with one of another kind, and [ErrLimit] if it sends too
// much.
func (c *ListClient) Receive(b []byte) (send []byte, err error) {
	limit := maxLogin
	if c.asked {
		limit = MaxText
	}
	if size := len(c.received) + len(b); size > limit {
		return nil, alone("answer of master", limit, tooMany(ErrLimit, size, "bytes", limit))
	}
	c.received = append(c.received, b...)
	if c.asked || len(c.received) == 0 {
		return nil, nil
	}
	m, err := Parse(c.received)
	if err != nil {
		return nil, err
	}
	if !challengeComplete(&m) {
		return nil, nil
	}
	c.asked, c.received = true, nil
	return c.login(m.Pairs)
}

// challengeComplete says whether a challenge has arrived: its end is not marked, unless
// something follows.
func challengeComplete(m *Message) bool {
	for i, p := range m.Pairs {
		if p.Key.is("secure") {
			return len(p.Value) >= usualChallenge || i < len(m.Pairs)-1 || m.Ending == Trailing
		}
	}
	return false
}

// login returns the login and the request.
func (c *ListClient) login(greeting Pairs) ([]byte, error) {
	if err := greeting.enctype(); err != nil {
		return nil, err
	}
	challenge, _ := greeting.Get("secure")
	answer, err := Validate(orKey(c.Key), string(challenge))
	if err != nil {
		return nil, err
	}
	b := []byte(`\gamename\` + GameName + `\gamever\` + loginVer + `\location\0\validate\`)
	b = append(b, answer...)
	b = append(b, `\final\\queryid\1.1\\list\`...)
	if !c.Text {
		b = append(b, formCompact...)
	}
	return append(b, `\gamename\`+GameName+finalText...), nil
}

// Whole says whether what came looks like a whole list. Masters close after it, and that
// is the safer sign: a compact list may have bytes in it that look like its end.
func (c *ListClient) Whole() bool {
	entries, ok := bytes.CutSuffix(c.received, []byte(finalText))
	return c.asked && ok && (c.Text || len(entries)%entrySize == 0)
}

// Servers returns the list when the master has closed. It fails as [ParseCompactList] or
// [ParseTextList] do, and with [io.ErrUnexpectedEOF] if there was no challenge.
func (c *ListClient) Servers() ([]netip.AddrPort, error) {
	switch {
	case !c.asked:
		return nil, alone("challenge", len(c.received), io.ErrUnexpectedEOF)
	case len(c.received) == 0:
		return nil, alone("list", 0, io.ErrUnexpectedEOF) // a master that does not like the login
	case c.Text:
		return ParseTextList(c.received)
	}
	return ParseCompactList(c.received)
}

func orKey(key string) string {
	if key == "" {
		return SecretKey
	}
	return key
}
