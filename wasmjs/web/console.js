// console, over native.log. Showing a value runs no guest code (but for toJSON and getters under %j) and never throws:
// accessors show as [Getter], proxies as [Proxy]. A call writes at most 65,536 UTF-16 units. Texts are put together
// with +, since in QuickJS a template calls String.prototype.concat, which the guest may have replaced.
(function (native) {
  'use strict';
  const uncurry = Function.prototype.bind.bind(Function.prototype.call), { log: write, classOf, isProxy } = native;
  const { getOwnPropertyDescriptor: descriptorOf, getPrototypeOf, ownKeys } = Reflect;
  const { hasOwn, is, keys: keysOf } = Object, { stringify } = JSON;
  const method = (C, name) => uncurry(C.prototype[name]);
  const getter = (C, name) => uncurry(descriptorOf(C.prototype, name).get);
  const slice = method(String, 'slice'), indexOf = method(String, 'indexOf'), split = method(String, 'split');
  const trimEnd = method(String, 'trimEnd'), symbolText = method(Symbol, 'toString'), exec = method(RegExp, 'exec');
  const push = method(Array, 'push'), join = method(Array, 'join'), TypedArray = getPrototypeOf(Uint8Array);
  const now = performance.now.bind(performance), { round } = Math, Trace = Error, integer = parseInt, float = parseFloat;

  const UNITS = 65536, STRING = 10240, ITEMS = 100, DEPTH = 4, CUT = '… (cut)', IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
  let left; // about how many units this call may still show

  const cut = (s, n) => (s.length > n ? slice(s, 0, n) + CUT : s);
  const quote = (s) => (s.length > STRING ? stringify(slice(s, 0, STRING)) + CUT : stringify(s));
  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const isPlain = (value) => isObject(value) && !isProxy(value); // can be looked at without running guest code

  // dataIn returns the value of object's data property, own or inherited, or undefined.
  function dataIn(object, key) {
    for (let o = object; isPlain(o); o = getPrototypeOf(o)) {
      const d = descriptorOf(o, key);
      if (d !== undefined) return hasOwn(d, 'value') ? d.value : undefined;
    }
    return undefined;
  }

  function className(object) {
    const proto = getPrototypeOf(object), name = dataIn(dataIn(proto, 'constructor'), 'name');
    if (proto === null) return '[null prototype]';
    return typeof name === 'string' && name !== '' ? cut(name, ITEMS) : classOf(object);
  }

  // show returns value as text; up is the chain of objects around it, null at the top.
  function show(value, up) {
    if (isObject(value)) return showObject(value, up);
    const text = showPrimitive(value);
    left -= text.length;
    return text;
  }

  function showPrimitive(value) {
    if (typeof value === 'string') return quote(value);
    if (typeof value === 'symbol') return cut(symbolText(value), STRING);
    if (typeof value === 'bigint') return value + 'n';
    return is(value, -0) ? '-0' : '' + value;
  }

  function showObject(value, up) {
    if (!isPlain(value)) return '[Proxy]';
    for (let o = up; o !== null; o = o.up) if (o.value === value) return '[Circular]';
    const name = className(value), here = { value, up, depth: up === null ? 0 : up.depth + 1 };
    const kind = typeof value === 'function' ? 'Function' : classOf(value);
    left -= name.length;
    if (LEAVES[kind] !== undefined) return LEAVES[kind](value, name, here);
    if (here.depth > DEPTH) return '[' + name + ']';
    if (NODES[kind] !== undefined) return NODES[kind](value, name, here);
    if (KNOWN[name] !== undefined) {
      try {
        return name + ' ' + quote(KNOWN[name](value));
      } catch {
        // a class of the guest with that name
      }
    }
    return braces(name === 'Object' ? '' : name + ' ', members(value, here, 0));
  }

  const braces = (name, list) => name + (list.length === 0 ? '{}' : '{ ' + join(list, ', ') + ' }');
  const more = (list, n) => push(list, '… ' + n + ' more');
  const full = (list) => list.length >= ITEMS || left < 0;

  // members shows the enumerable own properties of object from index i of its keys on, but those that hide names.
  function members(object, here, i, hide) {
    const list = [], keys = ownKeys(object);
    for (; i < keys.length; i++) {
      if (!descriptorOf(object, keys[i]).enumerable || hide?.[keys[i]]) continue;
      if (full(list)) {
        more(list, keys.length - i);
        break;
      }
      const key = showKey(keys[i]);
      left -= key.length;
      push(list, key + ': ' + member(object, keys[i], here));
    }
    return list;
  }

  function showKey(key) {
    if (typeof key === 'symbol') return '[' + showPrimitive(key) + ']';
    return exec(IDENTIFIER, key) === null ? quote(key) : cut(key, STRING);
  }

  function member(object, key, here) {
    const d = descriptorOf(object, key);
    return hasOwn(d, 'value') ? show(d.value, here) : d.get === undefined ? '[Setter]' : '[Getter]';
  }

  function showArray(array, name, here) {
    const list = [], n = classOf(array) === 'Array' ? array.length : typedLength(array);
    let i = 0, empty = 0, extra = [];
    for (let from = 0; i < n && i < ITEMS && left >= 0; from = i) {
      while (i < n && i < ITEMS && !hasOwn(array, i)) i++;
      empty += i - from;
      push(list, i > from ? '<' + (i - from) + ' empty>' : member(array, i++, here));
    }
    if (i < n) more(list, n - i);
    else if (name === 'Array') extra = members(array, here, i - empty);
    for (let k = 0; k < extra.length; k++) push(list, extra[k]);
    return (name === 'Array' ? '' : name + '(' + n + ') ') + '[' + join(list, ', ') + ']';
  }
  const typedLength = getter(TypedArray, 'length');

  // collection returns what shows a Map or Set.
  function collection(C, one) {
    const sizeOf = getter(C, 'size'), entries = method(C, 'entries');
    const next = uncurry(getPrototypeOf(new C().entries()).next);
    return (value, name, here) => {
      const list = [], iterator = entries(value), n = sizeOf(value);
      for (let i = 0; i < n && !full(list); i++) push(list, one(next(iterator).value, here));
      if (list.length < n) more(list, n - list.length);
      return braces(name + '(' + n + ') ', list);
    };
  }

  const HEAD = { __proto__: null, name: true, message: true, stack: true }; // what the head of an error shows already
  function showError(error, name, here) {
    const isDOM = classOf(error) === 'DOMException', given = isDOM ? domName(error) : dataIn(error, 'name');
    const message = isDOM ? domMessage(error) : dataIn(error, 'message');
    const stack = dataIn(error, 'stack') ?? stackOf(error);
    let text = typeof given === 'string' && given !== 'Error' ? cut(given, ITEMS) : name;
    if (typeof message === 'string' && message !== '') text += ': ' + cut(message, STRING);
    if (here.depth > 0) text = '[' + text + ']';
    else if (typeof stack === 'string' && indexOf(stack, text) === 0) text = stack;
    else if (typeof stack === 'string' && stack !== '') text += '\n' + trimEnd(stack);
    if (here.depth > DEPTH) return text;
    const list = members(error, here, 0, HEAD);
    for (let key = 'cause'; key !== ''; key = key === 'cause' ? 'errors' : '')
      if (descriptorOf(error, key)?.enumerable === false) push(list, key + ': ' + member(error, key, here));
    return list.length === 0 ? text : braces(text + ' ', list);
  }
  const domName = getter(DOMException, 'name'), domMessage = getter(DOMException, 'message');
  const stackOf = getter(Error, 'stack');

  const FLAGS = ['hasIndices', 'global', 'ignoreCase', 'multiline', 'dotAll', 'unicode', 'unicodeSets', 'sticky'];
  const flagGetters = FLAGS.map((name) => getter(RegExp, name));
  const sourceOf = getter(RegExp, 'source'), isoOf = method(Date, 'toISOString'), timeOf = method(Date, 'getTime');
  function showRegExp(value) {
    let text = '/' + cut(sourceOf(value), STRING) + '/';
    for (let i = 0; i < 8; i++) if (flagGetters[i](value)) text += 'dgimsuvy'[i];
    return text;
  }

  function showFunction(value, name) {
    const own = dataIn(value, 'name'), prototype = descriptorOf(value, 'prototype');
    const what = name === 'Function' && prototype?.writable === false ? 'class' : name;
    return '[' + what + ' ' + (typeof own === 'string' && own !== '' ? cut(own, ITEMS) : '(anonymous)') + ']';
  }

  // What shows a value, by its internal class: LEAVES at any depth, NODES down to DEPTH. KNOWN: library classes by name.
  const LEAVES = { __proto__: null, Function: showFunction, Error: showError, DOMException: showError };
  LEAVES.RegExp = showRegExp;
  LEAVES.Date = (value) => (is(timeOf(value), NaN) ? 'Invalid Date' : isoOf(value));
  for (const C of [Boolean, Number, String, Symbol, BigInt]) {
    const valueOf = method(C, 'valueOf');
    LEAVES[C.name] = (value, name) => '[' + name + ': ' + showPrimitive(valueOf(value)) + ']';
  }
  const NODES = { __proto__: null, Array: showArray };
  const bufferLength = getter(ArrayBuffer, 'byteLength');
  NODES.ArrayBuffer = (value, name) => name + ' { byteLength: ' + bufferLength(value) + ' }';
  NODES.Map = collection(Map, (entry, here) => show(entry[0], here) + ' => ' + show(entry[1], here));
  NODES.Set = collection(Set, (entry, here) => show(entry[0], here));
  const TYPES = 'Int8 Uint8 Uint8Clamped Int16 Uint16 Int32 Uint32 BigInt64 BigUint64 Float16 Float32 Float64';
  for (const name of TYPES.split(' ')) NODES[name + 'Array'] = showArray;
  const KNOWN = { __proto__: null };
  for (const name of ['URL', 'URLSearchParams'])
    if (globalThis[name] !== undefined) KNOWN[name] = method(globalThis[name], 'toString');

  // ---- arguments to text

  function format(args) {
    left = UNITS;
    let text = '', next = 0;
    if (args.length > 1 && typeof args[0] === 'string') {
      const pattern = args[next++];
      let from = 0;
      for (let i = indexOf(pattern, '%'); i >= 0; i = indexOf(pattern, '%', i)) {
        const letter = pattern[i + 1];
        i += 2;
        const filled = letter === '%' ? '%' : next < args.length ? fill(letter, args[next]) : undefined;
        if (filled === undefined) continue;
        if (letter !== '%') next++;
        text += slice(pattern, from, i - 2) + filled;
        from = i;
      }
      text += slice(pattern, from);
    }
    for (; next < args.length && text.length <= UNITS; next++)
      text += (next > 0 ? ' ' : '') + (typeof args[next] === 'string' ? args[next] : show(args[next], null));
    return text;
  }

  // fill returns value as the format letter wants it, undefined when there is no such letter.
  function fill(letter, value) {
    const number = (of) => (isObject(value) || typeof value === 'symbol' ? 'NaN' : showPrimitive(of(value)));
    switch (letter) {
      case 's': return typeof value === 'string' ? value : show(value, null);
      case 'd': return number((v) => (typeof v === 'bigint' ? v : +v));
      case 'i': return number((v) => (typeof v === 'bigint' ? v : integer(v)));
      case 'f': return number(float);
      case 'j': return json(value);
      case 'o': case 'O': return show(value, null);
      case 'c': return '';
    }
    return undefined;
  }

  function json(value) {
    try {
      return '' + stringify(value);
    } catch {
      return '[Throws]';
    }
  }

  // tableOf lays data out in Markdown: a line per member, a column per member of the members (or those in only).
  function tableOf(data, only) {
    left = UNITS;
    const keys = keysOf(data), columns = [], lines = [];
    const known = { __proto__: null }, here = { value: data, up: null, depth: 0 };
    const column = (name) => { if (typeof name === 'string' && !known[name]) known[name] = push(columns, name); };
    let plain = false;
    for (let i = 0; i < keys.length && i < ITEMS; i++) {
      const row = dataIn(data, keys[i]), own = isPlain(row) ? keysOf(row) : [];
      plain ||= !isPlain(row);
      for (let k = 0; only === undefined && k < own.length && columns.length < ITEMS; k++) column(own[k]);
    }
    if (isPlain(only)) for (let k = 0; k < ITEMS; k++) column(dataIn(only, k));
    if (keys.length === 0) return show(data, null);
    const line = (first, cell, last) => {
      let text = '| ' + first + ' |';
      for (let k = 0; k < columns.length; k++) text += ' ' + cell(columns[k]) + ' |';
      push(lines, plain ? text + ' ' + last + ' |' : text);
    };
    line('(index)', (name) => name, 'Values');
    line('---', () => '---', '---');
    for (let i = 0; i < keys.length && i < ITEMS && left >= 0; i++) {
      const row = dataIn(data, keys[i]), cells = isPlain(row);
      const cell = (name) => (cells && hasOwn(row, name) ? member(row, name, here) : '');
      line(keys[i], cell, cells ? '' : member(data, keys[i], here));
    }
    if (lines.length - 2 < keys.length) more(lines, keys.length - lines.length + 2);
    return join(lines, '\n');
  }

  // ---- methods

  let indent = '';
  const counts = { __proto__: null }, timers = { __proto__: null };

  // print writes what make returns; whatever happens in it (the stack may be used up), it does not throw.
  function print(level, make) {
    let text = '[Throws]';
    try {
      text = make();
      if (indent !== '') text = indent + join(split(text, '\n'), '\n' + indent);
      text = cut(text, UNITS - CUT.length);
    } catch {}
    write(level, text);
  }

  const writer = (level) => (...args) => print(level, () => format(args));
  const withMore = (text, args) => (args.length > 0 ? text + ' ' + format(args) : text);
  const labelOf = (label) => (label === undefined ? 'default' : typeof label === 'string' ? label : format([label]));

  const lap = (label, args, stop) =>
    print('log', () => {
      const name = labelOf(label), start = timers[name];
      if (start === undefined) return 'Timer ' + quote(name) + ' was not started';
      if (stop) timers[name] = undefined;
      return withMore(name + ': ' + round((now() - start) * 1000) / 1000 + 'ms', args);
    });

  const group = (...args) => {
    if (args.length > 0) print('log', () => format(args));
    if (indent.length < 40) indent += '  ';
  };

  const console = {
    log: writer('log'), info: writer('info'), warn: writer('warn'), error: writer('error'), debug: writer('debug'),
    group, groupCollapsed: group,
    groupEnd() { indent = slice(indent, 2); },
    dir(value) { print('log', () => ((left = UNITS), show(value, null))); },
    table(data, columns) { print('log', () => (isPlain(data) ? tableOf(data, columns) : format([data]))); },
    assert(condition, ...args) {
      const title = typeof args[0] === 'string' ? 'Assertion failed:' : 'Assertion failed';
      if (!condition) print('error', () => withMore(title, args));
    },
    trace(...args) {
      print('log', () => {
        let stack = stackOf(new Trace());
        for (let i = 0; i < 3; i++) stack = slice(stack, indexOf(stack, '\n') + 1); // our own frames
        return (args.length > 0 ? 'Trace: ' + format(args) : 'Trace') + '\n' + trimEnd(stack);
      });
    },
    count(label) { print('log', () => (label = labelOf(label)) + ': ' + (counts[label] = (counts[label] ?? 0) + 1)); },
    countReset(label) { counts[labelOf(label)] = 0; },
    time(label) { timers[labelOf(label)] = now(); },
    timeEnd(label) { lap(label, [], true); },
    timeLog(label, ...args) { lap(label, args, false); },
  };
  const define = (target, key, value) =>
    Object.defineProperty(target, key, { value, writable: true, enumerable: false, configurable: true });
  define(console, Symbol.toStringTag, 'console');
  define(globalThis, 'console', console);
})
