// quickjs-emscripten: QuickJS in WebAssembly under V8; a new runtime and context per call, an interrupt handler set.
'use strict';

const { getQuickJS, shouldInterruptAfterDeadline } = require('quickjs-emscripten');

function open(quickjs, source) {
  const context = quickjs.newContext();
  context.runtime.setMemoryLimit(128 << 20);
  context.unwrapResult(context.evalCode(source, 'tool.js')).dispose();
  return context;
}

function callIn(context, input, timeout) {
  context.runtime.setInterruptHandler(shouldInterruptAfterDeadline(Date.now() + timeout));
  const call = context.getProp(context.global, 'callWithJSON');
  const argument = context.newString(input);
  const result = context.unwrapResult(context.callFunction(call, context.undefined, argument));
  const output = context.getString(result);
  for (const handle of [call, argument, result]) handle.dispose();
  return output;
}

async function start() {
  const quickjs = await getQuickJS();
  function load(source, mode) {
    if (mode === 'fresh') {
      return (input, timeout) => {
        const context = open(quickjs, source);
        try {
          return callIn(context, input, timeout);
        } finally {
          context.dispose();
        }
      };
    }
    const context = open(quickjs, source);
    return (input, timeout) => callIn(context, input, timeout);
  }
  return { version: `${require('quickjs-emscripten/package.json').version} on ${process.version}`, load };
}

module.exports = start();
