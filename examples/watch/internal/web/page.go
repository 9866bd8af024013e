package web

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"

	"github.com/bcwire/bcwire/examples/watch/internal/match"
)

// page serves index.html.
type page struct {
	store    *match.Store
	template *template.Template
}

// pageData is what the template of the page uses.
type pageData struct {
	Title  string
	Live   bool
	Roster []string // the names of the players who are known
}

func newPage(store *match.Store, files fs.FS) (*page, error) {
	t, err := template.ParseFS(files, "index.html")
	if err != nil {
		return nil, fmt.Errorf("the page: %w", err)
	}
	return &page{store, t}, nil
}

func (p *page) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	info := p.store.Info()
	var b bytes.Buffer
	if err := p.template.Execute(&b, pageData{info.Title, info.Live, p.store.Roster()}); err != nil {
		fail(w, http.StatusInternalServerError, "the page: "+err.Error())
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(b.Bytes()) // the browser may have gone
}
