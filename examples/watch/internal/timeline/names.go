package timeline

// nameTable holds the names of messages.
type nameTable struct {
	texts  []string
	index  map[string]uint16
	counts []int
}

// add counts a message and returns the index of its name.
func (t *nameTable) add(name string) uint16 {
	i, known := t.index[name]
	if !known {
		if t.index == nil {
			t.index = map[string]uint16{}
		}
		i = uint16(len(t.texts))
		t.index[name] = i
		t.texts, t.counts = append(t.texts, name), append(t.counts, 0)
	}
	t.counts[i]++
	return i
}
