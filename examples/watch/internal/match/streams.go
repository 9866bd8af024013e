package match

import "sync"

// Stream receives the changes of a link of a live match.
type Stream struct {
	once   sync.Once
	Closed chan struct{}
}

type streams struct{}

func (s *streams) closeAll()            {}
func (s *streams) closeLink(*link)      {}
func (s *streams) event(*link, *Event)  {}
func (s *streams) change(*link, Change) {}
