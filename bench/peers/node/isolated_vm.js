// isolated-vm: a new isolate of 128 MiB per call, the timeout set.
'use strict';

const ivm = require('isolated-vm');

exports.version = `${require('isolated-vm/package.json').version} on ${process.version}`;

function open(source) {
  const isolate = new ivm.Isolate({ memoryLimit: 128 });
  const context = isolate.createContextSync();
  context.evalSync(source, { filename: 'tool.js' });
  return { isolate, call: context.global.getSync('callWithJSON', { reference: true }) };
}

exports.load = function load(source, mode) {
  if (mode === 'fresh') {
    return (input, timeout) => {
      const { isolate, call } = open(source);
      try {
        return call.applySync(undefined, [input], { timeout });
      } finally {
        isolate.dispose();
      }
    };
  }
  const { call } = open(source);
  return (input, timeout) => call.applySync(undefined, [input], { timeout });
};
