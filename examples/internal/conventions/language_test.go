package conventions

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/golangci/misspell"
	"github.com/stretchr/testify/require"
)

// Limits of sentences, in words.
const (
	longestSentence = 30
	averageSentence = 16
)

// badStart matches the beginning of a sentence that hides its subject.
var badStart = regexp.MustCompile(`^(?:What|Who|Those|With which|That of|Of)\b`)

// phrases are words that have a plain replacement.
var phrases = regexp.MustCompile(`(?i)\b(?:` + strings.Join([]string{
	"says that", "says whether", "tells whether", "tells apart", "told apart", "does well", "but for", "likewise",
	"anew", "in the making", "on the word of", "not to be had", "says otherwise", "say otherwise", "makes of",
	"as it was", "those of", "that of", "to the brim", "farewell", "polite", "by the way", "what is more",
	"comes of", "of no use", "has to say", "may say", "so is", "so are", "so does", "the other way round",
	"is news", "knows of", "is worth", "lend", "goodbye",
}, "|") + `)\b`)

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

// exceptions are texts that the checks accept, with the reason. Each must be in use.
var exceptions = map[string]string{}

// violations collects the violations of a check, without the exceptions.
type violations struct {
	used map[string]bool
	list []string
}

func (v *violations) add(place, text, why string) {
	for exception := range exceptions {
		if strings.Contains(text, exception) {
			v.used[exception] = true
			return
		}
	}
	v.list = append(v.list, place+": "+why+": "+text)
}

// TestPlainEnglish checks the sentences of the documentation: their length, their beginning,
// and phrases that have a plain replacement.
func TestPlainEnglish(t *testing.T) {
	v := &violations{used: map[string]bool{}}
	count, total := 0, 0
	for _, p := range passages(t) {
		for _, s := range p.sentences {
			n := words(s)
			count, total = count+1, total+n
			if n > longestSentence {
				v.add(p.place, s, fmt.Sprint(n, " words"))
			}
			if badStart.MatchString(s) {
				v.add(p.place, s, "beginning")
			}
			if found := phrases.FindString(s); found != "" {
				v.add(p.place, s, found)
			}
		}
	}
	for _, violation := range v.list {
		t.Error(violation)
	}
	for exception := range exceptions {
		require.True(t, v.used[exception], "exception is not needed: %s", exception)
	}
	require.LessOrEqual(t, float64(total)/float64(count), float64(averageSentence), "words in a sentence")
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

// The rules match the phrases that they must match, and no others.
func TestLanguageRules(t *testing.T) {
	for _, s := range []string{"What is sent is copied.", "Who comes later learns it.", "Of these, two.", "Those are lost."} {
		require.True(t, badStart.MatchString(s), s)
	}
	for _, s := range []string{"It says that no.", "He does well to wait", "in use, but for one", "That is news.", "Likewise."} {
		require.True(t, phrases.MatchString(s), s)
	}
	for _, s := range []string{"a calendar", "He mayor says", "Whatever it is", "politeness"} {
		require.False(t, phrases.MatchString(s) || badStart.MatchString(s), s)
	}
	require.Equal(t, []string{"One (1.1) is short.", "E.g. this, version 1.1, is one.", `"Two," he said.`, "3 is: A number"},
		split("One (1.1)\nis short. E.g. this, version 1.1, is one. \"Two,\" he said. 3 is: A number"))
	require.Equal(t, 4, words("The name – of Ann Lee"[:len("The name – of Ann")]))
	require.Equal(t, []string{"Text and link here", "item one goes on", "two"},
		prose("# Head\n\nText and [link](x)\nhere\n\n```\ncode\n```\n| a | b |\n- item one\n  goes on\n- two\n"))
}
