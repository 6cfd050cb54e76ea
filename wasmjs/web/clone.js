// structuredClone of the HTML standard. The copy is made without recursion, so depth is bounded by memory alone;
// getters run breadth first, where the standard runs them depth first.
(function (native) {
  'use strict';
  const uncurry = Function.prototype.bind.bind(Function.prototype.call), { classOf, isProxy } = native;
  const { keys, hasOwn, defineProperty } = Object, descriptorOf = Object.getOwnPropertyDescriptor, Box = Object;
  const Invalid = TypeError, Failure = DOMException, Bytes = Uint8Array, Buffer = ArrayBuffer;
  const Pattern = RegExp, Time = Date, Table = Map, Unique = Set, TypedArray = Object.getPrototypeOf(Bytes);
  const method = (C, name) => uncurry(C.prototype[name]);
  const getter = (proto, name) => uncurry(descriptorOf(proto, name).get);
  const push = method(Array, 'push'), concat = method(String, 'concat');
  const get = method(Map, 'get'), put = method(Map, 'set'), add = method(Set, 'add');
  const eachOfMap = method(Map, 'forEach'), eachOfSet = method(Set, 'forEach'), timeOf = method(Date, 'getTime');
  const booleanOf = method(Boolean, 'valueOf'), numberOf = method(Number, 'valueOf');
  const stringOf = method(String, 'valueOf'), bigintOf = method(BigInt, 'valueOf');
  const sourceOf = getter(RegExp.prototype, 'source');
  const sizeOf = getter(Buffer.prototype, 'byteLength'), maxSizeOf = getter(Buffer.prototype, 'maxByteLength');
  const isResizable = getter(Buffer.prototype, 'resizable'), isDetached = getter(Buffer.prototype, 'detached');
  const detach = method(Buffer, 'transfer'), set = method(TypedArray, 'set');
  const nameOf = getter(Failure.prototype, 'name'), messageOf = getter(Failure.prototype, 'message');
  const stackOf = getter(Error.prototype, 'stack');

  const FLAGS = ['hasIndices', 'global', 'ignoreCase', 'multiline', 'dotAll', 'unicode', 'unicodeSets', 'sticky'];
  const flagGetters = FLAGS.map((name) => getter(RegExp.prototype, name));
  function flagsOf(pattern) {
    let flags = '';
    for (let i = 0; i < 8; i++) if (flagGetters[i](pattern)) flags += 'dgimsuvy'[i];
    return flags;
  }

  // VIEWS has the constructor of each kind of view and the getters of what to give it.
  const view = (C, proto, length) => [C, getter(proto, 'buffer'), getter(proto, 'byteOffset'), getter(proto, length)];
  const VIEWS = { __proto__: null, DataView: view(DataView, DataView.prototype, 'byteLength') };
  const TYPES = 'Int8 Uint8 Uint8Clamped Int16 Uint16 Int32 Uint32 BigInt64 BigUint64 Float16 Float32 Float64';
  for (const name of TYPES.split(' '))
    VIEWS[name + 'Array'] = view(globalThis[name + 'Array'], TypedArray.prototype, 'length');

  const ERRORS = { __proto__: null, Error, EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };

  // MAKE has a function per class that returns the copy of a value without its members.
  const MAKE = {
    __proto__: null,
    Boolean: (value) => Box(booleanOf(value)),
    Number: (value) => Box(numberOf(value)),
    String: (value) => Box(stringOf(value)),
    BigInt: (value) => Box(bigintOf(value)),
    Date: (value) => new Time(timeOf(value)),
    RegExp: (value) => new Pattern(sourceOf(value), flagsOf(value)),
    ArrayBuffer(value) {
      const copy = emptyLike(value);
      set(new Bytes(copy), new Bytes(value));
      return copy;
    },
    DOMException: (value) => withStack(new Failure(messageOf(value), nameOf(value)), value),
    Error(value) {
      const copy = new (ERRORS[concat('', value.name)] ?? Error)(), message = ownData(value, 'message');
      if (message !== undefined) defineProperty(copy, 'message', hidden(concat('', message)));
      return withStack(copy, value);
    },
    Map: () => new Table(),
    Set: () => new Unique(),
    Array: () => [],
    Object: () => ({}),
  };
  const FILL = { __proto__: null, Map: fillMap, Set: fillSet, Array: fillArray, Object: fillObject, Error: fillError };

  const hidden = (value) => ({ __proto__: null, value, writable: true, enumerable: false, configurable: true });
  function ownData(value, key) {
    const d = descriptorOf(value, key);
    return d !== undefined && hasOwn(d, 'value') ? d.value : undefined;
  }
  function withStack(copy, error) {
    const stack = ownData(error, 'stack') ?? stackOf(error);
    if (typeof stack === 'string') defineProperty(copy, 'stack', hidden(stack));
    return copy;
  }

  const failure = (message) => new Failure(`structuredClone: ${message}`, 'DataCloneError');
  function refuse(value, key) {
    const what = typeof value !== 'object' ? typeof value : isProxy(value) ? 'Proxy' : classOf(value);
    const where = key === undefined ? '' : ` (at ${typeof key === 'object' ? `a ${classOf(key)}` : key})`;
    return failure(`a ${what}${where} cannot be cloned`);
  }

  function emptyLike(buffer) {
    if (isDetached(buffer)) throw failure('a detached ArrayBuffer cannot be cloned');
    return isResizable(buffer)
      ? new Buffer(sizeOf(buffer), { __proto__: null, maxByteLength: maxSizeOf(buffer) })
      : new Buffer(sizeOf(buffer));
  }

  // copyOf returns the copy of value, whose members may still have to be filled in by the work it leaves in job.
  function copyOf(value, job, key) {
    const type = typeof value;
    if (value === null || (type !== 'object' && type !== 'function' && type !== 'symbol')) return value;
    if (type !== 'object' || isProxy(value)) throw refuse(value, key);
    const known = get(job.copies, value);
    if (known !== undefined) return known;
    const kind = classOf(value), of = VIEWS[kind], make = MAKE[kind];
    let copy;
    if (of !== undefined) {
      const buffer = copyOf(of[1](value), job, key);
      copy = new of[0](buffer, of[2](value), of[3](value));
    } else if (make !== undefined) copy = make(value);
    else throw refuse(value, key);
    put(job.copies, value, copy);
    if (FILL[kind] !== undefined) push(job.work, [FILL[kind], value, copy]);
    return copy;
  }

  function fillMap(map, copy, job) {
    eachOfMap(map, (value, key) => put(copy, copyOf(key, job, map), copyOf(value, job, map)));
  }

  function fillSet(items, copy, job) {
    eachOfSet(items, (value) => add(copy, copyOf(value, job, items)));
  }

  function fillArray(array, copy, job) {
    const { length } = array, names = keys(array);
    let i = 0; // the keys of an array without holes begin with all its indices
    if (length > 0 && names[length - 1] === '' + (length - 1)) for (; i < length; i++) copy[i] = copyOf(array[i], job, i);
    fillNamed(array, copy, job, names, i);
    if (copy.length !== length) copy.length = length;
  }

  function fillObject(object, copy, job) {
    fillNamed(object, copy, job, keys(object), 0);
  }

  function fillNamed(object, copy, job, names, i) {
    for (; i < names.length; i++) {
      const name = names[i], value = copyOf(object[name], job, name);
      if (value === undefined && !hasOwn(object, name)) continue; // deleted by a getter
      if (name !== '__proto__') copy[name] = value;
      else defineProperty(copy, name, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
    }
  }

  function fillError(error, copy, job) {
    const d = descriptorOf(error, 'cause');
    if (d !== undefined && hasOwn(d, 'value')) defineProperty(copy, 'cause', hidden(copyOf(d.value, job, 'cause')));
  }

  function buffersIn(transfer) {
    const buffers = [];
    for (const item of transfer) {
      if (classOf(item) !== 'ArrayBuffer') throw failure('only an ArrayBuffer can be transferred');
      for (let i = 0; i < buffers.length; i++)
        if (buffers[i] === item) throw failure('an ArrayBuffer is listed twice in transfer');
      push(buffers, item);
    }
    return buffers;
  }

  // move gives the bytes of buffer to its copy and detaches it.
  function move(buffer, copy) {
    if (isDetached(buffer)) throw failure('an ArrayBuffer was detached while it was to be transferred');
    const n = sizeOf(copy) < sizeOf(buffer) ? sizeOf(copy) : sizeOf(buffer);
    set(new Bytes(copy), new Bytes(buffer, 0, n));
    detach(buffer);
  }

  function structuredClone(value, options = undefined) {
    if (arguments.length === 0) throw new Invalid('structuredClone: a value is needed');
    if (options !== undefined && typeof options !== 'object')
      throw new Invalid('structuredClone: options must be an object');
    const transfer = options?.transfer, buffers = transfer === undefined ? [] : buffersIn(transfer);
    const job = { copies: new Table(), work: [] };
    for (let i = 0; i < buffers.length; i++) put(job.copies, buffers[i], emptyLike(buffers[i]));
    const copy = copyOf(value, job, undefined);
    for (let i = 0; i < job.work.length; i++) {
      const task = job.work[i];
      job.work[i] = undefined;
      task[0](task[1], task[2], job);
    }
    for (let i = 0; i < buffers.length; i++) move(buffers[i], get(job.copies, buffers[i]));
    return copy;
  }

  defineProperty(globalThis, 'structuredClone', hidden(structuredClone));
})
