package gamespy

import (
	"bytes"
	"io"
	"net/netip"
)

const (
	// maxLogin limits the bytes that each side sends before the list.
	maxLogin = 1024

	usualChallenge = 6 // bytes

	formCompact = "cmp"
	loginVer    = "1.6" // gamever in a login, different from gameVer
)

// A ListClient requests the list of servers on one TCP connection. The zero value is ready to use:
//
//	master  \basic\\secure\LRPOPQ
//	client  \gamename\bcommander\gamever\1.6\location\0\validate\hMwdTNWS\final\\queryid\1.1\
//	client  \list\cmp\gamename\bcommander\final\
//	master  the list, then closes the connection
type ListClient struct {
	Key  string // key of the challenge; "" means SecretKey
	Text bool   // requests the text form in place of the compact form

	received []byte
	asked    bool
}

// Receive takes bytes from the master and returns the bytes to send, or nil. It returns
// [ErrNotText], or an error wrapping [ErrEnctype], [ErrChallenge] or [ErrLimit].
func (c *ListClient) Receive(b []byte) (send []byte, err error) {
	limit := maxLogin
	if c.asked {
		limit = MaxText
	}
	if size := len(c.received) + len(b); size > limit {
		return nil, alone("master's answer", limit, tooMany(ErrLimit, size, "bytes", limit))
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

// challengeComplete reports whether a complete challenge has arrived. A challenge at the
// end of the text has no end mark.
func challengeComplete(m *Message) bool {
	for i, p := range m.Pairs {
		if p.Key.is("secure") {
			return len(p.Value) >= usualChallenge || i < len(m.Pairs)-1 || m.Ending == Trailing
		}
	}
	return false
}

// login returns the login and the list request.
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

// Whole reports whether the received bytes look like a complete list. The addresses of a compact
// list can contain \final\, so prefer to wait until the master closes the connection.
func (c *ListClient) Whole() bool {
	entries, ok := bytes.CutSuffix(c.received, []byte(finalText))
	return c.asked && ok && (c.Text || len(entries)%entrySize == 0)
}

// Servers returns the list after the master has closed the connection. It returns the errors
// of [ParseCompactList] or [ParseTextList], or an error wrapping [io.ErrUnexpectedEOF] if
// the master has sent no challenge or no list.
func (c *ListClient) Servers() ([]netip.AddrPort, error) {
	switch {
	case !c.asked:
		return nil, alone("challenge", len(c.received), io.ErrUnexpectedEOF)
	case len(c.received) == 0:
		return nil, alone("list", 0, io.ErrUnexpectedEOF) // the master refused the login
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
