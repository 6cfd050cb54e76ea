// Serves one sandbox under Node over the protocol of protocol.go: node server.js NAME.
'use strict';

const fs = require('node:fs');

const engines = {
  'node:vm': () => require('./node_vm.js'),
  'isolated-vm': () => require('./isolated_vm.js'),
  'quickjs-emscripten': () => require('./quickjs_emscripten.js'),
};

// adapter is appended to every program: JSON text in, JSON text out.
const adapter = '\nfunction callWithJSON(input) { return JSON.stringify(execute(JSON.parse(input))); }\n';

const loaded = new Map();
const held = [];

function timed(call, input, timeout) {
  const begin = process.hrtime.bigint();
  let output, outcome;
  try {
    output = call(input, timeout);
  } catch (error) {
    outcome = String(error);
  }
  return { nanos: Number(process.hrtime.bigint() - begin), output, outcome };
}

function find(name) {
  if (!loaded.has(name)) throw new Error(`program "${name}" is not loaded`);
  return loaded.get(name);
}

const actions = {
  hello: (engine) => ({ version: engine.version }),

  load(engine, { name, mode, source }) {
    loaded.set(name, engine.load(source + adapter, mode));
    return {};
  },

  run(engine, { name, input, n, warm = 0, timeout }) {
    const call = find(name);
    const nanos = [];
    let last;
    for (let i = 0; i < warm + n; i++) {
      last = timed(call, input, timeout);
      if (i >= warm) nanos.push(last.nanos);
    }
    return { nanos, output: last.output, outcome: last.outcome };
  },

  spin(engine, { name, input, timeout, workers, millis }) {
    if (workers > 1) throw new Error('one thread only');
    const call = find(name);
    const end = performance.now() + millis;
    let calls = 0;
    for (; performance.now() < end; calls++) call(input, timeout);
    return { calls };
  },

  hold(engine, { mode, source, input, n, timeout }) {
    for (let i = 0; i < n; i++) {
      const call = engine.load(`${source}// ${held.length}\n${adapter}`, mode);
      call(input, timeout);
      held.push(call);
    }
    globalThis.gc();
    return {};
  },
};

function answer(engine, line) {
  try {
    const request = JSON.parse(line);
    const action = actions[request.do];
    if (!action) throw new Error(`unknown request "${request.do}"`);
    return action(engine, request);
  } catch (error) {
    return { error: String(error) };
  }
}

// lines yields what comes on standard input, one line at a time, waiting for each: nothing else runs here.
function* lines() {
  const chunk = Buffer.alloc(1 << 16);
  let text = '';
  for (;;) {
    const size = fs.readSync(0, chunk);
    if (size === 0) return;
    text += chunk.toString('utf8', 0, size);
    for (let end; (end = text.indexOf('\n')) >= 0; text = text.slice(end + 1)) yield text.slice(0, end);
  }
}

function write(text) {
  for (let rest = Buffer.from(text); rest.length > 0;) rest = rest.subarray(fs.writeSync(1, rest));
}

async function main() {
  const engine = await engines[process.argv[2]]();
  for (const line of lines()) write(JSON.stringify(answer(engine, line)) + '\n');
}

main();
