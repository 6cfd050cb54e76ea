package config

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/wire"
)

// leaf is a value that has a key of its own: a scalar, a list or a map.
type leaf struct {
	path  []string
	value reflect.Value // can be set
	tag   reflect.StructTag
}

func (c *Config) leaves() []leaf { return leavesOf(leaf{value: reflect.ValueOf(c).Elem()}) }

// leavesOf takes a struct apart, and those within it.
func leavesOf(of leaf) []leaf {
	if _, scalar := reflect.TypeAssert[encoding.TextUnmarshaler](of.value.Addr()); scalar || of.value.Kind() != reflect.Struct {
		return []leaf{of}
	}
	var all []leaf
	for i := range of.value.NumField() {
		field := of.value.Type().Field(i)
		if name := field.Tag.Get("json"); name != "" {
			all = append(all, leavesOf(leaf{append(slices.Clip(of.path), name), of.value.Field(i), field.Tag})...)
		}
	}
	return all
}

// inside are copies of what a map holds, in the order of its keys. What was not given is not among
// them, nor what was validated when it was read.
func (l leaf) inside() []leaf {
	var all []leaf
	keys := l.value.MapKeys()
	slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
	for _, key := range keys {
		item := reflect.New(l.value.Type().Elem()).Elem()
		item.Set(l.value.MapIndex(key))
		if _, own := reflect.TypeAssert[wire.Validator](item.Addr()); own {
			continue
		}
		for _, part := range leavesOf(leaf{append(slices.Clip(l.path), key.String()), item, l.tag}) {
			if !part.value.IsZero() {
				all = append(all, part)
			}
		}
	}
	return all
}

// key is what messages call the leaf: emergentConfig.maxSessionTools.
func (l leaf) key() string { return strings.Join(l.path, ".") }

// set reads the value from text, as the environment and flags have it: lists with commas between their items.
func (l leaf) set(text string) error {
	if into, ok := reflect.TypeAssert[encoding.TextUnmarshaler](l.value.Addr()); ok {
		return into.UnmarshalText([]byte(text))
	}
	switch l.value.Kind() {
	case reflect.String:
		l.value.SetString(text)
	case reflect.Bool:
		if text != "true" && text != "false" {
			return errors.New("it is true or false")
		}
		l.value.SetBool(text == "true")
	case reflect.Int, reflect.Int64:
		n, err := strconv.ParseInt(text, 10, l.value.Type().Bits())
		if err != nil {
			return fmt.Errorf("%.40q is not a whole number in decimal digits", text)
		}
		l.value.SetInt(n)
	case reflect.Float64:
		n, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return fmt.Errorf("%.40q is not a number", text)
		}
		l.value.SetFloat(n)
	case reflect.Slice:
		items := strings.Split(text, ",")
		for i := range items {
			items[i] = strings.TrimSpace(items[i])
		}
		l.value.Set(reflect.ValueOf(items))
	default:
		return errors.New("it is given in the file alone")
	}
	return nil
}

// shown is the value for people and programs: scalars and lists as they are, sizes and times as files write them, of maps
// the names.
func (l leaf) shown() any {
	switch v := l.value.Interface().(type) {
	case wire.Quantity, wire.Period, SourceAtRest:
		return fmt.Sprint(v)
	case []string:
		return append([]string{}, v...)
	default:
		if l.value.Kind() != reflect.Map {
			return v
		}
	}
	names := []string{}
	for _, key := range l.value.MapKeys() {
		names = append(names, key.String())
	}
	slices.Sort(names)
	return names
}

// size is a number, whatever its type.
func size(v reflect.Value) float64 {
	switch {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	}
	return v.Float()
}
