package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// queue returns a program that is a package of two files, and the name of the second.
func queue(t *testing.T) (all sources, file string) {
	dir := t.TempDir()
	file = filepath.Join(dir, "queue.go")
	require.NoError(t, os.WriteFile(file, []byte(`// Package queue is documented.
package queue

const most = 2 * 8 // items

type queue[T any] struct {
	items []T // in order
}

func (q *queue[T]) add(item T) bool {
	if len(q.items) >= most || // full
		cap(q.items) < 0 {
		return false
	}
	q.items = append(q.items, item)
	return true
}

func kind(x any) string {
	switch x.(type) {
	case int: return "number"
	case uint: return "number"
	}
	return "other"
}
`), 0o600))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "size.go"), []byte("package queue\n\nfunc size(q *queue[int]) int { return len(q.items) }\n"), 0o600))
	p := &source{Dir: dir, ImportPath: module + "/queue", Name: "queue", GoFiles: []string{"size.go", "queue.go"}}
	return sources{p.ImportPath: p}, file
}

// A bug can change a constant, a field, an expression, a case and statements, whatever their format and comments.
func TestPlant(t *testing.T) {
	all, file := queue(t)
	b := bug{changes: []change{
		{in: "queue.most", from: "2*8", to: "9"},
		{in: "queue.queue", from: "items []T", to: "lost, items []T"},
		{in: "queue.queue.add", from: "len(q.items) >= most || cap(q.items) < 0", to: "q.lost != nil"},
		{in: "queue.queue.add", from: "q.items = append(q.items, item)", to: "q.lost = nil; q.items = q.lost"},
		{in: "queue.kind", from: "case uint:\n\n return \"number\""},
	}}
	changed, err := all.plant(&b)
	require.NoError(t, err)
	require.Equal(t, map[string]string{file: `// Package queue is documented.
package queue

const most = 9 // items

type queue[T any] struct {
	lost, items []T // in order
}

func (q *queue[T]) add(item T) bool {
	if q.lost != nil {
		return false
	}
	q.lost = nil
	q.items = q.lost
	return true
}

func kind(x any) string {
	switch x.(type) {
	case int:
		return "number"

	}
	return "other"
}
`}, map[string]string{file: string(changed[file])})
	require.NoError(t, all.check(changed))
}

// The file gets the import that a change needs, once.
func TestPlantImport(t *testing.T) {
	all, file := queue(t)
	c := change{in: "queue.kind", from: `"other"`, to: `strings.ToLower("OTHER")`, imports: "strings"}
	again := change{in: "queue.most", from: "8", to: `len(strings.Repeat("x", 8))`, imports: "strings"}
	changed, err := all.plant(&bug{changes: []change{c, again}})
	require.NoError(t, err)
	require.Regexp(t, `package queue\n\nimport "strings"\n\nconst most = 2 \* len`, string(changed[file]))
}

// A bug whose code is gone, or is there twice, cannot be planted. The types of the code with the bug must agree.
func TestPlantProblems(t *testing.T) {
	all, file := queue(t)
	for _, c := range []struct {
		change
		problem string
	}{
		{change{in: "list.most", from: "2 * 8"}, "sim has no package list"},
		{change{in: "queue.least", from: "2 * 8"}, "there is no queue.least"},
		{change{in: "queue.add", from: "return true"}, "there is no queue.add"},
		{change{in: "queue.size", from: "cap(q.items)"}, "queue.size has this 0 times, not once: cap(q.items)"},
		{change{in: "queue.kind", from: `return "number"`}, `queue.kind has this 2 times, not once: return "number"`},
		{change{in: "queue.size", from: "len(q.items"}, "not an expression, a statement, a case or a field: len(q.items"},
		{change{in: "queue.size", from: "len(q.items)", to: ")"}, "expected operand"},
	} {
		_, err := all.plant(&bug{changes: []change{c.change}})
		require.ErrorContains(t, err, c.problem)
	}
	changed, err := all.plant(&bug{changes: []change{{in: "queue.queue.add", from: "return true", to: "return 1"}}})
	require.NoError(t, err)
	require.ErrorContains(t, all.check(changed), file+":16:9: cannot use 1")
}
