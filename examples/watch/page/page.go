// Package page contains the files of the web page.
package page

import "embed"

// Files are the page, its styles and its modules.
//
//go:embed index.html *.css *.js */*.css */*.js
var Files embed.FS
