package web

import (
	"crypto/subtle"
	"fmt"
	"net/http"

	"github.com/bcwire/bcwire/examples/internal/localhttp"
)

const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guard sets the headers of all responses, and refuses requests that other sites can cause.
func guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !localhttp.OwnHost(r):
			refuse(w, http.StatusForbidden, "this Host is not served: open the address that watch prints")
		case crossSite(r):
			refuse(w, http.StatusForbidden, "requests of other sites are refused: open the address that watch prints")
		case r.Method != http.MethodGet && r.Method != http.MethodHead:
			h.Set("Allow", "GET, HEAD")
			refuse(w, http.StatusMethodNotAllowed, "only GET and HEAD are allowed")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// within passes on the requests below a path, without the path. Of the others, it does not tell whether there is
// something.
func within(path string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := min(len(path), len(r.URL.Path))
		if subtle.ConstantTimeCompare([]byte(r.URL.Path[:n]), []byte(path)) == 0 {
			refuse(w, http.StatusForbidden, "open the address that watch prints")
			return
		}
		http.StripPrefix(path[:len(path)-1], next).ServeHTTP(w, r)
	})
}

// crossSite reports whether another site has caused a request. A link to the page is fine.
func crossSite(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return true
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return false
	}
	navigation := r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document"
	return !navigation || r.URL.Path != "/"
}

// refuse writes an error, which needs no escapes.
func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = fmt.Fprintf(w, `{"error":%q}`, text) // the browser may have gone
}
