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

async function library(name, client, transport) {
  await client.connect(transport);
  const listed = (await client.listTools()).tools.map((t) => t.name);
  assert.deepEqual(face.filter((t) => !listed.includes(t)), []);
  const call = (tool, input, options) => client.callTool({ name: tool, arguments: input }, ...(options ?? []));
  const spins = await scenario(call, name, true);
  await progresses(client, name);
  await cancels(client, spins);
  assert.equal((await client.listPrompts()).prompts[0].name, 'write_forge_request');
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

async function cancels(client, spins) {
  const controller = new AbortController();
  const running = client.callTool({ name: 'call_tool', arguments: { tool: spins, input: { word: 'spin until the end' } } }, ...options(client, { signal: controller.signal }));
  setTimeout(() => controller.abort(), 50);
  await assert.rejects(running);
  good(await client.callTool({ name: 'list_my_tools', arguments: {} }));
}

function v1() {
  const client = new ClientV1(info, { capabilities });
  client.setRequestHandler(ElicitRequestSchema, yes);
  return client;
}

function v2(mode) {
  const client = new ClientV2(info, { capabilities, versionNegotiation: { mode } });
  client.setRequestHandler('elicitation/create', yes);
  return client;
}

// inspector calls by the command line of the inspector, a process for each call.
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
for (const [era, mode] of Object.entries({ legacy: 'legacy', auto: 'auto', current: { pin: '2026-07-28' } })) {
  runs[`sdk_v2_${era}_stdio`] = (name) => library(name, v2(mode), new StdioV2({ command, stderr: 'inherit' }));
  runs[`sdk_v2_${era}_http`] = (name) => library(name, v2(mode), new HttpV2(new URL(url)));
}
for (const era of ['legacy', 'modern']) {
  runs[`inspector_${era}_stdio`] = (name) => inspector(name, era, [command]);
  runs[`inspector_${era}_http`] = (name) => inspector(name, era, [url, '--transport', 'http', '--header', 'Toolsmith-Session: interop']);
}

for (const [name, run] of Object.entries(runs)) {
  await run(name);
  console.log(`ok ${name}`);
}
