package peers

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"example.com/toolsmith/assets"
	"example.com/toolsmith/wasmjs/meter"
)

// openUnmetered makes our engine from its module without the fuel checks. Deadlines and budgets do not bind in it. It
// is only for a process of its own: the embedded module is exchanged for the whole process.
func openUnmetered(ctx context.Context, cache string) (Engine, error) {
	module, err := unmeter(assets.QuickJS)
	if err != nil {
		return nil, err
	}
	assets.QuickJS = module
	return openOurs(ctx, cache)
}

// Parts of a wasm module.
const (
	headerSize  = 8
	sectionCode = 10
)

// unmeter returns a copy of a metered module whose functions do not take fuel. All else that metering adds stays: the
// virtual memory size, the low mark of the stack, bulk operations in pieces.
func unmeter(module []byte) ([]byte, error) {
	check, err := findCheck(module)
	if err != nil {
		return nil, err
	}
	out := bytes.Clone(module[:headerSize])
	for rest := module[headerSize:]; len(rest) > 0; {
		id := rest[0]
		body, after, err := sized(rest[1:])
		if err != nil {
			return nil, err
		}
		if id == sectionCode {
			if body, err = strip(body, check); err != nil {
				return nil, err
			}
		}
		out = appendSized(append(out, id), body)
		rest = after
	}
	return out, nil
}

// strip returns the code section without the check.
func strip(section, check []byte) ([]byte, error) {
	count, n := binary.Uvarint(section)
	if n <= 0 {
		return nil, errForm
	}
	out := bytes.Clone(section[:n])
	rest := section[n:]
	for range count {
		body, after, err := sized(rest)
		if err != nil {
			return nil, err
		}
		out = appendSized(out, bytes.ReplaceAll(body, check, nil))
		rest = after
	}
	return out, nil
}

// fuelExport is how the export section names the fuel global; the global's index follows.
var fuelExport = append([]byte{byte(len(meter.ExportFuel))}, meter.ExportFuel+"\x03"...)

// findCheck returns the instructions by which the functions of a metered module take one unit of fuel: global.get F,
// i64.const 1, i64.sub, global.set F, global.get F, i64.const 0, i64.lt_s, if, global.get F, call R, global.set F, end.
func findCheck(module []byte) ([]byte, error) {
	_, at, ok := bytes.Cut(module, fuelExport)
	fuel, known := leb(at)
	if !ok || !known {
		return nil, fmt.Errorf("%w: it does not export %s", errForm, meter.ExportFuel)
	}
	get, set := append([]byte{0x23}, fuel...), append([]byte{0x24}, fuel...)
	head := slices.Concat(get, []byte{0x42, 1, 0x7d}, set, get, []byte{0x42, 0, 0x53, 0x04, 0x40}, get, []byte{0x10})
	_, at, ok = bytes.Cut(module, head)
	refill, known := leb(at)
	if !ok || !known {
		return nil, fmt.Errorf("%w: no function takes fuel in the known way", errForm)
	}
	return slices.Concat(head, refill, set, []byte{0x0b}), nil
}

// leb returns the bytes of the number that text begins with.
func leb(text []byte) ([]byte, bool) {
	_, n := binary.Uvarint(text)
	return text[:max(n, 0)], n > 0
}

// errForm means that metering has changed in a way that this package must learn.
var errForm = errors.New("the engine's module is not metered as expected")

// sized splits text that begins with its own length.
func sized(text []byte) (body, after []byte, err error) {
	size, n := binary.Uvarint(text)
	if n <= 0 || size > uint64(len(text)-n) { //nolint:gosec // n counts bytes of text
		return nil, nil, fmt.Errorf("%w: %d bytes announced, %d there", errForm, size, len(text))
	}
	end := n + int(size) //nolint:gosec // bounded by the length of the text
	return text[n:end], text[end:], nil
}

func appendSized(out, body []byte) []byte {
	return append(binary.AppendUvarint(out, uint64(len(body))), body...)
}
