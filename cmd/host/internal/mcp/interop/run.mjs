// Takes clients that are not the host's own through the scenario: node run.mjs COMMAND URL, where COMMAND serves standard input
// and output, and URL is a host that serves HTTP.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { face, good, scenario } from './scenario.mjs';

const [command, url] = process.argv.slice(2);
const yes = async () => ({ action: 'accept', content: { approve: true } });
const info = { name: 'interop', version: '1' };
const capabilities = { elicitation: {} };

// library takes a client through everything. version is what the client is to have settled on, if it says so.
async function library(name, client, transport, version) {
  await client.connect(transport);
  assert.equal(client.getNegotiatedProtocolVersion?.(), version);
  const listed = (await client.listTools()).tools.map((t) => t.name);
  assert.deepEqual(face.filter((t) => !listed.includes(t)), []);
  const call = (tool, input, options) => client.callTool({ name: tool, arguments: input }, ...(options ?? []));
  const spins = await scenario(call, name, true);
  await progresses(client, name);
  await cancels(client, spins, transport);
  assert.equal((await client.listPrompts()).prompts[0].name, 'write_forge_request');
  const { values } = (await client.complete({ ref: { type: 'ref/resource', uri: 'toolsmith://tools/{+handle}/source' }, argument: { name: 'handle', value: `${name}_spin` } })).completion;
  assert.deepEqual(values, [spins]);
  assert.match((await client.readResource({ uri: `toolsmith://tools/${spins}/source` })).contents[0].text, /spin until the end/);
  await assert.rejects(client.callTool({ name: 'no_such_tool', arguments: {} }), ({ code, data }) => code === -32602 && data.code === 'not_found');
  assert.match((await client.readResource({ uri: 'toolsmith://audit' })).contents[0].text, /forge_requested/);
  await assert.rejects(client.readResource({ uri: 'file:///etc/passwd' }));
  await client.close();
}

const options = (client, more) => (client instanceof ClientV1 ? [undefined, more] : [more]);

async function progresses(client, name) {
  const told = [];
  const words = { name: `${name}_short`, description: `Shortens, for ${name}.`, inputSchema: { type: 'object', properties: { s: { type: 'string' } }, required: ['s'] },
    outputSchema: { type: 'object', properties: { s: { type: 'string' } }, required: ['s'] },
    implementation: { mode: 'sandbox', code: 'function execute(input) { return { s: input.s.slice(0, 2) }; }', allowlist: [] },
    testCases: [{ input: { s: 'abc' }, expectedOutput: { s: 'ab' } }, { input: { s: 'x' }, expectedOutput: { s: 'x' } }] };
  good(await client.callTool({ name: 'forge_tool', arguments: words }, ...options(client, { onprogress: (p) => told.push(p.message) })));
  assert.ok(told.includes('running the test cases'), JSON.stringify(told));
}

// canceled counts the calls that were canceled, over HTTP.
async function canceled() {
  const metrics = await (await fetch(new URL('/metrics', url))).text();
  return [...metrics.matchAll(/^toolsmith_tool_calls_total\{.*outcome="canceled".*\} (\d+)$/gm)].reduce((sum, [, n]) => sum + Number(n), 0);
}

// cancels begins a call that would go on for much longer, and cancels it: by a notification, or by closing the response.
async function cancels(client, spins, transport) {
  const http = transport instanceof HttpV1 || transport instanceof HttpV2;
  const before = await canceled();
  const controller = new AbortController();
  const running = client.callTool({ name: 'call_tool', arguments: { tool: spins, input: { word: 'spin until the end' } } }, ...options(client, { signal: controller.signal }));
  setTimeout(() => controller.abort(), 100);
  await assert.rejects(running);
  for (let n = 0; http && (await canceled()) !== before + 1; n++) {
    assert.ok(n < 300, 'the host goes on with a call that was canceled');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  good(await client.callTool({ name: 'list_my_tools', arguments: {} }));
}

function v1() {
  const client = new ClientV1(info, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, yes);
  return client;
}

function v2(options) {
  const client = new ClientV2(info, { capabilities, ...options });
  client.setRequestHandler('elicitation/create', yes);
  return client;
}

// inspector calls by the command line of the inspector, a process for each call. It cannot cancel, and cannot ask its user.
async function inspector(name, era, target) {
  const cli = fileURLToPath(import.meta.resolve('@modelcontextprotocol/inspector/package.json').replace('package.json', 'clients/launcher/build/index.js'));
  const run = async (...args) => {
    const child = spawn(process.execPath, [cli, '--cli', ...target, '-q', '--protocol-era', era, '--format', 'json', ...args], {
      env: { ...process.env, MCP_INSPECTOR_SECRET_STORE: 'memory' }, stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [out, err, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
    return { out, err, status };
  };
  const strict = await run('--method', 'tools/list', '--strict');
  assert.equal(strict.status, 0, strict.err);
  const call = async (tool, input) => {
    const { out, err, status } = await run('--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(input));
    assert.ok(status === 0 || status === 5, `status ${status}: ${err}`);
    const answer = JSON.parse(out);
    return answer.result ?? answer;
  };
  await scenario(call, name, false);
}

const runs = {
  sdk_v1_stdio: (name) => library(name, v1(), new StdioV1({ command, stderr: 'inherit' })),
  sdk_v1_http: (name) => library(name, v1(), new HttpV1(new URL(url))),
};

// versions are all that the host serves, and how a client comes to each.
const current = '2026-07-28';
const versions = { auto: [current, { versionNegotiation: { mode: 'auto' } }], current: [current, { versionNegotiation: { mode: { pin: current } } }] };
for (const older of ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']) {
  versions[older.replaceAll('-', '_')] = [older, { versionNegotiation: { mode: 'legacy' }, supportedProtocolVersions: [older] }];
}
for (const [how, [version, options]] of Object.entries(versions)) {
  runs[`sdk_v2_${how}_stdio`] = (name) => library(name, v2(options), new StdioV2({ command, stderr: 'inherit' }), version);
  runs[`sdk_v2_${how}_http`] = (name) => library(name, v2(options), new HttpV2(new URL(url)), version);
}
for (const era of ['legacy', 'modern']) {
  runs[`inspector_${era}_stdio`] = (name) => inspector(name, era, [command]);
  runs[`inspector_${era}_http`] = (name) => inspector(name, era, [url, '--transport', 'http', '--header', 'Toolsmith-Session: interop']);
}

for (const [name, run] of Object.entries(runs)) {
  await run(name);
  console.log(`ok ${name}`);
}
