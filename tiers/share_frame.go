package tiers

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"net"
	"time"

	"example.com/toolsmith/runtime/tool"
)

// A frame is the length of what follows (4 bytes, big endian), its kind (1 byte), and fields, each behind its length (4 bytes,
// big endian).
type frame struct {
	kind   byte
	fields [][]byte
}

// What a guest asks. Those that are not answered tell what went wrong with the next answer.
const (
	askHello     = 'h' // greeting, nonce -> nonce, proof
	askProve     = 'p' // proof, party, lane
	askView      = 'v' // not answered
	askUpdate    = 'u' // not answered
	askAlone     = 'a' // not answered
	askGet       = 'g' // key -> the value, or no field
	askScan      = 's' // prefix, how, limit, and from where -> keys and values
	askSet       = 'w' // key, value; not answered
	askDelete    = 'd' // key; not answered
	askCommit    = 'c' // sequence
	askEnd       = 'e' // not answered
	askSync      = 'y'
	askCommitted = 'k' // lane, sequence -> a field when it was
	askFollow    = 'f' // then sayEntries for ever
)

// What a holder answers.
const (
	sayOK       = 'O'
	sayMore     = 'M' // pairs, and there are more
	sayConflict = 'X'
	sayFailed   = 'F' // a *tool.Error as JSON
	sayOtherKey = 'K'
	sayEntries  = 'N' // of audit logs; none of them only says that the holder is there
)

// Bounds of frames.
const (
	maxHelloBytes = 1 << 10 // before a peer has proved that it has the key
	maxFrameBytes = 1<<17 + maxFieldBytes
	maxPairs      = 512       // of a batch
	maxBatchBytes = 256 << 10 // and its last pair
	maxFields     = 2*maxPairs + 8
)

var errFrame = errors.New("the frame is damaged")

// readFrame reads a frame of at most so many bytes. Memory is taken as its bytes arrive.
func readFrame(in io.Reader, most int) (frame, error) {
	var head [5]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return frame{}, err
	}
	size := int64(binary.BigEndian.Uint32(head[:])) - 1
	if size < 0 || size >= int64(most) {
		return frame{}, errFrame
	}
	var body bytes.Buffer
	if _, err := io.CopyN(&body, in, size); err != nil {
		return frame{}, err
	}
	fields, ok := cutFields(body.Bytes())
	if !ok {
		return frame{}, errFrame
	}
	return frame{head[4], fields}, nil
}

func cutFields(data []byte) (fields [][]byte, ok bool) {
	for len(data) > 0 {
		if len(data) < 4 || len(fields) == maxFields {
			return nil, false
		}
		size := int64(binary.BigEndian.Uint32(data))
		data = data[4:]
		if size > int64(len(data)) {
			return nil, false
		}
		fields = append(fields, data[:size:size])
		data = data[size:]
	}
	return fields, true
}

// writeFrame writes a frame.
func writeFrame(out *bufio.Writer, f frame) error {
	size := 1
	for _, field := range f.fields {
		size += 4 + len(field)
	}
	if size > maxFrameBytes {
		return errFrame
	}
	_, _ = out.Write(binary.BigEndian.AppendUint32(nil, uint32(size)))
	_ = out.WriteByte(f.kind)
	for _, field := range f.fields {
		writeField(out, field)
	}
	_, err := out.Write(nil) // the first error of all of them
	return err
}

// wire is a connection that carries frames. It is for one goroutine.
type wire struct {
	conn net.Conn
	in   *bufio.Reader
	out  *bufio.Writer
	most int // bytes of a frame that is taken
}

func newWire(conn net.Conn) wire {
	const buffer = 16 << 10
	return wire{conn: conn, in: bufio.NewReaderSize(conn, buffer), out: bufio.NewWriterSize(conn, buffer), most: maxHelloBytes}
}

// put writes a frame that goes with the next one that is sent, or earlier.
func (w *wire) put(kind byte, fields ...[]byte) error { return writeFrame(w.out, frame{kind, fields}) }

// send writes a frame, and waits at most so long for a peer that does not read.
func (w *wire) send(patience time.Duration, kind byte, fields ...[]byte) error {
	if err := w.conn.SetWriteDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if err := w.put(kind, fields...); err != nil {
		return err
	}
	return w.out.Flush()
}

// receive reads a frame, and waits at most so long for it.
func (w *wire) receive(patience time.Duration) (frame, error) {
	if err := w.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return frame{}, err
	}
	return readFrame(w.in, w.most)
}

// encodeError writes an error for a peer: what it was caused by stays here.
func encodeError(err error) []byte {
	const most = 4 << 10
	failed := *tool.AsError(err)
	failed.Message, failed.Hint = cutText(failed.Message, most), cutText(failed.Hint, most)
	text, err := json.Marshal(tool.Error{Code: failed.Code, Message: failed.Message, Path: failed.Path, Hint: failed.Hint})
	if err != nil {
		return nil
	}
	return text
}

func cutText(text string, most int) string { return text[:min(len(text), most)] }

// decodeError reads the error of a peer.
func decodeError(f frame) error {
	failed := &tool.Error{}
	if len(f.fields) != 1 || json.Unmarshal(f.fields[0], failed) != nil || failed.Code == "" {
		return &tool.Error{Code: tool.Unavailable, Message: "the process that holds the store gives no reason"}
	}
	return failed
}
