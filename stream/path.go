package stream

import "strconv"

// path is the way to a field: the lists and groups around it, and its name.
type path struct {
	field string // empty within an element before its first field
	steps []step
	room  [2]step // for steps: most walks need no more memory
}

// step is a list or a group.
type step struct {
	name  string
	index int // -1: a group
}

func (p *path) enter(name string, index int) {
	if p.steps == nil {
		p.steps = p.room[:0]
	}
	p.steps = append(p.steps, step{name, index})
	p.field = ""
}

// leave goes back to the list or group that was entered last, which is a field of what is
// around it.
func (p *path) leave() {
	if last := len(p.steps) - 1; last >= 0 {
		p.field = p.steps[last].name
		p.steps = p.steps[:last]
	}
}

// outermost returns the field of the message that the path leads to or into.
func (p *path) outermost() string {
	if len(p.steps) > 0 {
		return p.steps[0].name
	}
	return p.field
}

// String returns the path as in "Damagers[2].Score".
func (p *path) String() string {
	if len(p.steps) == 0 {
		return p.field
	}
	var room [64]byte // dissection asks for many
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
