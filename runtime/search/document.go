package search

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Document is a tool as it is searched for and compared. It must not change while something is made of it.
type Document struct {
	Name         string
	Description  string
	Tags         []string
	InputSchema  json.RawMessage
	OutputSchema json.RawMessage // may be empty
}

// What is read of a document.
const (
	maxNameWords        = 32
	maxTags             = 32
	maxDescriptionWords = 256
	maxProperties       = 128
	maxPropertyDepth    = 8
)

// compact is a name without what separates its words: parse_csv and parseCSV are parsecsv.
func compact(name string) string { return strings.Join(words(name, maxNameWords), "") }

func (d Document) tagWords() (list []string) {
	for _, tag := range d.Tags[:min(len(d.Tags), maxTags)] {
		list = append(list, words(tag, maxNameWords)...)
	}
	return list
}

// property is a member that a schema tells of.
type property struct{ path, kind string }

// properties lists what a schema says of members, the outermost first. What is no schema has none.
func properties(schema json.RawMessage) []property {
	var found []property
	collect(schema, "", 0, &found)
	return found
}

func collect(schema json.RawMessage, at string, depth int, found *[]property) {
	var s struct {
		Properties map[string]json.RawMessage `json:"properties"`
		Items      json.RawMessage            `json:"items"`
	}
	if depth >= maxPropertyDepth || len(schema) == 0 || json.Unmarshal(schema, &s) != nil {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if len(*found) >= maxProperties {
			return
		}
		*found = append(*found, property{at + "/" + name, kindOf(s.Properties[name])})
		collect(s.Properties[name], at+"/"+name, depth+1, found)
	}
	collect(s.Items, at+"/*", depth+1, found)
}

// kindOf is the type that a schema asks for, as it is written.
func kindOf(schema json.RawMessage) string {
	var s struct {
		Type json.RawMessage `json:"type"`
	}
	if json.Unmarshal(schema, &s) != nil {
		return ""
	}
	return string(s.Type)
}
