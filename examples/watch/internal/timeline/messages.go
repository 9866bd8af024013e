package timeline

import (
	"fmt"
	"sort"

	"github.com/bcwire/bcwire/match"
)

// Row is a line of the list of messages.
type Row struct {
	Number   int      `json:"n"`
	Packet   int      `json:"packet"`
	Index    int      `json:"index"`
	Time     float64  `json:"t"`
	Link     int      `json:"link"`
	Client   string   `json:"client"`
	Dir      string   `json:"dir"`
	Peer     *int8    `json:"peer"`   // nil for GameSpy text
	Player   string   `json:"player"` // the player that the message is about, or ""
	Subject  *int8    `json:"subject"`
	Delivery string   `json:"delivery"`
	Type     string   `json:"type"`
	Name     string   `json:"name"`
	Size     int      `json:"size"`
	Summary  string   `json:"summary"`
	Marks    []string `json:"marks"`
	Note     string   `json:"note"`
	Error    string   `json:"error"`
}

// Rows are the rows that a filter selects.
type Rows struct {
	Total int   `json:"total"`
	From  int   `json:"from"`
	Rows  []Row `json:"rows"`
	Done  bool  `json:"done"` // all messages have been searched; otherwise, the same query searches more
}

// Query asks for rows.
type Query struct {
	Filter
	From, Count int
	At          *float64 // rows begin at this time, instead of From
	Number      *int     // rows begin with this message, instead of From
}

// MaxRows is the largest Count of a Query.
const MaxRows = 200

// Messages returns rows.
func (s *Store) Messages(q Query) (*Rows, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	total, number, done, err := s.selected(q.Filter)
	if err != nil {
		return nil, err
	}
	find := func(n int) int { return sort.Search(total, func(i int) bool { return number(i) >= n }) }
	rows := &Rows{Total: total, From: min(max(0, q.From), total), Rows: []Row{}, Done: done}
	count := min(max(0, q.Count), MaxRows)
	switch {
	case q.Number != nil:
		rows.From = find(*q.Number)
		if rows.From == total || number(rows.From) != *q.Number {
			count = 0
		}
	case q.At != nil:
		rows.From = find(s.messageOf(s.datagramSince(*q.At)))
	}
	for i := rows.From; i < min(rows.From+count, total); i++ {
		row, err := s.row(number(i))
		if err != nil {
			return nil, err
		}
		rows.Rows = append(rows.Rows, *row)
	}
	return rows, nil
}

// selected returns how many messages a filter selects, a function for their numbers, and whether these are all.
func (s *Store) selected(f Filter) (total int, number func(i int) int, done bool, err error) {
	if f == (Filter{}) {
		first := s.first()
		return s.messages - first, func(i int) int { return first + i }, true, nil
	}
	numbers, done, err := s.search(f)
	return len(numbers), func(i int) int { return int(numbers[i]) }, done, err
}

// nameAt returns the name of a player at a time, or else the first one.
func nameAt(p *match.Player, at float64) (name string) {
	for i, since := range p.Since {
		if i == 0 || since.Seconds() <= at {
			name = p.Names[i]
		}
	}
	return name
}

// row returns the row of a message.
func (s *Store) row(number int) (*Row, error) {
	g, i := s.messageAt(number)
	if g == nil {
		return nil, fmt.Errorf("%w message %d; the first is %d and the last %d", ErrNotFound, number, s.first(), s.messages-1)
	}
	x := &g.rows[i]
	d := &g.datagrams[x.datagram]
	end := d.offset + d.size
	if x.length > 0 {
		end = x.offset + uint32(x.length) // texts follow the datagram
	}
	b, err := g.read(d.offset, end-d.offset)
	if err != nil {
		return nil, err
	}
	row := &Row{
		Number: number, Packet: int(d.packet), Index: i - int(d.first), Time: d.at, Link: int(d.link), Dir: string(directions[d.dir]),
		Name: s.names.values[x.name], Size: int(x.size), Marks: []string{},
	}
	row.split(new(writer).of(s, g, i, b, d.offset))
	if d.peer != 0 {
		row.Peer = &d.peer
	}
	for bit, name := range markNames {
		if x.marks&(1<<bit) != 0 {
			row.Marks = append(row.Marks, name)
		}
	}
	if d.link == 0 {
		of, err := d.read(g)
		if err == nil {
			row.Client = clip(of.Client)
		}
		return row, err
	}
	if l, err := s.link(int(d.link)); err == nil {
		row.Client = clip(l.client)
	}
	if p := s.people.values[x.player]; p != nil {
		row.Subject, row.Player = new(int8(p.PeerID)), text(nameAt(p, d.at))
	}
	return row, nil
}
