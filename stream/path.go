package stream

import "strconv"

// path leads to a field: the lists and groups around it, and its name.
type path struct {
	field string // empty in an element before its first field
	steps []step
	room  [2]step // memory of steps, enough for most walks
}

// step is a list element or a group.
type step struct {
	name  string
	index int // -1 for a group
}

func (p *path) enter(name string, index int) {
	if p.steps == nil {
		p.steps = p.room[:0]
	}
	p.steps = append(p.steps, step{name, index})
	p.field = ""
}

// leave ends the last list element or group. The path then leads to the list or group
// itself.
func (p *path) leave() {
	if last := len(p.steps) - 1; last >= 0 {
		p.field = p.steps[last].name
		p.steps = p.steps[:last]
	}
}

// outermost returns the top-level field that contains the path.
func (p *path) outermost() string {
	if len(p.steps) > 0 {
		return p.steps[0].name
	}
	return p.field
}

// String returns a path such as "Damagers[2].Score".
func (p *path) String() string {
	if len(p.steps) == 0 {
		return p.field
	}
	var room [64]byte // avoids a second allocation
	b := room[:0]
	for i, s := range p.steps {
		if i > 0 {
			b = append(b, '.')
		}
		b = append(b, s.name...)
		if s.index >= 0 {
			b = append(b, '[')
			b = strconv.AppendInt(b, int64(s.index), 10)
			b = append(b, ']')
		}
	}
	if p.field != "" {
		b = append(b, '.')
		b = append(b, p.field...)
	}
	return string(b)
}
