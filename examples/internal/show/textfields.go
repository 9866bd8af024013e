package show

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bcwire/bcwire/examples/internal/terminal"
	"github.com/bcwire/bcwire/stateupdate"
)

// fields prints the fields of an object, one per line.
func (l *lister) fields(b *strings.Builder, o *object, indent string) {
	for _, m := range o.members {
		if m.name != subsystems {
			l.field(b, m.name, m.value, indent)
		}
	}
}

// lines prints texts below each other, the first one beside a name.
func (l *lister) lines(b *strings.Builder, name string, texts []string) {
	for _, text := range texts {
		fmt.Fprintf(b, "%s%-20s %s\n", margin, name, l.style.value.Sprint(terminal.Line(text)))
		name = ""
	}
}

func statusLines(all []stateupdate.Status) (texts []string) {
	for i := range all {
		texts = append(texts, all[i].String())
	}
	return texts
}

// margin is where the fields of -v begin.
const margin = "                  "

func (l *lister) field(b *strings.Builder, name string, v any, indent string) {
	value := short(v)
	if bytes, ok := v.([]byte); ok {
		value = fmt.Sprintf("%x", bytes)
	}
	switch v := v.(type) {
	case *object:
		fmt.Fprintf(b, "%s%s%s\n", margin, indent, name)
		l.fields(b, v, indent+"  ")
		return
	case *list:
		fmt.Fprintf(b, "%s%s%s %s\n", margin, indent, name, l.style.dim.Sprint(value))
		for i, item := range v.items {
			l.field(b, "["+strconv.Itoa(i)+"]", item, indent+"  ")
		}
		return
	}
	fmt.Fprintf(b, "%s%s%-*s %s", margin, indent, max(0, 20-len(indent)), name, l.style.value.Sprint(value))
	if more := detail(v); more != "" {
		b.WriteString("  " + l.style.dim.Sprint(more))
	}
	b.WriteByte('\n')
}
