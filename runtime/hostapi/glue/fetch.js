// fetch, Headers, Request and Response of the Fetch standard, over the operations "fetch" and "fetch.abort".
//
// The host keeps the rules: what may be asked, of whom, and which headers go out. Here is only the shape. A response
// is there when its whole body is, so `body` is no stream; headers may be changed on either side.
(function (native) {
  'use strict';
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const { utf8Encode, utf8Decode, classOf } = native;
  const text = String.prototype, { iterator, toStringTag } = Symbol, { isArray } = Array, parse = JSON.parse;
  const concat = uncurry(text.concat), lower = uncurry(text.toLowerCase), upper = uncurry(text.toUpperCase);
  const slice = uncurry(text.slice), exec = uncurry(RegExp.prototype.exec), then = uncurry(Promise.prototype.then);
  const push = uncurry(Array.prototype.push), sort = uncurry(Array.prototype.sort);
  const { apply, ownKeys } = Reflect, { getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const Bytes = Uint8Array, Later = Promise, Invalid = TypeError, OutOfRange = RangeError;
  const getter = (proto, name) => uncurry(getOwnPropertyDescriptor(proto, name).get);
  const typed = getPrototypeOf(Bytes.prototype), set = uncurry(typed.set);
  const bufferOf = getter(typed, 'buffer'), offsetOf = getter(typed, 'byteOffset'), lengthOf = getter(typed, 'byteLength');
  const bufferLength = getter(ArrayBuffer.prototype, 'byteLength'), bufferSlice = uncurry(ArrayBuffer.prototype.slice);
  const viewBuffer = getter(DataView.prototype, 'buffer'), viewOffset = getter(DataView.prototype, 'byteOffset');
  const viewLength = getter(DataView.prototype, 'byteLength');
  const define = (target, key, value) =>
    Object.defineProperty(target, key, { value, writable: true, enumerable: false, configurable: true });
  const tag = (C, name) => Object.defineProperty(C.prototype, toStringTag, { value: name, configurable: true });
  const string = (value) => concat('', value); // not a template: in QuickJS those call the guest's concat
  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const test = (pattern, s) => exec(pattern, s) !== null;

  // What the tool did not load it cannot pass.
  const signals = globalThis.AbortSignal && {
    aborted: getter(AbortSignal.prototype, 'aborted'), reason: getter(AbortSignal.prototype, 'reason'),
    listen: uncurry(EventTarget.prototype.addEventListener), forget: uncurry(EventTarget.prototype.removeEventListener),
  };
  const paramsText = globalThis.URLSearchParams && uncurry(URLSearchParams.prototype.toString);

  // ---- Headers

  const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/, VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

  function headerName(name) {
    name = string(name);
    if (!test(NAME, name)) throw new Invalid('a header name may hold letters, digits and - only, not ' + quoted(name));
    return lower(name);
  }

  function headerValue(name, value) {
    value = trim(string(value));
    if (!test(VALUE, value)) throw new Invalid('the value of header ' + name + ' holds a line break or another character that headers cannot carry');
    return value;
  }

  const blank = (c) => c === ' ' || c === '\t' || c === '\n' || c === '\r';
  function trim(s) {
    let from = 0, to = s.length;
    while (from < to && blank(s[from])) from++;
    while (from < to && blank(s[to - 1])) to--;
    return slice(s, from, to);
  }

  const quoted = (s) => '"' + (s.length > 60 ? slice(s, 0, 60) + '…' : s) + '"';

  let fieldsOf; // the list of a Headers, or null of anything else

  class Headers {
    #fields = []; // {name, value} in the order in which they came
    constructor(init = undefined) {
      if (init !== undefined) fill(this.#fields, init);
    }
    static {
      fieldsOf = (value) => (isObject(value) && #fields in value ? value.#fields : null);
    }
    append(name, value) {
      name = headerName(name);
      push(this.#fields, { name, value: headerValue(name, value) });
    }
    set(name, value) {
      name = headerName(name);
      value = headerValue(name, value);
      drop(this.#fields, name);
      push(this.#fields, { name, value });
    }
    delete(name) { drop(this.#fields, headerName(name)); }
    get(name) { return combined(this.#fields, headerName(name)); }
    has(name) { return combined(this.#fields, headerName(name)) !== null; }
    getSetCookie() {
      const values = [];
      for (let i = 0; i < this.#fields.length; i++) if (this.#fields[i].name === 'set-cookie') push(values, this.#fields[i].value);
      return values;
    }
    forEach(callback, self = undefined) {
      const list = sorted(this.#fields);
      for (let i = 0; i < list.length; i++) apply(callback, self, [list[i].value, list[i].name, this]);
    }
    *entries() {
      const list = sorted(this.#fields);
      for (let i = 0; i < list.length; i++) yield [list[i].name, list[i].value];
    }
    *keys() {
      const list = sorted(this.#fields);
      for (let i = 0; i < list.length; i++) yield list[i].name;
    }
    *values() {
      const list = sorted(this.#fields);
      for (let i = 0; i < list.length; i++) yield list[i].value;
    }
  }
  define(Headers.prototype, iterator, Headers.prototype.entries);

  function drop(fields, name) {
    let n = 0;
    for (let i = 0; i < fields.length; i++) if (fields[i].name !== name) fields[n++] = fields[i];
    fields.length = n;
  }

  function combined(fields, name) {
    let all = null;
    for (let i = 0; i < fields.length; i++)
      if (fields[i].name === name) all = all === null ? fields[i].value : all + ', ' + fields[i].value;
    return all;
  }

  // sorted returns the fields by name, one for each name; only cookies stay apart.
  function sorted(fields) {
    const list = [];
    for (let i = 0; i < fields.length; i++) push(list, { name: fields[i].name, value: fields[i].value });
    sort(list, (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)); // stable
    let n = 0;
    for (let i = 0; i < list.length; i++) {
      const field = list[i];
      if (n > 0 && list[n - 1].name === field.name && field.name !== 'set-cookie') list[n - 1].value += ', ' + field.value;
      else list[n++] = field;
    }
    list.length = n;
    return list;
  }

  function fill(fields, init) {
    const add = (name, value) => {
      name = headerName(name);
      push(fields, { name, value: headerValue(name, value) });
    };
    if (!isObject(init)) throw new Invalid('headers must be an object, a list of pairs or Headers');
    const given = fieldsOf(init);
    if (given) {
      for (let i = 0; i < given.length; i++) push(fields, { name: given[i].name, value: given[i].value });
    } else if (typeof init[iterator] === 'function') {
      for (const pair of init) {
        if (!isArray(pair) || pair.length !== 2) throw new Invalid('headers given as a list must be pairs of name and value');
        add(pair[0], pair[1]);
      }
    } else {
      const keys = ownKeys(init);
      for (let i = 0; i < keys.length; i++) if (getOwnPropertyDescriptor(init, keys[i])?.enumerable) add(keys[i], init[keys[i]]);
    }
  }

  // ---- bodies

  let isContent;

  // Content is a body as bytes, null when there is none, and the content type that goes with it, if any.
  class Content {
    #made = true;
    constructor(bytes, type = null) {
      this.bytes = bytes;
      this.type = type;
    }
    static {
      isContent = (value) => #made in value;
    }
  }

  // encode makes a Content of whatever may be a body.
  function encode(body) {
    if (body === null || body === undefined) return new Content(null);
    if (!isObject(body)) return new Content(utf8Encode(string(body)), 'text/plain;charset=UTF-8');
    if (isContent(body)) return body;
    const bytes = bytesIn(body);
    if (bytes) return new Content(bytes);
    let params = null;
    try { params = paramsText?.(body) ?? null; } catch { /* something else */ }
    if (params !== null) return new Content(utf8Encode(params), 'application/x-www-form-urlencoded;charset=UTF-8');
    throw new Invalid('a body must be a string, URLSearchParams, an ArrayBuffer or a typed array; for an object use JSON.stringify');
  }

  // bytesIn returns a copy of the bytes of a buffer or view, or null when value is neither.
  function bytesIn(value) {
    const kind = classOf(value);
    if (kind === 'ArrayBuffer') return new Bytes(bufferSlice(value, 0, bufferLength(value)));
    if (kind === 'DataView') return copy(new Bytes(viewBuffer(value), viewOffset(value), viewLength(value)));
    try {
      return copy(new Bytes(bufferOf(value), offsetOf(value), lengthOf(value)));
    } catch {
      return null;
    }
  }

  function copy(view) {
    const bytes = new Bytes(lengthOf(view));
    set(bytes, view);
    return bytes;
  }

  let unread; // the bytes of a body that is still to be read, or null when it has none

  class Body {
    #bytes; // over a whole buffer
    #used = false;
    constructor(bytes) { this.#bytes = bytes; }
    static {
      unread = (body) => {
        if (body.#used) throw new Invalid('the body was already read');
        return body.#bytes;
      };
    }
    #take() {
      const bytes = unread(this);
      if (bytes) this.#used = true;
      this.#bytes = null;
      return bytes ?? new Bytes(0);
    }
    get bodyUsed() { return this.#used; }
    async bytes() { return this.#take(); }
    async arrayBuffer() { return bufferOf(this.#take()); }
    async text() { return decode(this.#take()); }
    async json() { return parse(decode(this.#take())); }
  }

  function decode(bytes) {
    const n = lengthOf(bytes), s = n === 0 ? '' : utf8Decode(bufferOf(bytes), 0, n, false);
    return s[0] === '\ufeff' ? slice(s, 1) : s;
  }

  // copyOf is a Content of its own, of a body that stays readable.
  function copyOf(body) {
    const bytes = unread(body);
    return new Content(bytes && copy(bytes));
  }

  // ---- Request

  let partsOf; // what a Request was made of, or null of anything else

  class Request extends Body {
    #parts;
    constructor(input, init = undefined) {
      if (arguments.length === 0) throw new Invalid('a Request needs an address');
      const parts = readRequest(input, init);
      super(parts.body.bytes);
      this.#parts = parts;
    }
    static {
      partsOf = (value) => (isObject(value) && #parts in value ? value.#parts : null);
    }
    get url() { return this.#parts.url; }
    get method() { return this.#parts.method; }
    get headers() { return this.#parts.headers; }
    get redirect() { return this.#parts.redirect; }
    get signal() { return this.#parts.signal; }
    clone() {
      unread(this);
      return new Request(this);
    }
  }

  // readRequest reads each member of what fetch and Request take once, in a fixed order.
  function readRequest(input, init) {
    if (init !== undefined && init !== null && !isObject(init)) throw new Invalid('the options of a request must be an object');
    const base = readBase(input), option = (name) => init?.[name] ?? base[name];
    const method = upper(string(option('method') ?? 'GET'));
    const headers = new Headers(option('headers') ?? undefined);
    const body = encode(option('body'));
    const redirect = string(option('redirect') ?? 'follow');
    const signal = option('signal') ?? null;
    if (body.bytes && (method === 'GET' || method === 'HEAD')) throw new Invalid('a request with method ' + method + ' cannot have a body');
    if (redirect !== 'follow' && redirect !== 'error' && redirect !== 'manual')
      throw new Invalid('redirect must be "follow", "error" or "manual", not ' + quoted(redirect));
    if (signal !== null) isAborted(signal);
    addType(headers, body);
    return { __proto__: null, url: base.url, method, headers, body, redirect, signal };
  }

  // readBase reads an address: a Request, an object with a url, or anything else as its text.
  function readBase(input) {
    const parts = partsOf(input);
    if (parts) {
      const { url, method, headers, redirect, signal } = parts;
      return { __proto__: null, url, method, headers, body: copyOf(input), redirect, signal };
    }
    const url = isObject(input) ? input.url : undefined;
    if (url === undefined) return { __proto__: null, url: string(input) };
    const { method, headers, body, redirect, signal } = input;
    return { __proto__: null, url: string(url), method, headers, body, redirect, signal };
  }

  function addType(headers, body) {
    const fields = fieldsOf(headers);
    if (body.type && combined(fields, 'content-type') === null) push(fields, { name: 'content-type', value: body.type });
  }

  function isAborted(signal) {
    try {
      return signals.aborted(signal);
    } catch {
      throw new Invalid('signal must be an AbortSignal');
    }
  }

  // ---- Response

  let respond; // makes the Response of a Content and an answer of the host

  class Response extends Body {
    #status;
    #statusText;
    #headers;
    #url = '';
    #redirected = false;
    #type = 'default';
    constructor(body = undefined, init = undefined) {
      const content = encode(body);
      super(content.bytes);
      this.#status = +(init?.status ?? 200);
      if (!(this.#status >= 100 && this.#status <= 999) || this.#status % 1 !== 0)
        throw new OutOfRange('a status must be a whole number from 100 to 999');
      this.#statusText = string(init?.statusText ?? '');
      this.#headers = new Headers(init?.headers ?? undefined);
      addType(this.#headers, content);
    }
    static {
      respond = (content, answer) => {
        const response = new Response(content, answer);
        response.#url = answer.url;
        response.#redirected = answer.redirected;
        response.#type = 'basic';
        return response;
      };
    }
    get status() { return this.#status; }
    get statusText() { return this.#statusText; }
    get ok() { return this.#status >= 200 && this.#status < 300; }
    get headers() { return this.#headers; }
    get url() { return this.#url; }
    get redirected() { return this.#redirected; }
    get type() { return this.#type; }
    clone() {
      const copy = new Response(copyOf(this), { __proto__: null, status: this.#status, statusText: this.#statusText, headers: this.#headers });
      copy.#url = this.#url;
      copy.#redirected = this.#redirected;
      copy.#type = this.#type;
      return copy;
    }
  }

  // ---- fetch

  let last = 0;

  async function fetch(input, init = undefined) {
    if (arguments.length === 0) throw new Invalid('fetch needs an address');
    const { url, method, headers, body, redirect, signal } = readRequest(input, init);
    if (signal !== null && isAborted(signal)) throw signals.reason(signal);
    const id = ++last, fields = sorted(fieldsOf(headers)), pairs = [];
    for (let i = 0; i < fields.length; i++) pairs[i] = [fields[i].name, fields[i].value];
    const pending = native.request('fetch', { id, url, method, headers: pairs, redirect }, body.bytes ?? undefined);
    const answer = await (signal === null ? pending : abortable(pending, signal, id));
    return respond(new Content(answer.bytes ? new Bytes(answer.bytes) : null), answer);
  }

  // abortable is answer unless signal aborts first: then the host is told to drop the request.
  const abortable = (answer, signal, id) =>
    new Later((resolve, reject) => {
      const stop = () => {
        native.call('fetch.abort', id);
        reject(signals.reason(signal));
      };
      const settle = (how) => (value) => {
        signals.forget(signal, 'abort', stop);
        how(value);
      };
      signals.listen(signal, 'abort', stop);
      then(answer, settle(resolve), settle(reject));
    });

  tag(Headers, 'Headers');
  tag(Request, 'Request');
  tag(Response, 'Response');
  define(globalThis, 'fetch', fetch);
  define(globalThis, 'Headers', Headers);
  define(globalThis, 'Request', Request);
  define(globalThis, 'Response', Response);
})
