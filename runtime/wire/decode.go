package wire

import (
	"encoding"
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.com/toolsmith/runtime/tool"
)

// Validator is what a decoded struct may implement: its method is called once its members are there. When the error is a
// *tool.Error, its Path, relative to the struct, says which member is meant.
type Validator interface{ Validate() error }

// decoder puts nodes into Go values. Structs name their members by json tags; fields without one are not filled in.
type decoder struct {
	text []byte
	all  *Mistakes // where mistakes are gathered; nil: the first ends it
}

// decode puts n into v, which can be set. path is the JSON pointer of n.
func (d decoder) decode(n *node, v reflect.Value, path string) error {
	if into, ok := reflect.TypeAssert[encoding.TextUnmarshaler](v.Addr()); ok {
		return d.scalar(n, into, path)
	}
	var err error
	switch v.Kind() {
	case reflect.Struct:
		return d.object(n, v, path)
	case reflect.Map:
		return d.dictionary(n, v, path)
	case reflect.Slice:
		return d.list(n, v, path)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		return d.decode(n, v.Elem(), path)
	case reflect.String:
		if err = n.want(textNode); err == nil {
			v.SetString(n.text)
		}
	case reflect.Bool:
		if err = n.want(boolNode); err == nil {
			v.SetBool(n.text == "true")
		}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		err = setInt(n, v)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		err = setUint(n, v)
	case reflect.Float64:
		err = setFloat(n, v)
	default:
		return tool.Errorf(tool.Internal, "wire cannot fill in a %s", v.Type())
	}
	return d.at(n, path, err)
}

// scalar hands the text of a string or number to a type that reads it itself.
func (d decoder) scalar(n *node, into encoding.TextUnmarshaler, path string) error {
	if n.kind != textNode && n.kind != numberNode {
		return d.at(n, path, n.want(textNode))
	}
	return d.at(n, path, into.UnmarshalText([]byte(n.text)))
}

func (d decoder) object(n *node, v reflect.Value, path string) error {
	if err := n.want(objectNode); err != nil {
		return d.at(n, path, err)
	}
	fields := fieldsOf(v.Type())
	for i := range n.keys {
		if err := d.member(n, i, fields, v, path); err != nil {
			return err
		}
	}
	if d.all != nil && len(*d.all) > 0 { // what is read is not whole
		return nil
	}
	if checked, ok := reflect.TypeAssert[Validator](v.Addr()); ok {
		return d.at(n, path, checked.Validate())
	}
	return nil
}

// member decodes one member of an object.
func (d decoder) member(n *node, i int, fields map[string]int, v reflect.Value, path string) error {
	key := &n.keys[i]
	path = pointer(path, key.text)
	if index, ok := fields[key.text]; ok {
		return d.decode(&n.items[i], v.Field(index), path)
	}
	return d.at(key, path, unknownKey(key.text, fields))
}

func (d decoder) dictionary(n *node, v reflect.Value, path string) error {
	if err := n.want(objectNode); err != nil {
		return d.at(n, path, err)
	}
	v.Set(reflect.MakeMapWithSize(v.Type(), len(n.keys)))
	for i, key := range n.keys {
		item := reflect.New(v.Type().Elem()).Elem()
		if err := d.decode(&n.items[i], item, pointer(path, key.text)); err != nil {
			return err
		}
		v.SetMapIndex(reflect.ValueOf(key.text).Convert(v.Type().Key()), item)
	}
	return nil
}

func (d decoder) list(n *node, v reflect.Value, path string) error {
	if err := n.want(listNode); err != nil {
		return d.at(n, path, err)
	}
	v.Set(reflect.MakeSlice(v.Type(), len(n.items), len(n.items)))
	for i := range n.items {
		if err := d.decode(&n.items[i], v.Index(i), pointer(path, strconv.Itoa(i))); err != nil {
			return err
		}
	}
	return nil
}

// at gives an error its place: that of n, or of the part of n that the error names itself. Where mistakes are gathered, it
// becomes one of them, and the error is nil until there are too many.
func (d decoder) at(n *node, path string, err error) error {
	if err == nil {
		return nil
	}
	var e *tool.Error
	if !errors.As(err, &e) {
		e = &tool.Error{Code: tool.InvalidRequest, Message: err.Error(), Cause: err}
	}
	found := mistake(d.text, n.find(e.Path), path+e.Path, e)
	if d.all != nil {
		if *d.all = append(*d.all, found); len(*d.all) < MaxMistakes {
			return nil
		}
	}
	return found
}

// fieldsOf maps the json names of a struct to the indexes of its fields.
func fieldsOf(t reflect.Type) map[string]int {
	fields := map[string]int{}
	for i := range t.NumField() {
		if name := t.Field(i).Tag.Get("json"); name != "" && name != "-" {
			fields[name] = i
		}
	}
	return fields
}

func unknownKey(name string, fields map[string]int) error {
	known := make([]string, 0, len(fields))
	for field := range fields {
		if strings.EqualFold(field, name) {
			return tool.Errorf(tool.InvalidRequest, "unknown key %q: write %s", clip(name), field)
		}
		known = append(known, field)
	}
	slices.Sort(known)
	return &tool.Error{
		Code: tool.InvalidRequest, Message: fmt.Sprintf("unknown key %q", clip(name)),
		Hint: "the keys here are " + strings.Join(known, ", "),
	}
}

// pointer extends a JSON pointer (RFC 6901).
func pointer(path, name string) string {
	return path + "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}

var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]*)$`)

func wholeNumber(n *node) error {
	if err := n.want(numberNode); err != nil {
		return err
	}
	if !decimal.MatchString(n.text) {
		return fmt.Errorf("%s is not a whole number in decimal digits", clip(n.text))
	}
	return nil
}

func setInt(n *node, v reflect.Value) error {
	if err := wholeNumber(n); err != nil {
		return err
	}
	number, err := strconv.ParseInt(n.text, 10, v.Type().Bits())
	if err != nil {
		return fmt.Errorf("%s is out of range", clip(n.text))
	}
	v.SetInt(number)
	return nil
}

func setUint(n *node, v reflect.Value) error {
	if err := wholeNumber(n); err != nil {
		return err
	}
	number, err := strconv.ParseUint(n.text, 10, v.Type().Bits())
	if err != nil {
		return fmt.Errorf("%s is out of range", clip(n.text))
	}
	v.SetUint(number)
	return nil
}

var decimalPoint = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$`)

func setFloat(n *node, v reflect.Value) error {
	if err := n.want(numberNode); err != nil {
		return err
	}
	number, err := strconv.ParseFloat(n.text, 64)
	switch {
	case !decimalPoint.MatchString(n.text):
		return fmt.Errorf("%s is not a number in decimal digits", clip(n.text))
	case err != nil || math.IsInf(number, 0):
		return fmt.Errorf("%s is out of range", clip(n.text))
	}
	v.SetFloat(number)
	return nil
}
