package gamespy

import (
	"net/netip"
	"slices"
	"strings"
)

// ListServer is the other side of a [ListClient]: a master that is asked for its list.
// Send Greeting, pass what comes to Receive until there is a request, send its list and
// close. Use one per connection.
type ListServer struct {
	Key       string // for the challenge; "" means that of the game
	Challenge string // see NewChallenge

	received []byte
}

// ListRequest is what a client asks a master for.
type ListRequest struct {
	Login    Pairs // validate among them
	GameName Text  // of the servers
	Form     Text  // "cmp" for the compact form; anything else means the text form
}

// Greeting returns what a master sends when it has accepted a connection.
func (s *ListServer) Greeting() []byte {
	return []byte(`\basic\\secure\` + s.Challenge)
}

// Receive takes bytes of the client. It returns nil as long as login and request are not
// there. It fails with [ErrNotText], [ErrValidate] or [ErrEnctype] for a wrong login,
// after which a master closes, [ErrLimit], and what [Validate] returns.
func (s *ListServer) Receive(b []byte) (*ListRequest, error) {
	if size := len(s.received) + len(b); size > maxLogin {
		return nil, alone("request of client", maxLogin, tooMany(ErrLimit, size, "bytes", maxLogin))
	}
	s.received = append(s.received, b...)
	switch {
	case len(s.received) == 0:
		return nil, nil
	case !IsGameSpy(s.received):
		return nil, ErrNotText
	}
	login, rest, ok := cutFinal(parseStream(string(s.received[1:])))
	if !ok {
		return nil, nil
	}
	if err := login.Verify(orKey(s.Key), s.Challenge); err != nil {
		return nil, err
	}
	list, _, ok := cutFinal(rest)
	if !ok {
		return nil, nil
	}
	r := &ListRequest{Login: login}
	r.GameName, _ = list.Get("gamename")
	r.Form, _ = list.Get("list")
	return r, nil
}

// parseStream returns the pairs of several messages in a row, as far as their keys are
// whole. A message may end with a backslash, which looks like an empty key.
func parseStream(rest string) (pairs Pairs) {
	for {
		key, after, ok := strings.Cut(rest, `\`)
		if !ok {
			return pairs
		}
		rest = after
		if key != "" {
			value, after, _ := strings.Cut(rest, `\`)
			pairs = append(pairs, Pair{Text(key), Text(value)})
			rest = after
		}
	}
}

// cutFinal returns the pairs before the first final, and those after it.
func cutFinal(pairs Pairs) (before, after Pairs, ok bool) {
	i := slices.IndexFunc(pairs, func(p Pair) bool { return p.Key.is("final") })
	if i < 0 {
		return pairs, nil, false
	}
	return pairs[:i:i], pairs[i+1:], true
}

// AppendList appends the list to dst, in the form that the request asks for. It fails as
// [AppendCompactList] and [AppendTextList] do.
func (r *ListRequest) AppendList(dst []byte, servers []netip.AddrPort) ([]byte, error) {
	if r.Form.is(formCompact) {
		return AppendCompactList(dst, servers)
	}
	return AppendTextList(dst, servers)
}
