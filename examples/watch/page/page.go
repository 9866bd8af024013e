// Package page contains the files of the web page. Program watch serves them as they are, except
// index.html, which is a template of package html/template.
package page

import "embed"

// Files are the page, its styles and its modules.
//
//go:embed index.html *.css *.js
var Files embed.FS
