package conventions

import (
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/golangci/misspell"
	"github.com/stretchr/testify/require"
)

// longestSentence is the limit of a sentence, in words.
const longestSentence = 30

// passage is a text for readers, and its place.
type passage struct {
	place     string
	text      string
	sentences []string
}

// passages returns the documentation of the library, of the programs and in Markdown.
func passages(t *testing.T) (all []passage) {
	t.Helper()
	for path, p := range documentation(t) {
		for _, text := range comments(p) {
			all = append(all, passage{path, text, sentences(p.Parser(), text)})
		}
	}
	for _, file := range markdown(t) {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, paragraph := range prose(string(text)) {
			all = append(all, passage{file, paragraph, split(paragraph)})
		}
	}
	for path, text := range programs(t) {
		var p comment.Parser
		all = append(all, passage{path, text, sentences(&p, text)})
	}
	require.Greater(t, len(all), 1000)
	return all
}

// markdown returns the Markdown files of the project.
func markdown(t *testing.T) (files []string) {
	t.Helper()
	require.NoError(t, filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if err == nil && strings.HasSuffix(file, ".md") {
			files = append(files, file)
		}
		return err
	}))
	return files
}

// programs returns the documentation of the packages of the examples, by directory.
func programs(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	require.NoError(t, filepath.WalkDir(filepath.Join(root, "examples"), func(file string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments|parser.PackageClauseOnly)
		if err == nil && f.Doc != nil {
			texts[filepath.Dir(file)] += f.Doc.Text()
		}
		return err
	}))
	require.Greater(t, len(texts), 8)
	return texts
}

// The sentences of the documentation are short. The command examples/internal/prose prints phrases
// that have a plain replacement, as advice.
func TestSentencesAreShort(t *testing.T) {
	for _, p := range passages(t) {
		for _, s := range p.sentences {
			if n := words(s); n > longestSentence {
				t.Errorf("%s: %d words, at most %d: %s", p.place, n, longestSentence, s)
			}
		}
	}
}

// TestReportsWhether checks that the doc of a function that returns only a bool "reports whether".
func TestReportsWhether(t *testing.T) {
	n := 0
	for path, p := range documentation(t) {
		for _, f := range functions(p) {
			results := f.Decl.Type.Results
			if results == nil || len(results.List) != 1 || len(results.List[0].Names) > 1 {
				continue
			}
			if typ, ok := results.List[0].Type.(*ast.Ident); !ok || typ.Name != "bool" {
				continue
			}
			n++
			require.Contains(t, strings.Join(strings.Fields(f.Doc), " "), "reports whether", "%s.%s", path, f.Name)
		}
	}
	require.Greater(t, n, 15)
}

// TestSpelling looks for common misspellings.
func TestSpelling(t *testing.T) {
	r := misspell.New()
	r.Compile()
	for _, p := range passages(t) {
		_, changes := r.Replace(p.text)
		require.Empty(t, changes, p.place)
	}
	_, changes := r.Replace("a mispelled word that is not recieved")
	require.Len(t, changes, 2, "the check finds misspellings")
}

// Sentences and paragraphs end where they must end.
func TestSentences(t *testing.T) {
	require.Equal(t, []string{"One (1.1) is short.", "E.g. this, version 1.1, is one.", `"Two," he said.`, "3 is: A number"},
		split("One (1.1)\nis short. E.g. this, version 1.1, is one. \"Two,\" he said. 3 is: A number"))
	require.Equal(t, 4, words("The name – of Ann Lee"[:len("The name – of Ann")]))
	require.Equal(t, []string{"Text and link here", "item one goes on", "two"},
		prose("# Head\n\nText and [link](x)\nhere\n\n```\ncode\n```\n| a | b |\n- item one\n  goes on\n- two\n"))
}
