// fs.readFile, over the operation "fs.readFile". The host keeps the rules; here is only the shape.
(function (native) {
  'use strict';
  const { request, utf8Decode } = native;
  const uncurry = Function.prototype.bind.bind(Function.prototype.call);
  const lower = uncurry(String.prototype.toLowerCase), concat = uncurry(String.prototype.concat);
  const bufferLength = uncurry(Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength').get);
  const Bytes = Uint8Array, Invalid = TypeError;

  // wantsText reads the options: a string unless the encoding is null.
  function wantsText(options) {
    if (typeof options === 'function')
      throw new Invalid('fs.readFile takes no callback: it returns a promise, so write await fs.readFile(path)');
    const encoding = typeof options === 'object' && options !== null ? options.encoding : options;
    if (encoding === null) return false;
    if (encoding === undefined || typeof encoding === 'string' && (lower(encoding) === 'utf8' || lower(encoding) === 'utf-8'))
      return true;
    throw new Invalid('fs.readFile gives a string of UTF-8, or bytes with {encoding: null}; it knows no other encoding');
  }

  const fs = {
    async readFile(path, options) {
      if (typeof path !== 'string') throw new Invalid(concat('fs.readFile takes a path, which is a string, not ', typeof path));
      const text = wantsText(options);
      const { bytes } = await request('fs.readFile', { path, text });
      return text ? utf8Decode(bytes, 0, bufferLength(bytes), true) : new Bytes(bytes);
    },
  };
  Object.defineProperty(globalThis, 'fs', { value: fs, writable: true, enumerable: false, configurable: true });
})
