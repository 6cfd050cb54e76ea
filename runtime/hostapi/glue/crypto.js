// crypto: digests and message authentication codes in the shape of Node and of the web, randomness, UUIDs. What is to be
// digested is gathered here and sent once: the host keeps nothing between two calls.
(function (native) {
  'use strict';
  const { call, classOf, utf8Encode } = native;
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const lower = uncurry(String.prototype.toLowerCase), slice = uncurry(String.prototype.slice);
  const Bytes = Uint8Array, Failure = Error, Invalid = TypeError, OutOfRange = RangeError;
  const getter = (proto, name) => uncurry(Object.getOwnPropertyDescriptor(proto, name).get);
  const typed = Object.getPrototypeOf(Bytes.prototype), set = uncurry(typed.set);
  const bufferOf = getter(typed, 'buffer'), offsetOf = getter(typed, 'byteOffset'), lengthOf = getter(typed, 'byteLength');
  const viewBuffer = getter(DataView.prototype, 'buffer'), viewOffset = getter(DataView.prototype, 'byteOffset');
  const viewLength = getter(DataView.prototype, 'byteLength');

  const ALGORITHMS = { __proto__: null, sha256: true, sha384: true, sha512: true, sha1: true, md5: true };
  const DIGESTS = { __proto__: null, 'sha-256': 'sha256', 'sha-384': 'sha384', 'sha-512': 'sha512', 'sha-1': 'sha1' };
  const ENCODINGS = { __proto__: null, hex: true, base64: true, base64url: true, bytes: true };
  const INTEGERS = {
    __proto__: null, Int8Array: true, Uint8Array: true, Uint8ClampedArray: true, Int16Array: true, Uint16Array: true,
    Int32Array: true, Uint32Array: true, BigInt64Array: true, BigUint64Array: true,
  };

  function algorithmNamed(name) {
    if (typeof name !== 'string') throw new Invalid('the name of an algorithm is a string, such as sha256');
    let plain = lower(name);
    if (slice(plain, 0, 4) === 'sha-') plain = 'sha' + slice(plain, 4);
    if (!ALGORITHMS[plain]) throw new Failure('there is no algorithm called ' + slice(name, 0, 40) + ': use sha256, sha384, sha512, sha1 or md5');
    return plain;
  }

  // bytesIn returns the bytes of a buffer or view, shared with it.
  function bytesIn(data, what) {
    const kind = classOf(data);
    if (kind === 'ArrayBuffer' || kind === 'SharedArrayBuffer') return new Bytes(data);
    if (kind === 'DataView') return new Bytes(viewBuffer(data), viewOffset(data), viewLength(data));
    let buffer;
    try {
      buffer = bufferOf(data);
    } catch {
      throw new Invalid(what + ' must be a typed array, a DataView or an ArrayBuffer');
    }
    return new Bytes(buffer, offsetOf(data), lengthOf(data));
  }

  const NONE = new Bytes(0), MOST = 16777216; // the host's own bound

  // check has the host refuse what is too large for it before any of it is copied.
  function check(operation, algorithm, size) {
    if (size > MOST) call(operation, { algorithm, size });
  }

  // Hash gathers bytes until they are digested, once.
  class Hash {
    #operation; #algorithm; #key; #bytes = NONE; #length = 0; #done = false;

    constructor(operation, algorithm, key) {
      this.#operation = operation;
      this.#algorithm = algorithm;
      if (key !== undefined) this.#append(key);
      this.#key = this.#length;
    }

    update(data, encoding) {
      if (this.#done) throw new Failure('this hash was digested: make a new one');
      if (encoding !== undefined && encoding !== 'utf8' && encoding !== 'utf-8')
        throw new Invalid('update takes a string of text or bytes; turn other encodings into a Uint8Array first');
      this.#append(data);
      return this;
    }

    digest(encoding = 'bytes') {
      if (this.#done) throw new Failure('this hash was digested: make a new one');
      if (typeof encoding !== 'string' || !ENCODINGS[encoding])
        throw new Invalid('digest gives hex, base64, base64url or bytes');
      this.#done = true;
      const all = new Bytes(bufferOf(this.#bytes), 0, this.#length);
      const answer = call(this.#operation, { algorithm: this.#algorithm, encoding, key: this.#key }, all);
      this.#bytes = NONE;
      return encoding === 'bytes' ? new Bytes(answer.bytes) : answer;
    }

    #append(data) {
      const text = typeof data === 'string';
      const bytes = text ? utf8Encode(data) : bytesIn(data, 'what is not a string');
      const total = this.#length + lengthOf(bytes);
      check(this.#operation, this.#algorithm, total);
      if (text && this.#length === 0) {
        this.#bytes = bytes;
      } else {
        if (total > lengthOf(this.#bytes)) this.#grow(total * 2);
        set(this.#bytes, bytes, this.#length);
      }
      this.#length = total;
    }

    #grow(size) {
      const bytes = new Bytes(size);
      set(bytes, new Bytes(bufferOf(this.#bytes), 0, this.#length));
      this.#bytes = bytes;
    }
  }

  const subtle = {
    async digest(algorithm, data) {
      const name = typeof algorithm === 'object' && algorithm !== null ? algorithm.name : algorithm;
      const plain = typeof name === 'string' ? DIGESTS[lower(name)] : undefined;
      if (plain === undefined) throw new Failure('crypto.subtle.digest knows SHA-256, SHA-384, SHA-512 and SHA-1');
      const bytes = bytesIn(data, 'the data');
      check('crypto.digest', plain, lengthOf(bytes));
      return call('crypto.digest', { algorithm: plain, encoding: 'bytes' }, bytes).bytes;
    },
  };

  const crypto = {
    randomUUID() { return call('crypto.randomUUID'); },
    getRandomValues(array) {
      if (!INTEGERS[classOf(array)]) throw new Invalid('getRandomValues fills a typed array of integers');
      const bytes = bytesIn(array);
      if (lengthOf(bytes) > 65536) throw new OutOfRange('getRandomValues fills at most 65536 bytes at once');
      set(bytes, new Bytes(call('crypto.randomValues', null, bytes).bytes)); // sent for its size, which is charged
      return array;
    },
    createHash(algorithm) { return new Hash('crypto.digest', algorithmNamed(algorithm)); },
    createHmac(algorithm, key) {
      if (key === undefined) throw new Invalid('createHmac takes a key, a string or bytes');
      return new Hash('crypto.hmac', algorithmNamed(algorithm), key);
    },
    timingSafeEqual(a, b) {
      const left = bytesIn(a, 'the first argument'), right = bytesIn(b, 'the second argument'), size = lengthOf(left);
      if (lengthOf(right) !== size) throw new OutOfRange('timingSafeEqual compares arguments of the same number of bytes');
      const both = new Bytes(size * 2);
      set(both, left);
      set(both, right, size);
      return call('crypto.timingSafeEqual', null, both);
    },
    subtle,
  };
  Object.defineProperty(globalThis, 'crypto', { value: crypto, writable: true, enumerable: false, configurable: true });
})
