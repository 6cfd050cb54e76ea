// The scenario that every client goes through. call(tool, arguments, options) returns the result of a tool of the face.
import assert from 'node:assert/strict';

export const face = ['audit_log', 'call_tool', 'describe_tool', 'forge_tool', 'list_my_tools', 'promote_tool', 'search_tools'];

const text = { type: 'string', maxLength: 200 };
const object = (properties) => ({ type: 'object', properties, required: Object.keys(properties), additionalProperties: false });

function adder(name) {
  return {
    name, description: `Adds two numbers, for ${name}.`,
    inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }), outputSchema: object({ sum: { type: 'number' } }),
    implementation: { mode: 'sandbox', code: 'function execute(input) { return { sum: input.a + input.b }; }', allowlist: [] },
    testCases: [{ input: { a: 1, b: 2 }, expectedOutput: { sum: 3 } }, { input: { a: -1, b: 5 }, expectedOutput: { sum: 4 } }],
  };
}

function spinner(name) {
  return {
    name, description: `The length of a word, for ${name}.`, inputSchema: object({ word: text }), outputSchema: object({ length: { type: 'integer' } }),
    implementation: {
      mode: 'sandbox', allowlist: [],
      code: 'function execute(input) { if (input.word === "spin until the end") { while (true) {} } return { length: input.word.length }; }',
    },
    testCases: [{ input: { word: 'a' }, expectedOutput: { length: 1 } }, { input: { word: 'abc' }, expectedOutput: { length: 3 } }],
  };
}

function fetcher(name) {
  return {
    name, description: `Uses fetch to say whether a page is there, for ${name}.`, inputSchema: object({ url: text }), outputSchema: object({ there: { type: 'boolean' } }),
    implementation: {
      mode: 'sandbox', allowlist: ['fetch'],
      code: 'async function execute(input) { if (!input.url.startsWith("http")) { return { there: false }; } const r = await fetch(input.url); return { there: r.ok }; }',
    },
    testCases: [{ input: { url: 'x' }, expectedOutput: { there: false } }, { input: { url: 'none' }, expectedOutput: { there: false } }],
  };
}

export function good(result) {
  assert.ok(!result.isError, JSON.stringify(result));
  assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
  return result.structuredContent;
}

export function failed(result, code) {
  assert.equal(result.isError, true, JSON.stringify(result));
  assert.equal(result.structuredContent, undefined);
  const { error } = JSON.parse(result.content[0].text);
  assert.equal(error.code, code, JSON.stringify(error));
  return error;
}

// scenario runs the steps. asks says that the client can ask its user, who says yes.
export async function scenario(call, name, asks) {
  const made = good(await call('forge_tool', adder(`${name}_add`)));
  const found = good(await call('search_tools', { query: `add two numbers ${name}`, limit: 20 }));
  assert.ok(found.tools.some((t) => t.handle === made.handle));
  assert.equal(good(await call('describe_tool', { tool: made.handle })).inputSchema.type, 'object');
  assert.deepEqual(good(await call('call_tool', { tool: made.handle, input: { a: 1, b: 2 } })).output, { sum: 3 });
  failed(await call('call_tool', { tool: made.handle, input: { a: '1', b: 2 } }), 'invalid_input');
  failed(await call('call_tool', { tool: 'no_such_tool', input: {} }), 'not_found');
  failed(await call('search_tools', { query: 'x', colour: 'red' }), 'invalid_input');
  failed(await call('forge_tool', { name: 'half of it' }), 'invalid_request');
  good(await call('forge_tool', fetcher(`${name}_fetch`)));
  failed(await call('call_tool', { tool: `${name}_fetch`, input: { url: 'http://example.com/' } }), 'denied');
  const spins = good(await call('forge_tool', spinner(`${name}_spin`))).handle;
  failed(await call('call_tool', { tool: spins, input: { word: 'spin until the end' } }), 'out_of_fuel');
  const promotion = await call('promote_tool', { tool: made.handle, to: 'agent' });
  if (asks) {
    assert.equal(good(promotion).tier, 'agent');
  } else {
    assert.match(failed(promotion, 'rejected').message, /cannot ask its user/);
  }
  assert.ok(good(await call('list_my_tools', {})).tools.some((t) => t.handle === made.handle));
  assert.ok(good(await call('audit_log', { newest: true, limit: 5 })).events.length > 0);
  return spins;
}
