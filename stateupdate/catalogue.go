package stateupdate

//go:generate go run gen.go

import "github.com/bcwire/bcwire/opcode"

// Stock returns the class of a species in the unmodified game, or nil if the game has
// none. It has the classes of the species 1 to 44. Species 45, BorgCube, names a script that
// the game does not have.
func Stock(s opcode.Species) *Class {
	for i := range stock {
		if stock[i].Species == s {
			return &stock[i]
		}
	}
	return nil
}

// Named returns the stock class whose Key, Name or Script is name, in any case, or nil.
func Named(name string) *Class {
	for i := range stock {
		if stock[i].named(name) {
			return &stock[i]
		}
	}
	return nil
}

// StockClasses returns all stock classes in order of their species.
func StockClasses() Catalogue {
	all := make(Catalogue, len(stock))
	for i := range stock {
		all[i] = &stock[i]
	}
	return all
}

// Catalogue is a set of classes, such as those of a mod. The zero value has none.
type Catalogue []*Class

// Species returns the class of a species: the last one of the catalogue, else the stock
// class, else nil.
func (all Catalogue) Species(s opcode.Species) *Class {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i] != nil && all[i].Species == s {
			return all[i]
		}
	}
	return Stock(s)
}

// Named returns the class of a name, as [Named] does.
func (all Catalogue) Named(name string) *Class {
	for i := len(all) - 1; i >= 0; i-- {
		if all[i] != nil && all[i].named(name) {
			return all[i]
		}
	}
	return Named(name)
}
