// URL and URLSearchParams of the WHATWG URL standard (review draft of August 2026).
//
// The standard's state machine walks code points; an interpreter is quicker at cutting strings, so each state is
// cut here where the machine would leave it: fragment and query first, then scheme, authority and path. A path is
// kept as text, "/" before each segment. Failure is null.
//
// Approximated: the mapping of names that are not ASCII (UTS 46) is case folding and NFKC; joiners are allowed after
// any mark or Arabic letter; bidi rules, and "xn--" labels beside others that are not ASCII, are not checked.
(function (native) {
  'use strict';
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const text = String.prototype;
  const slice = uncurry(text.slice), indexOf = uncurry(text.indexOf), lastIndexOf = uncurry(text.lastIndexOf);
  const lower = uncurry(text.toLowerCase), upper = uncurry(text.toUpperCase), normalize = uncurry(text.normalize);
  const split = uncurry(text.split), concat = uncurry(text.concat), codePointAt = uncurry(text.codePointAt);
  const wellFormed = uncurry(text.toWellFormed);
  const exec = uncurry(RegExp.prototype.exec), hexOf = uncurry(Number.prototype.toString);
  const arrays = Array.prototype, push = uncurry(arrays.push), join = uncurry(arrays.join), sort = uncurry(arrays.sort);
  const bytesOf = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), 'buffer').get;
  const bufferOf = uncurry(bytesOf), charOf = String.fromCharCode, { utf8Decode } = native;
  const encodeComponent = encodeURIComponent, decodeComponent = decodeURIComponent;
  const { ownKeys, getOwnPropertyDescriptor, apply } = Reflect, { iterator, toStringTag } = Symbol;
  const Bytes = Uint8Array, Pattern = RegExp, int = parseInt, floor = Math.floor, Invalid = TypeError;

  const SPECIAL = { __proto__: null, ftp: 21, file: null, http: 80, https: 443, ws: 80, wss: 443 }; // default ports
  const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
  const SINGLE_DOT = /^(?:\.|%2e)$/i, DOUBLE_DOT = /^(?:\.|%2e){2}$/i, DOT_SEGMENT = /\/(?:\.|%2e)/i;
  const DRIVE = /^[a-z][:|]$/i, STARTS_WITH_DRIVE = /^[a-z][:|](?:[/\\]|$)/i, DRIVE_PATH = /^\/[a-z]:(?:\/|$)/i;
  const FORBIDDEN_HOST = /[\0\t\n\r #/:<>?@[\\\]^|]/, FORBIDDEN_DOMAIN = /[\0- #%/:<>?@[\\\]^|\x7f]/;
  const PLAIN_DOMAIN = /^[a-z0-9._-]+$/i, NOT_ASCII = /[^\0-\x7f]/, ESCAPES = /(?:%[0-9a-f]{2})+/gi;
  const ENDS_IN_NUMBER = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)\.?$/i, LEADING_DIGITS = /^[0-9]+/;
  const TAB_OR_NEWLINE = /[\t\n\r]/, AFTER_HOST = /[/?#]/, AFTER_SPECIAL_HOST = /[/\\?#]/;

  // Percent-encode sets, as runs of what must be encoded.
  const C0_CONTROL = /[^ -~]+/g, FRAGMENT = /[^!#-;=?-_a-~]+/g, QUERY = /[^!$-;=?-~]+/g;
  const SPECIAL_QUERY = /[^!$-&(-;=?-~]+/g, PATH = /[^!$-;=@-\]_a-z|~]+/g, USERINFO = /[^!$-.0-9A-Z_a-z~]+/g;

  const usv = (value) => wellFormed(concat('', value)); // not a template: in QuickJS those call the guest's concat
  const test = (pattern, s) => exec(pattern, s) !== null;
  const isSpecial = (scheme) => SPECIAL[scheme] !== undefined;
  const replace = (s, from, to) => (indexOf(s, from) < 0 ? s : join(split(s, from), to));
  const need = (args, n) => {
    if (args.length < n) throw new Invalid(`${n} argument${n > 1 ? 's' : ''} needed, ${args.length} given`);
  };

  // rewrite returns s with every match of pattern (global) replaced by what to makes of it.
  function rewrite(s, pattern, to) {
    let out = '', end = 0, m;
    pattern.lastIndex = 0;
    while ((m = exec(pattern, s)) !== null) {
      out += slice(s, end, m.index) + to(m[0]);
      end = m.index + m[0].length;
    }
    return end === 0 ? s : out + slice(s, end);
  }

  // escape percent-encodes what the language's own function would leave alone, too.
  const SPARED = /[!'()~]/g, ESCAPED = { __proto__: null, '!': '%21', "'": '%27', '(': '%28', ')': '%29', '~': '%7E' };
  const escape = (run) => rewrite(encodeComponent(run), SPARED, (c) => ESCAPED[c]);
  const encode = (s, set) => rewrite(s, set, set === SPECIAL_QUERY ? escape : encodeComponent);
  const formEncode = (s) => replace(escape(s), '%20', '+');

  const decode = (s) => (indexOf(s, '%') < 0 ? s : rewrite(s, ESCAPES, unescape));
  function unescape(run) {
    try {
      return decodeComponent(run);
    } catch {
      return unescapeMalformed(run);
    }
  }
  function unescapeMalformed(run) {
    const n = run.length / 3, bytes = new Bytes(n);
    for (let i = 0; i < n; i++) bytes[i] = int(slice(run, 3 * i + 1, 3 * i + 3), 16);
    return utf8Decode(bufferOf(bytes), 0, n, false);
  }

  // ---- hosts

  function parseHost(s, opaque) {
    if (s[0] === '[') return s[s.length - 1] === ']' ? parseIPv6(slice(s, 1, -1)) : null;
    if (opaque) return test(FORBIDDEN_HOST, s) ? null : encode(s, C0_CONTROL);
    let name = decode(s);
    name = test(NOT_ASCII, name) ? domainToASCII(name) : lower(name);
    if (name === null || name === '') return null;
    if (!test(PLAIN_DOMAIN, name) && test(FORBIDDEN_DOMAIN, name)) return null;
    return test(ENDS_IN_NUMBER, name) ? parseIPv4(name) : name;
  }

  let ignored, disallowed; // made on first use: most tools never see a name that is not ASCII
  function domainToASCII(name) {
    ignored ??= new Pattern('[\\xad\\u034f\\u180b-\\u180f\\u200b\\u2060\\u2064\\ufe00-\\ufe0f\\ufeff]+', 'g');
    disallowed ??= new Pattern('^\\p{M}|(?<![\\p{M}\\p{sc=Arab}])\\u200c|(?<!\\p{M})\\u200d' +
      '|(?![\\u200c\\u200d])[\\p{C}\\p{Z}\\ufffc\\ufffd]', 'u');
    let s = rewrite(normalize(name, 'NFKC'), ignored, () => '');
    s = replace(normalize(rewrite(s, FOLDED, foldCase), 'NFKC'), '\u3002', '.');
    const labels = split(s, '.');
    for (let i = 0; i < labels.length; i++) {
      const label = labels[i], ascii = !test(NOT_ASCII, label);
      if (slice(label, 0, 4) === 'xn--' && (!ascii || label[label.length - 1] === '-')) return null;
      if (ascii) continue;
      if (test(disallowed, label)) return null;
      labels[i] = 'xn--' + punycode(label);
    }
    return join(labels, '.');
  }

  const FOLDED = /[^ßςı]+/g; // what case folding may change
  const foldCase = (run) => lower(replace(upper(run), 'Σ', 'σ'));

  // punycode encodes a label as RFC 3492 has it.
  function punycode(label) {
    const points = [];
    let out = '';
    for (let i = 0, c; i < label.length; i += c > 0xffff ? 2 : 1) {
      push(points, (c = codePointAt(label, i)));
      if (c < 128) out += label[i];
    }
    const basic = out.length;
    if (basic > 0) out += '-';
    let n = 128, delta = 0, bias = 72;
    for (let done = basic; done < points.length; n++, delta++) {
      let next = Infinity;
      for (let i = 0; i < points.length; i++) if (points[i] >= n && points[i] < next) next = points[i];
      delta += (next - n) * (done + 1);
      n = next;
      for (let i = 0; i < points.length; i++) {
        if (points[i] < n) delta++;
        if (points[i] !== n) continue;
        let q = delta;
        for (let k = 36; ; k += 36) {
          const t = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
          if (q < t) break;
          out += punycodeDigit(t + ((q - t) % (36 - t)));
          q = floor((q - t) / (36 - t));
        }
        out += punycodeDigit(q);
        let d = done === basic ? floor(delta / 700) : delta >> 1, k = 0;
        for (d += floor(d / ++done); d > 455; k += 36) d = floor(d / 35);
        bias = k + floor((36 * d) / (d + 38));
        delta = 0;
      }
    }
    return out;
  }
  const punycodeDigit = (d) => charOf(d < 26 ? d + 97 : d + 22);

  function parseIPv4(s) {
    const parts = split(s, '.');
    if (parts[parts.length - 1] === '') parts.length--;
    const last = parts.length - 1;
    if (last > 3) return null;
    let address = 0;
    for (let i = 0; i <= last; i++) {
      const n = parseIPv4Number(parts[i]);
      if (n === null || n >= (i === last ? 256 ** (4 - last) : 256)) return null;
      address += i === last ? n : n * 256 ** (3 - i);
    }
    return join([address >>> 24, (address >> 16) & 255, (address >> 8) & 255, address & 255], '.');
  }

  function parseIPv4Number(s) {
    if (test(/^[0-9]+$/, s)) {
      if (s[0] !== '0' || s.length === 1) return int(s, 10);
      return test(/^[0-7]+$/, s) ? int(s, 8) : null;
    }
    return test(/^0x[0-9a-f]*$/i, s) ? int(s + (s.length === 2 ? '0' : ''), 16) : null;
  }

  function parseIPv6(s) {
    const halves = split(s, '::');
    if (halves.length > 2) return null;
    const head = parsePieces(halves[0], halves.length === 1), tail = parsePieces(halves[1] ?? '', true);
    if (head === null || tail === null) return null;
    const zeros = 8 - head.length - tail.length;
    if (halves.length === 1 ? zeros !== 0 : zeros < 1) return null;
    for (let i = 0; i < zeros; i++) push(head, 0);
    for (let i = 0; i < tail.length; i++) push(head, tail[i]);
    return '[' + serializeIPv6(head) + ']';
  }

  // parsePieces parses one side of "::"; only the last side may end in an IPv4 address.
  function parsePieces(s, isLast) {
    const pieces = [];
    if (s === '') return pieces;
    const parts = split(s, ':');
    for (let i = 0; i < parts.length; i++) {
      if (test(/^[0-9a-f]{1,4}$/i, parts[i])) {
        push(pieces, int(parts[i], 16));
        continue;
      }
      if (!isLast || i < parts.length - 1) return null;
      const m = exec(/^(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})\.(0|[1-9][0-9]{0,2})$/, parts[i]);
      if (m === null || m[1] > 255 || m[2] > 255 || m[3] > 255 || m[4] > 255) return null;
      push(pieces, m[1] * 256 + +m[2], m[3] * 256 + +m[4]);
    }
    return pieces;
  }

  function serializeIPv6(pieces) {
    let best = -1, size = 1; // the first longest run of two zeros or more
    for (let i = 0; i < 8; i++) {
      let j = i;
      while (j < 8 && pieces[j] === 0) j++;
      if (j - i > size) (best = i), (size = j - i);
      if (j > i) i = j - 1;
    }
    let out = '';
    for (let i = 0; i < 8; i++) {
      if (i === best) {
        out += i === 0 ? '::' : ':';
        i += size - 1;
      } else out += hexOf(pieces[i], 16) + (i < 7 ? ':' : '');
    }
    return out;
  }

  // ---- the parser

  const record = (scheme) => ({
    scheme, username: '', password: '', host: null, port: null, path: '', opaque: false, query: null, fragment: null,
  });

  const clean = (s) => (test(TAB_OR_NEWLINE, s) ? rewrite(s, /[\t\n\r]+/g, () => '') : s);

  function trim(s) {
    let i = 0, j = s.length;
    while (i < j && s[i] <= ' ') i++;
    while (i < j && s[j - 1] <= ' ') j--;
    return slice(s, i, j);
  }

  function parse(input, base) {
    let s = clean(trim(input)), query = null, fragment = null;
    let i = indexOf(s, '#');
    if (i >= 0) (fragment = slice(s, i + 1)), (s = slice(s, 0, i));
    i = indexOf(s, '?');
    if (i >= 0) (query = slice(s, i + 1)), (s = slice(s, 0, i));
    const m = exec(SCHEME, s);
    let u;
    if (m !== null) u = parseAbsolute(record(lower(slice(m[0], 0, -1))), slice(s, m[0].length), base, query, fragment);
    else if (base === null) u = null;
    else if (base.opaque) u = s === '' && query === null && fragment !== null ? { ...base } : null;
    else u = (base.scheme === 'file' ? parseFile : parseRelative)(record(base.scheme), s, base);
    if (u === null) return null;
    if (query !== null) setQuery(u, query);
    u.fragment = fragment === null ? null : encode(fragment, FRAGMENT);
    return u;
  }

  function setQuery(u, query) {
    u.query = encode(query, isSpecial(u.scheme) ? SPECIAL_QUERY : QUERY);
  }

  function parseAbsolute(u, s, base, query, fragment) {
    if (u.scheme === 'file') return parseFile(u, s, base?.scheme === 'file' ? base : null);
    if (isSpecial(u.scheme)) {
      if (base?.scheme === u.scheme && slice(s, 0, 2) !== '//') return parseRelative(u, s, base);
      return parseAuthority(u, skipSlashes(s));
    }
    if (slice(s, 0, 2) === '//') return parseAuthority(u, slice(s, 2));
    if (s[0] === '/') return appendPath(u, slice(s, 1));
    const spaced = s[s.length - 1] === ' ' && (query !== null || fragment !== null);
    u.opaque = true;
    u.path = encode(spaced ? slice(s, 0, -1) : s, C0_CONTROL) + (spaced ? '%20' : '');
    return u;
  }

  const isSlash = (c, special) => c === '/' || (c === '\\' && special);
  function skipSlashes(s) {
    let i = 0;
    while (isSlash(s[i], true)) i++;
    return slice(s, i);
  }

  // hostEnd returns where the host (and port) at the start of s ends.
  function hostEnd(s, special) {
    const m = exec(special ? AFTER_SPECIAL_HOST : AFTER_HOST, s);
    return m === null ? s.length : m.index;
  }

  function parseRelative(u, s, base) {
    const special = isSpecial(u.scheme), slash = isSlash(s[0], special);
    if (slash && special && isSlash(s[1], true)) return parseAuthority(u, skipSlashes(s));
    if (slash && s[1] === '/') return parseAuthority(u, slice(s, 2));
    u.username = base.username, u.password = base.password, u.host = base.host, u.port = base.port;
    if (slash) return appendPath(u, slice(s, 1));
    return parseFrom(u, s, base);
  }

  // parseFrom resolves a path without a leading slash against that of base.
  function parseFrom(u, s, base) {
    u.path = base.path;
    if (s === '') {
      u.query = base.query;
      return u;
    }
    shorten(u);
    return appendPath(u, s);
  }

  function parseFile(u, s, base) {
    u.host = '';
    if (!isSlash(s[0], true)) {
      if (base === null) return appendPath(u, s);
      u.host = base.host;
      return test(STARTS_WITH_DRIVE, s) ? appendPath(u, s) : parseFrom(u, s, base);
    }
    if (isSlash(s[1], true)) return parseFileHost(u, slice(s, 2));
    s = slice(s, 1);
    if (base !== null) {
      u.host = base.host;
      if (!test(STARTS_WITH_DRIVE, s) && test(DRIVE_PATH, base.path)) u.path = slice(base.path, 0, 3);
    }
    return appendPath(u, s);
  }

  function parseFileHost(u, s) {
    const end = hostEnd(s, true), name = slice(s, 0, end);
    if (test(DRIVE, name)) return appendPath(u, s);
    if (!setFileHost(u, name)) return null;
    return appendPath(u, slice(s, end + 1));
  }

  function setFileHost(u, name) {
    const host = name === '' ? '' : parseHost(name, false);
    if (host === null) return false;
    u.host = host === 'localhost' ? '' : host;
    return true;
  }

  function parseAuthority(u, s) {
    const special = isSpecial(u.scheme), end = hostEnd(s, special);
    let authority = slice(s, 0, end);
    const at = lastIndexOf(authority, '@');
    if (at >= 0) {
      const colon = indexOf(authority, ':');
      const nameEnd = colon < 0 || colon > at ? at : colon;
      u.username = encode(slice(authority, 0, nameEnd), USERINFO);
      u.password = encode(slice(authority, nameEnd + 1, at), USERINFO);
      authority = slice(authority, at + 1);
      if (authority === '') return null;
    }
    const colon = portColon(authority), name = colon < 0 ? authority : slice(authority, 0, colon);
    if (name === '' && (special || colon >= 0)) return null;
    u.host = parseHost(name, !special);
    if (u.host === null) return null;
    const port = colon < 0 ? '' : slice(authority, colon + 1);
    if (port !== '' && setPort(u, port) < port.length) return null;
    return end === s.length && !special ? u : appendPath(u, slice(s, end + 1));
  }

  // portColon returns the index of the first colon outside brackets, or -1.
  function portColon(s) {
    if (indexOf(s, '[') < 0) return indexOf(s, ':');
    for (let i = 0, inside = false; i < s.length; i++) {
      if (s[i] === '[') inside = true;
      else if (s[i] === ']') inside = false;
      else if (s[i] === ':' && !inside) return i;
    }
    return -1;
  }

  // setPort sets the port from the digits s starts with and returns how many it used, 0 when it is no port.
  function setPort(u, s) {
    const m = exec(LEADING_DIGITS, s);
    if (m === null) return 0;
    const port = int(m[0], 10);
    if (port > 65535) return 0;
    u.port = port === SPECIAL[u.scheme] ? null : port;
    return m[0].length;
  }

  function shorten(u) {
    if (u.scheme === 'file' && u.path.length === 3 && test(DRIVE_PATH, u.path)) return;
    u.path = slice(u.path, 0, lastIndexOf(u.path, '/') < 0 ? 0 : lastIndexOf(u.path, '/'));
  }

  // appendPath appends the segments in s to u's path and returns u.
  function appendPath(u, s) {
    s = encode(s, PATH);
    if (isSpecial(u.scheme)) s = replace(s, '\\', '/');
    if (u.scheme !== 'file' && !test(DOT_SEGMENT, '/' + s)) {
      u.path += '/' + s;
      return u;
    }
    for (let i = 0, j; i >= 0; i = j + 1) {
      j = indexOf(s, '/', i);
      const last = j < 0;
      let segment = last ? slice(s, i) : slice(s, i, j);
      if (test(DOUBLE_DOT, segment)) shorten(u);
      else if (!test(SINGLE_DOT, segment)) {
        if (u.scheme === 'file' && u.path === '' && test(DRIVE, segment)) segment = segment[0] + ':';
        u.path += '/' + segment;
        if (last) break;
        continue;
      }
      if (last) {
        u.path += '/';
        break;
      }
    }
    return u;
  }

  function serialize(u) {
    let out = u.scheme + ':';
    if (u.host !== null) {
      out += '//';
      if (u.username !== '' || u.password !== '') out += u.username + (u.password === '' ? '' : ':' + u.password) + '@';
      out += hostAndPort(u);
    } else if (!u.opaque && slice(u.path, 0, 2) === '//') out += '/.';
    out += u.path;
    if (u.query !== null) out += '?' + u.query;
    return u.fragment === null ? out : out + '#' + u.fragment;
  }

  const hostAndPort = (u) => (u.host === null ? '' : u.port === null ? u.host : u.host + ':' + u.port);

  function originOf(u) {
    if (u.scheme === 'blob') {
      const inner = parse(u.path, null);
      return inner !== null && (inner.scheme === 'http' || inner.scheme === 'https') ? originOf(inner) : 'null';
    }
    return isSpecial(u.scheme) && u.scheme !== 'file' ? u.scheme + '://' + hostAndPort(u) : 'null';
  }

  function resolve(url, base) {
    const s = usv(url);
    if (base === undefined) return parse(s, null);
    const b = parse(usv(base), null);
    return b === null ? null : parse(s, b);
  }

  // ---- setters: the parser's "state override"

  function setProtocol(u, value) {
    const m = exec(SCHEME, clean(value) + ':');
    if (m === null) return;
    const scheme = lower(slice(m[0], 0, -1));
    if (isSpecial(u.scheme) !== isSpecial(scheme)) return;
    if (scheme === 'file' && (u.username !== '' || u.password !== '' || u.port !== null)) return;
    if (u.scheme === 'file' && u.host === '') return;
    u.scheme = scheme;
    if (u.port === SPECIAL[scheme]) u.port = null;
  }

  function setHost(u, value, withPort) {
    if (u.opaque) return;
    const special = isSpecial(u.scheme);
    let s = clean(value);
    s = slice(s, 0, hostEnd(s, special));
    if (u.scheme === 'file') {
      setFileHost(u, s);
      return;
    }
    const colon = portColon(s), name = colon < 0 ? s : slice(s, 0, colon);
    if (colon >= 0 && !withPort) return;
    if (name === '' && (special || colon >= 0 || u.username !== '' || u.password !== '' || u.port !== null)) return;
    const host = parseHost(name, !special);
    if (host === null) return;
    u.host = host;
    if (colon >= 0) setPort(u, slice(s, colon + 1));
  }

  function setPathname(u, value) {
    if (u.opaque) return;
    const s = clean(value), special = isSpecial(u.scheme);
    u.path = '';
    if (s === '' && !special) u.path = u.host === null ? '/' : '';
    else appendPath(u, isSlash(s[0], special) ? slice(s, 1) : s);
  }

  const noCredentials = (u) => u.host === null || u.host === '' || u.scheme === 'file';

  // ---- URLSearchParams

  function parseForm(s) {
    const list = [], parts = split(s, '&');
    for (let i = 0; i < parts.length; i++) {
      const part = replace(parts[i], '+', ' ');
      if (part === '') continue;
      const eq = indexOf(part, '=');
      push(list, eq < 0 ? [decode(part), ''] : [decode(slice(part, 0, eq)), decode(slice(part, eq + 1))]);
    }
    return list;
  }

  function serializeForm(list) {
    let out = '';
    for (let i = 0; i < list.length; i++) out += (i ? '&' : '') + formEncode(list[i][0]) + '=' + formEncode(list[i][1]);
    return out;
  }

  function pairsOf(init) {
    const list = [];
    if (init[iterator] !== undefined && init[iterator] !== null) {
      for (const item of init) {
        const pair = [];
        if (item === null || typeof item !== 'object')
          throw new Invalid('URLSearchParams: each item must be a [name, value] pair');
        for (const part of item) push(pair, usv(part));
        if (pair.length !== 2) throw new Invalid(`URLSearchParams: a pair must have 2 items, not ${pair.length}`);
        push(list, pair);
      }
      return list;
    }
    const keys = ownKeys(init);
    for (let i = 0; i < keys.length; i++)
      if (getOwnPropertyDescriptor(init, keys[i])?.enumerable) push(list, [usv(keys[i]), usv(init[keys[i]])]);
    return list;
  }

  let load, follow; // what URL may do to its URLSearchParams

  class URLSearchParams {
    #list;
    #changed = null;
    constructor(init = '') {
      if (init !== null && (typeof init === 'object' || typeof init === 'function')) this.#list = pairsOf(init);
      else {
        const s = usv(init);
        this.#list = parseForm(s[0] === '?' ? slice(s, 1) : s);
      }
    }
    static {
      load = (params, query) => (params.#list = parseForm(query));
      follow = (params, changed) => (params.#changed = changed);
    }
    #replace(list) {
      this.#list = list;
      this.#changed?.(serializeForm(list));
    }
    #without(name, value) {
      const kept = [];
      for (let i = 0; i < this.#list.length; i++) {
        const pair = this.#list[i];
        if (pair[0] !== name || (value !== undefined && pair[1] !== value)) push(kept, pair);
      }
      return kept;
    }
    get size() { return this.#list.length; }
    append(name, value) {
      need(arguments, 2);
      push(this.#list, [usv(name), usv(value)]);
      this.#replace(this.#list);
    }
    delete(name, value = undefined) {
      need(arguments, 1);
      this.#replace(this.#without(usv(name), value === undefined ? value : usv(value)));
    }
    get(name) {
      need(arguments, 1);
      name = usv(name);
      for (let i = 0; i < this.#list.length; i++) if (this.#list[i][0] === name) return this.#list[i][1];
      return null;
    }
    getAll(name) {
      need(arguments, 1);
      const values = [];
      name = usv(name);
      for (let i = 0; i < this.#list.length; i++) if (this.#list[i][0] === name) push(values, this.#list[i][1]);
      return values;
    }
    has(name, value = undefined) {
      need(arguments, 1);
      return this.#without(usv(name), value === undefined ? value : usv(value)).length < this.#list.length;
    }
    set(name, value) {
      need(arguments, 2);
      name = usv(name), value = usv(value);
      const list = [];
      let found = false;
      for (let i = 0; i < this.#list.length; i++) {
        if (this.#list[i][0] !== name) push(list, this.#list[i]);
        else if (!found) found = push(list, [name, value]) > 0;
      }
      if (!found) push(list, [name, value]);
      this.#replace(list);
    }
    sort() {
      this.#replace(sort(this.#list, (a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0)));
    }
    forEach(callback, self = undefined) {
      need(arguments, 1);
      if (typeof callback !== 'function') throw new Invalid('URLSearchParams.forEach: the callback must be a function');
      for (let i = 0; i < this.#list.length; i++) apply(callback, self, [this.#list[i][1], this.#list[i][0], this]);
    }
    #iterate(show) {
      return new Pairs((i) => this.#list[i], show);
    }
    entries() { return this.#iterate((pair) => [pair[0], pair[1]]); }
    keys() { return this.#iterate((pair) => pair[0]); }
    values() { return this.#iterate((pair) => pair[1]); }
    toString() { return serializeForm(this.#list); }
  }

  // Pairs iterates over the live list of search parameters.
  class Pairs extends Iterator {
    #at;
    #show;
    #i = 0;
    constructor(at, show) {
      super();
      this.#at = at;
      this.#show = show;
    }
    next() {
      const pair = this.#at(this.#i);
      if (pair === undefined) return { value: undefined, done: true };
      this.#i++;
      return { value: this.#show(pair), done: false };
    }
  }

  // ---- URL

  const PARSED = {}; // stands for "the second argument is a record"

  class URL {
    #u;
    #params = null;
    constructor(url, base = undefined) {
      need(arguments, 1);
      this.#u = url === PARSED ? base : resolve(url, base);
      if (this.#u !== null) return;
      throw new Invalid('Invalid URL: ' + usv(url) + (base === undefined ? '' : ', base ' + usv(base)));
    }
    static canParse(url, base = undefined) {
      need(arguments, 1);
      return resolve(url, base) !== null;
    }
    static parse(url, base = undefined) {
      need(arguments, 1);
      const u = resolve(url, base);
      return u === null ? null : new URL(PARSED, u);
    }
    #reload(query) {
      if (this.#params !== null) load(this.#params, query);
    }
    get searchParams() {
      if (this.#params === null) {
        this.#params = new URLSearchParams();
        this.#reload(this.#u.query ?? '');
        follow(this.#params, (query) => (this.#u.query = query === '' ? null : query));
      }
      return this.#params;
    }
    get href() { return serialize(this.#u); }
    set href(value) {
      const u = parse(usv(value), null);
      if (u === null) throw new Invalid(`Invalid URL: ${usv(value)}`);
      this.#u = u;
      this.#reload(u.query ?? '');
    }
    get origin() { return originOf(this.#u); }
    get protocol() { return this.#u.scheme + ':'; }
    set protocol(value) { setProtocol(this.#u, usv(value)); }
    get username() { return this.#u.username; }
    set username(value) {
      value = usv(value);
      if (!noCredentials(this.#u)) this.#u.username = encode(value, USERINFO);
    }
    get password() { return this.#u.password; }
    set password(value) {
      value = usv(value);
      if (!noCredentials(this.#u)) this.#u.password = encode(value, USERINFO);
    }
    get host() { return hostAndPort(this.#u); }
    set host(value) { setHost(this.#u, usv(value), true); }
    get hostname() { return this.#u.host ?? ''; }
    set hostname(value) { setHost(this.#u, usv(value), false); }
    get port() { return this.#u.port === null ? '' : '' + this.#u.port; }
    set port(value) {
      value = usv(value);
      if (noCredentials(this.#u)) return;
      if (value === '') this.#u.port = null;
      else setPort(this.#u, clean(value));
    }
    get pathname() { return this.#u.path; }
    set pathname(value) { setPathname(this.#u, usv(value)); }
    get search() { return this.#u.query ? '?' + this.#u.query : ''; }
    set search(value) {
      value = usv(value);
      const query = value[0] === '?' ? slice(value, 1) : value;
      if (value === '') this.#u.query = null;
      else setQuery(this.#u, clean(query));
      this.#reload(query);
    }
    get hash() { return this.#u.fragment ? '#' + this.#u.fragment : ''; }
    set hash(value) {
      value = usv(value);
      const fragment = clean(value[0] === '#' ? slice(value, 1) : value);
      this.#u.fragment = value === '' ? null : encode(fragment, FRAGMENT);
    }
    toString() { return serialize(this.#u); }
    toJSON() { return serialize(this.#u); }
  }

  const define = (target, key, value) =>
    Object.defineProperty(target, key, { value, writable: true, enumerable: false, configurable: true });
  const tag = (C, name) => Object.defineProperty(C.prototype, toStringTag, { value: name, configurable: true });
  define(URLSearchParams.prototype, iterator, URLSearchParams.prototype.entries);
  tag(Pairs, 'URLSearchParams Iterator');
  tag(URLSearchParams, 'URLSearchParams');
  tag(URL, 'URL');
  define(globalThis, 'URLSearchParams', URLSearchParams);
  define(globalThis, 'URL', URL);
})
