package timeline

// maxValues is the largest number of values of a table. A player can have eight long names.
const maxValues = 1 << 13

// table numbers values, and counts how often each was added.
type table[T comparable] struct {
	values []T
	counts []int
	index  map[T]uint16
}

// add returns the index of a value. A value that has no place has the index of the first one.
func (t *table[T]) add(value T) uint16 {
	i, known := t.index[value]
	if !known && len(t.values) < maxValues {
		if t.index == nil {
			t.index = map[T]uint16{}
		}
		i = uint16(len(t.values))
		t.index[value] = i
		t.values, t.counts = append(t.values, value), append(t.counts, 0)
	}
	t.counts[i]++
	return i
}
