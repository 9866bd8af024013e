package conventions

import (
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Each name in brackets that looks like a link is the name of an exported identifier.
func TestLinks(t *testing.T) {
	packages := documentation(t)
	known := map[string]map[string]bool{}
	links := 0
	for path, p := range packages {
		for _, text := range comments(p) {
			found, left := linksOf(p, text)
			require.Empty(t, left, "%s: not the name of an exported identifier, in %q", path, text)
			for _, l := range found {
				target := l.ImportPath
				if target == "" {
					target = path
				}
				if known[target] == nil {
					known[target] = names(t, packages, target)
				}
				name := strings.TrimPrefix(l.Recv+"."+l.Name, ".")
				require.True(t, name == "" || known[target][name], "%s: %s has no %s, in %q", path, target, name, text)
				links++
			}
		}
	}
	require.Greater(t, links, 300)
}

// bracketed matches text that looks like a link to an exported name.
var bracketed = regexp.MustCompile(`\[\*?(?:[a-z]\w*\.)?[A-Z]\w*(?:\.\w+)?\]`)

// linksOf returns the links in a comment, and the names in brackets that are not links.
func linksOf(p *doc.Package, text string) (found []*comment.DocLink, left []string) {
	walk := func(list []comment.Text) {
		for _, x := range list {
			switch x := x.(type) {
			case comment.Plain:
				left = append(left, bracketed.FindAllString(string(x), -1)...)
			case *comment.DocLink:
				found = append(found, x)
			}
		}
	}
	var blocks func([]comment.Block)
	blocks = func(list []comment.Block) {
		for _, b := range list {
			switch b := b.(type) {
			case *comment.Heading:
				walk(b.Text)
			case *comment.Paragraph:
				walk(b.Text)
			case *comment.List:
				for _, item := range b.Items {
					blocks(item.Content)
				}
			}
		}
	}
	blocks(p.Parser().Parse(text).Content)
	return found, left
}

// comments returns the documentation of a package and of its exported declarations, including
// fields and single constants.
func comments(p *doc.Package) (all []string) {
	all = append(all, p.Doc)
	inside := func(d *ast.GenDecl) {
		ast.Inspect(d, func(n ast.Node) bool {
			if g, ok := n.(*ast.CommentGroup); ok {
				all = append(all, g.Text())
			}
			return true
		})
	}
	for _, v := range values(p) {
		all = append(all, v.Doc)
		inside(v.Decl)
	}
	for _, f := range functions(p) {
		all = append(all, f.Doc)
	}
	for _, typ := range p.Types {
		all = append(all, typ.Doc)
		inside(typ.Decl)
	}
	return all
}
