// TextEncoder and TextDecoder of the WHATWG encoding standard, for UTF-8, UTF-16 and windows-1252 (also called latin1).
(function (native) {
  'use strict';
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const { utf8Encode, utf8Decode, classOf } = native;
  const text = String.prototype, charCode = String.fromCharCode, { apply } = Reflect;
  const Bytes = Uint8Array, Invalid = TypeError, OutOfRange = RangeError;
  const slice = uncurry(text.slice), lower = uncurry(text.toLowerCase), split = uncurry(text.split);
  const concat = uncurry(text.concat), charCodeAt = uncurry(text.charCodeAt);
  const wellFormed = uncurry(text.toWellFormed), isWellFormed = uncurry(text.isWellFormed);
  const getter = (proto, name) => uncurry(Object.getOwnPropertyDescriptor(proto, name).get);
  const typed = Object.getPrototypeOf(Bytes.prototype);
  const bufferOf = getter(typed, 'buffer'), offsetOf = getter(typed, 'byteOffset');
  const lengthOf = getter(typed, 'byteLength'), bufferLength = getter(ArrayBuffer.prototype, 'byteLength');
  const viewBuffer = getter(DataView.prototype, 'buffer'), viewOffset = getter(DataView.prototype, 'byteOffset');
  const viewLength = getter(DataView.prototype, 'byteLength');
  const set = uncurry(typed.set);
  const define = (target, key, value) =>
    Object.defineProperty(target, key, { value, writable: true, enumerable: false, configurable: true });
  const tag = (C, name) => Object.defineProperty(C.prototype, Symbol.toStringTag, { value: name, configurable: true });

  class TextEncoder {
    get encoding() { return 'utf-8'; }
    encode(input = '') { return utf8Encode(concat('', input)); }
    encodeInto(source, destination) {
      source = concat('', source);
      if (classOf(destination) !== 'Uint8Array')
        throw new Invalid('TextEncoder.encodeInto: the destination must be a Uint8Array');
      const room = lengthOf(destination), read = source.length * 3 <= room ? source.length : fitting(source, room);
      const bytes = utf8Encode(slice(source, 0, read));
      set(destination, bytes);
      return { read, written: lengthOf(bytes) };
    }
  }

  // fitting returns how many code units of s fit into room bytes of UTF-8.
  function fitting(s, room) {
    let i = 0;
    for (let c, units; i < s.length; i += units) {
      c = charCodeAt(s, i);
      units = c >= 0xd800 && c < 0xdc00 && charCodeAt(s, i + 1) >= 0xdc00 && charCodeAt(s, i + 1) < 0xe000 ? 2 : 1;
      room -= units === 2 ? 4 : c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
      if (room < 0) break;
    }
    return i;
  }

  const LABELS = { __proto__: null };
  const NAMES = {
    'utf-8': 'unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8',
    'utf-16le': 'csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le',
    'utf-16be': 'unicodefffe utf-16be',
    'windows-1252': 'ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 iso8859-1 iso88591 ' +
      'iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 x-cp1252',
  };
  for (const name in NAMES) for (const label of split(NAMES[name], ' ')) LABELS[label] = name;
  const HIGH_1252 = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'; // 0x80 to 0x9f

  function encodingNamed(label) {
    let i = 0, j = label.length;
    const blank = (c) => c === ' ' || c === '\t' || c === '\n' || c === '\f' || c === '\r';
    while (i < j && blank(label[i])) i++;
    while (i < j && blank(label[j - 1])) j--;
    const name = LABELS[lower(slice(label, i, j))];
    if (name === undefined)
      throw new OutOfRange(`TextDecoder: ${label} is none of utf-8, utf-16le, utf-16be and windows-1252`);
    return name;
  }

  const NONE = new Bytes(0);

  // bytesIn returns the bytes of a buffer or view, shared with it; none when it is detached.
  function bytesIn(input) {
    const kind = classOf(input);
    if (kind === 'ArrayBuffer') return bufferLength(input) === 0 ? NONE : new Bytes(input);
    if (kind === 'SharedArrayBuffer') return new Bytes(input);
    if (kind === 'DataView') return new Bytes(viewBuffer(input), viewOffset(input), viewLength(input));
    try {
      return lengthOf(input) === 0 ? NONE : new Bytes(bufferOf(input), offsetOf(input), lengthOf(input));
    } catch {
      throw new Invalid('TextDecoder.decode: the input must be an ArrayBuffer or a view of one');
    }
  }

  function append(a, b) {
    const n = lengthOf(a);
    if (n === 0) return b;
    const both = new Bytes(n + lengthOf(b));
    set(both, a);
    set(both, b, n);
    return both;
  }

  const malformed = (name) => new Invalid(`TextDecoder: the data is not valid ${name}`);

  // Of each encoding: whole returns how many bytes can be decoded before the next chunk is known.
  const UTF8 = {
    whole(bytes, n) {
      for (let back = 1; back <= 3 && back <= n; back++) {
        const lead = bytes[n - back];
        if (lead < 0x80) break;
        if (lead < 0xc0) continue;
        const size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf5 ? 4 : 0, next = bytes[n - back + 1];
        if (lead < 0xc2 || size <= back) break;
        const low = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
        const high = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
        return back === 1 || (next >= low && next <= high) ? n - back : n;
      }
      return n;
    },
    decode: (bytes, n, fatal) => utf8Decode(bufferOf(bytes), offsetOf(bytes), n, fatal),
  };

  const utf16 = (name, low) => ({
    whole(bytes, n) {
      const even = n - (n % 2), high = even > 0 ? bytes[even - 1 - low] : 0;
      return high >= 0xd8 && high < 0xdc ? even - 2 : even;
    },
    decode(bytes, n, fatal) {
      const out = units(n >> 1, (i) => bytes[2 * i + low] | (bytes[2 * i + 1 - low] << 8)) + (n % 2 ? '\ufffd' : '');
      if (fatal && (n % 2 || !isWellFormed(out))) throw malformed(name);
      return wellFormed(out);
    },
  });

  const WINDOWS_1252 = {
    whole: (bytes, n) => n,
    decode: (bytes, n) => units(n, (i) => (bytes[i] >> 5 === 4 ? charCodeAt(HIGH_1252, bytes[i] - 128) : bytes[i])),
  };

  function units(n, at) {
    let out = '';
    for (let i = 0; i < n; ) {
      const part = [];
      for (let k = 0; k < 1024 && i < n; k++) part[k] = at(i++);
      out += apply(charCode, undefined, part);
    }
    return out;
  }

  const CODECS = { 'utf-8': UTF8, 'windows-1252': WINDOWS_1252 };
  CODECS['utf-16le'] = utf16('utf-16le', 0);
  CODECS['utf-16be'] = utf16('utf-16be', 1);

  class TextDecoder {
    #name;
    #fatal;
    #ignoreBOM;
    #rest = NONE; // bytes kept for the next chunk
    #begun = false; // whether the place of a byte order mark is behind us
    constructor(label = 'utf-8', options = undefined) {
      this.#name = encodingNamed(concat('', label));
      this.#fatal = !!options?.fatal;
      this.#ignoreBOM = !!options?.ignoreBOM;
    }
    get encoding() { return this.#name; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#ignoreBOM; }
    decode(input = undefined, options = undefined) {
      const stream = !!options?.stream, codec = CODECS[this.#name];
      const bytes = append(this.#rest, input === undefined ? NONE : bytesIn(input)), n = lengthOf(bytes);
      const whole = stream ? codec.whole(bytes, n) : n, begun = this.#begun;
      this.#rest = NONE;
      this.#begun = false;
      let out = codec.decode(bytes, whole, this.#fatal);
      if (stream && whole < n) this.#rest = new Bytes(new Bytes(bufferOf(bytes), offsetOf(bytes) + whole, n - whole));
      if (stream) this.#begun = begun || out !== '';
      if (!begun && !this.#ignoreBOM && out[0] === '\ufeff' && this.#name !== 'windows-1252') out = slice(out, 1);
      return out;
    }
  }

  tag(TextEncoder, 'TextEncoder');
  tag(TextDecoder, 'TextDecoder');
  define(globalThis, 'TextEncoder', TextEncoder);
  define(globalThis, 'TextDecoder', TextDecoder);
})
