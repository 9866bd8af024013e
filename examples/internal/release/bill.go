package main

import (
	"bytes"
	"cmp"
	"maps"
	"slices"

	cdx "github.com/CycloneDX/cyclonedx-go"

	"github.com/bcwire/bcwire/examples/internal/licenses"
)

func (r *release) billName() string { return "bcwire-" + r.version + ".cdx.json" }

// bill returns the software bill of materials, in the format CycloneDX, of the programs for all
// platforms.
func (r *release) bill() (file, error) {
	parts := map[string]string{} // versions by path
	for _, p := range platforms {
		packages, err := r.list(p)
		if err != nil {
			return file{}, err
		}
		found, _, err := licenses.Find(packages)
		if err != nil {
			return file{}, err
		}
		for _, part := range found {
			parts[part.Path] = cmp.Or(part.Version, r.version)
		}
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &cdx.Component{
		BOMRef: "bcwire", Type: cdx.ComponentTypeApplication, Name: "bcwire", Version: r.version,
		Licenses: &cdx.Licenses{{License: &cdx.License{ID: "MIT"}}},
	}}
	var components []cdx.Component
	var refs []string
	for _, path := range slices.Sorted(maps.Keys(parts)) {
		purl := "pkg:golang/" + path + "@" + parts[path]
		components = append(components, cdx.Component{
			BOMRef: purl, Type: cdx.ComponentTypeLibrary, Name: path, Version: parts[path], Scope: cdx.ScopeRequired, PackageURL: purl,
		})
		refs = append(refs, purl)
	}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: "bcwire", Dependencies: &refs}}
	var b bytes.Buffer
	err := cdx.NewBOMEncoder(&b, cdx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
	return file{0o644, b.Bytes()}, err
}
