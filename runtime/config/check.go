package config

import (
	"fmt"
	"net"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Validate holds every value to its range. The error is InvalidRequest, and its Path is a JSON pointer to the first that is
// out of it. What Parse and Load return is valid.
func (c Config) Validate() error {
	if err := c.check(); err != nil {
		return err
	}
	for _, t := range twins {
		if !t.agree(c) {
			return t.conflict()
		}
	}
	return nil
}

// check is Validate, twins apart.
func (c *Config) check() error {
	for _, l := range c.leaves() {
		if err := l.check(); err != nil {
			return err
		}
	}
	for _, check := range []func() error{c.checkListen, c.checkHosts, c.checkGrants, c.checkModels, c.checkPersonas, c.checkSkills} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// The bounds of text.
const (
	maxText  = 4096 // bytes of a string
	maxItems = 256  // of a list or a map
	maxKey   = 200  // bytes of a key of a map
)

// check holds a value to its tags and to the bounds of its kind.
func (l leaf) check() error {
	bounds, words := l.tag.Get("range"), l.tag.Get("oneof")
	switch v := l.value; {
	case v.Kind() == reflect.Map, v.Kind() == reflect.Slice:
		return l.checkItems(words)
	case bounds != "":
		return l.checkRange(bounds)
	case v.Kind() == reflect.String && l.path[len(l.path)-1] != "instructions":
		return l.checkText(v.String(), words, l.path)
	}
	return nil
}

func (l leaf) checkItems(words string) error {
	if l.value.Len() > maxItems {
		return wrong(fmt.Sprintf("%s has %d items", l.key(), l.value.Len()), fmt.Sprintf("give at most %d", maxItems), l.path...)
	}
	if l.value.Kind() == reflect.Map {
		for _, key := range l.value.MapKeys() {
			if key.Len() > maxKey {
				return wrong(fmt.Sprintf("%s has a key of %d bytes", l.key(), key.Len()), fmt.Sprintf("write at most %d", maxKey), l.path...)
			}
		}
		for _, part := range l.inside() {
			if err := part.check(); err != nil {
				return err
			}
		}
		return nil
	}
	items, _ := reflect.TypeAssert[[]string](l.value)
	for i, item := range items {
		path := append(slices.Clip(l.path), strconv.Itoa(i))
		if item == "" {
			return wrong(l.key()+" has an item without text", "take it out", path...)
		}
		if err := l.checkText(item, words, path); err != nil {
			return err
		}
	}
	return nil
}

// checkText holds text to the words that it may be.
func (l leaf) checkText(text, words string, path []string) error {
	switch known := strings.Fields(words); {
	case len(text) > maxText:
		return wrong(fmt.Sprintf("%s has %d bytes", l.key(), len(text)), fmt.Sprintf("write at most %d", maxText), path...)
	case strings.ContainsRune(text, 0):
		return wrong(l.key()+" holds a NUL", "take it out", path...)
	case len(known) > 0 && !slices.Contains(known, text):
		return wrong(fmt.Sprintf("%s: %.80q is none of %s", l.key(), text, strings.Join(known, ", ")), "", path...)
	}
	return nil
}

// checkRange holds a number to bounds that are written as its own values are: "4Mi..1Gi".
func (l leaf) checkRange(bounds string) error {
	low, high, _ := strings.Cut(bounds, "..")
	n := size(l.value)
	if n >= l.bound(low) && n <= l.bound(high) { // NaN is not
		return nil
	}
	hint := ""
	if n <= 0 {
		hint = "nothing is unlimited: leave it out for the default"
	}
	return wrong(fmt.Sprintf("%s is %v: it is within %s to %s", l.key(), l.shown(), low, high), hint, l.path...)
}

// bound reads a bound of l's range.
func (l leaf) bound(text string) float64 {
	b := leaf{value: reflect.New(l.value.Type()).Elem()}
	if err := b.set(text); err != nil {
		panic(err) // a tag of ours
	}
	return size(b.value)
}

func (c *Config) checkListen() error {
	host, port, err := net.SplitHostPort(c.Listen)
	if err == nil && host != "localhost" && host != "" {
		_, err = netip.ParseAddr(host)
	}
	if _, bad := strconv.ParseUint(port, 10, 16); err != nil || bad != nil {
		return wrong(fmt.Sprintf("listen: %.80q is not an address to listen on", c.Listen), "write an IP address and a port: 127.0.0.1:7420", "listen")
	}
	return nil
}

// wrong is a mistake in the value at a path.
func wrong(message, hint string, path ...string) *tool.Error {
	var pointer strings.Builder
	for _, name := range path {
		pointer.WriteString("/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name))
	}
	return &tool.Error{Code: tool.InvalidRequest, Message: message, Hint: hint, Path: pointer.String()}
}

// checkHosts refuses what no Host header can have: it has a name or an address, and a port that does not count.
func (c *Config) checkHosts() error {
	for i, name := range c.Server.Hosts {
		if _, err := netip.ParseAddr(name); err != nil && !isHostName(name) {
			return wrong(
				fmt.Sprintf("server.hosts: %.80q is not the name of a host", name),
				"write a name or an IP address alone, without scheme, port, path or *: tools.example", "server", "hosts", strconv.Itoa(i))
		}
	}
	return nil
}

// isHostName reports whether a text is labels with dots between them, each of 1 to 63 letters, digits, - and _.
func isHostName(text string) bool {
	const most, mostOfLabel = 253, 63
	for label := range strings.SplitSeq(text, ".") {
		if label == "" || len(label) > mostOfLabel || strings.Trim(label, hostLetters) != "" || label[0] == '-' || label[len(label)-1] == '-' {
			return false
		}
	}
	return len(text) <= most
}

const hostLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"
