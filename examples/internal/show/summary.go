package show

import "strings"

// summary returns the fields of an object in a line.
func summary(o *object) string {
	texts := make([]string, len(o.members))
	for i, m := range o.members {
		texts[i] = m.name + "=" + short(m.value)
		if all, ok := m.value.(*object); ok && m.name == subsystems {
			texts[i] = conditions(all)
		}
	}
	return strings.Join(texts, " ")
}

// conditions returns the conditions of subsystems in a line.
func conditions(all *object) string {
	texts := make([]string, len(all.members))
	for i, m := range all.members {
		texts[i] = m.name
		if system, ok := m.value.(*object); ok && len(system.members) > 0 {
			texts[i] += " " + short(system.members[0].value)
		}
	}
	return strings.Join(texts, ", ")
}
