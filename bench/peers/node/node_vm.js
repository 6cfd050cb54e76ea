// node:vm: a new context per call, the script compiled once, the timeout set. Not a security boundary.
'use strict';

const vm = require('node:vm');

exports.version = process.version;

exports.load = function load(source, mode) {
  const script = new vm.Script(source, { filename: 'tool.js' });
  const call = new vm.Script('callWithJSON(input)', { filename: 'call.js' });
  function run(context, timeout) {
    return call.runInContext(context, { timeout });
  }
  if (mode === 'fresh') {
    return (input, timeout) => {
      const context = vm.createContext({ input });
      script.runInContext(context, { timeout });
      return run(context, timeout);
    };
  }
  const context = vm.createContext({ input: '' });
  script.runInContext(context);
  return (input, timeout) => {
    context.input = input;
    return run(context, timeout);
  };
};
