package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/bcwire/bcwire/examples/internal/show"
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
	list, done, err := s.selected(q.Filter)
	if err != nil {
		return nil, err
	}
	defer done()
	rows := &Rows{Total: list.length(), From: min(max(0, q.From), list.length()), Rows: []Row{}}
	count := min(max(0, q.Count), MaxRows)
	switch {
	case q.Number != nil:
		rows.From = list.find(*q.Number)
		if rows.From == rows.Total || list.number(rows.From) != *q.Number {
			count = 0
		}
	case q.At != nil:
		rows.From = list.find(s.messageOf(s.datagramSince(*q.At)))
	}
	for i := rows.From; i < min(rows.From+count, rows.Total); i++ {
		row, err := s.row(list.number(i))
		if err != nil {
			return nil, err
		}
		rows.Rows = append(rows.Rows, *row)
	}
	return rows, nil
}

// selection is a list of numbers of messages: all kept ones, or the result of a filter.
type selection struct {
	first, count int
	numbers      []uint32
}

func (l *selection) length() int {
	if l.numbers != nil {
		return len(l.numbers)
	}
	return l.count
}

func (l *selection) number(i int) int {
	if l.numbers != nil {
		return int(l.numbers[i])
	}
	return l.first + i
}

// find returns the index of the first number that is not less than n.
func (l *selection) find(n int) int {
	if l.numbers == nil {
		return min(max(0, n-l.first), l.count)
	}
	i, _ := slices.BinarySearchFunc(l.numbers, int64(n), func(x uint32, n int64) int { return cmp.Compare(int64(x), n) })
	return i
}

// selected returns the messages that a filter selects. The caller calls done after the last use.
func (s *Store) selected(f Filter) (list *selection, done func(), err error) {
	if f == (Filter{}) {
		return &selection{first: s.first(), count: s.messages - s.first()}, func() {}, nil
	}
	r := s.filters.of(f, s.first())
	r.mu.Lock()
	if err := s.search(r); err != nil {
		r.mu.Unlock()
		return nil, nil, err
	}
	return &selection{numbers: slices.Grow(r.numbers, 1)}, r.mu.Unlock, nil
}

// readClient sets the client of a row of link 0, which is only in the record of the datagram.
func (s *Store) readClient(row *Row, g *segment, x *datagramIndex) error {
	record, err := g.read(x.offset, x.size)
	if err != nil {
		return err
	}
	var d show.Datagram
	err = readDatagram(record, &d)
	row.Client = clip(d.Client)
	return err
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
		return nil, fmt.Errorf("%w %d; the first is %d and the last %d", ErrNoMessage, number, s.first(), s.messages-1)
	}
	x := &g.rows[i]
	d := &g.datagrams[x.datagram]
	b, err := g.read(x.offset, uint32(x.length))
	if err != nil {
		return nil, err
	}
	t := splitRow(b)
	row := &Row{
		Number: number, Packet: int(d.packet), Index: i - int(d.first), Time: d.at, Link: int(d.link), Dir: string(directions[d.dir]),
		Delivery: t.delivery, Type: t.kind, Name: s.names.texts[x.name], Size: int(x.size), Summary: t.summary, Note: t.note, Error: t.err, Marks: []string{},
	}
	if d.peer != 0 {
		row.Peer = &d.peer
	}
	for bit, name := range markNames {
		if x.marks&(1<<bit) != 0 {
			row.Marks = append(row.Marks, name)
		}
	}
	if d.link == 0 {
		return row, s.readClient(row, g, d)
	}
	if l, err := s.link(int(d.link)); err == nil {
		row.Client = clip(l.client)
	}
	if p := s.people[x.player]; x.player != 0 {
		peer := int8(p.PeerID)
		row.Subject, row.Player = &peer, text(nameAt(p, d.at))
	}
	return row, nil
}
