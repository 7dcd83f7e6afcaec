import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import * as z from 'zod';
import { demoAgentBundle } from '../../../../scripts/lib/bundles/demoAgent.mjs';
import { amplifierServerBundle } from '../../../../scripts/lib/bundles/amplifierServer.mjs';
import { parseProgramOptions } from '../../../../src/amplifier/node/server/programOptions';
import { isProcessTreeAlive } from '../../../support/isProcessTreeAlive';
import { connectTo, patientLimits, Recorder } from '../node/clientHarness';
import { call, Failure, SseClient } from './support/serverHarness';

const unsorted = 'import b from "b";\nimport a from "a";\n';
const sorted = 'import a from "a";\nimport b from "b";\n';
const Created = z.object({ session_id: z.uuid() });

describe('the options of the Amplifier server program', () => {
  it('have the values of the API reference', () => {
    const defaults = { agent: undefined, host: '127.0.0.1', port: 8765, token: 'generate', cwd: '.' };
    assert.deepEqual(parseProgramOptions([]), defaults);
    const all = ['--agent', 'opencode acp', '--port', '0', '--host=localhost', '--token', 't', '--cwd', '/x'];
    assert.deepEqual(parseProgramOptions(all), {
      agent: 'opencode acp',
      host: 'localhost',
      port: 0,
      token: { given: 't' },
      cwd: '/x',
    });
    assert.deepEqual(parseProgramOptions(['--no-token']), { ...defaults, token: undefined });
    assert.equal(parseProgramOptions(['--help', '--port', 'x']), 'help');
  });

  it('are refused in words when they make no sense', () => {
    for (const [argv, words] of [
      [['--port', '70000'], /not a valid port/u],
      [['--port', '80a'], /not a valid port/u],
      [['--host', '0.0.0.0'], /not a local address/u],
      [['--token', 'a', '--no-token'], /not both/u],
      [['--token', ''], /--no-token/u],
      [['--agent', ' '], /demo agent/u],
      [['--nonsense'], /nonsense/u],
      [['positional'], /positional/u],
    ] as const) {
      assert.throws(() => parseProgramOptions(argv), words);
    }
  });
});

describe('the Amplifier server program over ACP and the demo agent', () => {
  let bin: string;
  let workspace: string;
  const running: ChildProcess[] = [];

  before(async () => {
    bin = await mkdtemp(join(tmpdir(), 'backline-bin-'));
    workspace = await realpath(await mkdtemp(join(tmpdir(), 'backline-ws-')));
    const shared = { absWorkingDir: process.cwd(), outdir: bin, logLevel: 'warning' } as const;
    await Promise.all([demoAgentBundle(), amplifierServerBundle()].map((bundle) => build({ ...bundle, ...shared })));
  });
  beforeEach(async () => {
    await mkdir(join(workspace, 'src'), { recursive: true });
    await writeFile(join(workspace, 'src', 'a.ts'), unsorted);
    await writeFile(join(workspace, '.env'), 'SECRET=hidden');
  });
  afterEach(async () => {
    for (const child of running.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const exited = once(child, 'exit');
      child.kill('SIGINT');
      await exited;
    }
  });
  after(async () => {
    await rm(bin, { recursive: true, force: true });
    await rm(workspace, { recursive: true, force: true });
  });

  async function run(...args: string[]): Promise<{ child: ChildProcess; url: string; line: string }> {
    const child = spawn(process.execPath, [join(bin, 'amplifier-server.js'), '--cwd', workspace, ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    running.push(child);
    const line = await new Promise<string>((resolve, reject) => {
      let text = '';
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
        if (text.endsWith('\n')) resolve(text);
      });
      child.once('exit', () => reject(new Error(`The program ended: ${text}`)));
    });
    return { child, line, url: /http:\/\/\S+/u.exec(line)?.[0] ?? '' };
  }

  const start = () => run('--port', '0', '--no-token');

  const newSession = async (url: string): Promise<string> =>
    Created.parse((await call(url, 'POST', '/sessions', { body: { profile: 'dev' } })).json).session_id;

  const approvalOf = (stream: SseClient) =>
    stream.next('approval:required').then(({ data }) => z.object({ options: z.array(z.string()) }).parse(data));

  it('does a whole turn for a plain HTTP client, with an approval', async () => {
    const { url } = await start();
    const id = await newSession(url);
    const stream = await SseClient.open(`${url}/sessions/${id}/events`);
    const prompt = await call(url, 'POST', `/sessions/${id}/prompt`, { body: { prompt: 'sort imports in src/a.ts' } });
    assert.equal(prompt.status, 202);
    const { options } = await approvalOf(stream);
    const status = await call(url, 'GET', `/sessions/${id}`);
    assert.match(status.text, /"status":"awaiting_approval".*"pending_approval":\{/u);
    const bogus = await call(url, 'POST', `/sessions/${id}/approval`, { body: { decision: 'Bogus' } });
    assert.equal(bogus.status, 400);
    assert.equal(await readFile(join(workspace, 'src', 'a.ts'), 'utf8'), unsorted);
    const approval = await call(url, 'POST', `/sessions/${id}/approval`, { body: { decision: options[0] } });
    assert.deepEqual(approval.json, { status: 'approved', message: 'Approval decision recorded' });
    await stream.next('prompt:complete');
    assert.equal(await readFile(join(workspace, 'src', 'a.ts'), 'utf8'), sorted);
    for (const name of ['session:start', 'prompt:submit', 'tool:pre', 'approval:granted', 'tool:post']) {
      assert.ok(stream.names.includes(name), name);
    }
    const late = await call(url, 'POST', `/sessions/${id}/approval`, { body: { decision: options[0] } });
    assert.deepEqual([late.status, Failure.parse(late.json).error.code], [409, 'APPROVAL_RESOLVED']);
    stream.close();
  });

  it('changes nothing when the edit is denied, and when the session is stopped instead', async () => {
    const { url } = await start();
    for (const end of ['deny', 'stop']) {
      const id = await newSession(url);
      const stream = await SseClient.open(`${url}/sessions/${id}/events`);
      await call(url, 'POST', `/sessions/${id}/prompt`, { body: { prompt: 'sort imports in src/a.ts' } });
      const { options } = await approvalOf(stream);
      const decision = options.find((option) => option === 'Deny');
      if (end === 'deny') await call(url, 'POST', `/sessions/${id}/approval`, { body: { decision } });
      else await call(url, 'DELETE', `/sessions/${id}`);
      await stream.next('approval:denied');
      await stream.next('prompt:complete');
      assert.equal(await readFile(join(workspace, 'src', 'a.ts'), 'utf8'), unsorted);
      stream.close();
    }
  });

  it('keeps its agent away from what no agent may see', async () => {
    const { url } = await start();
    const id = await newSession(url);
    const stream = await SseClient.open(`${url}/sessions/${id}/events`);
    for (const [turn, path] of ['.env', '/etc/passwd', '../outside.txt'].entries()) {
      await call(url, 'POST', `/sessions/${id}/prompt`, { body: { prompt: `/summarize ${path}` } });
      await stream.next('prompt:complete', turn + 1);
    }
    assert.doesNotMatch(stream.text, /SECRET|root:/u);
    stream.close();
  });

  it('cancels a turn and takes the next one', async () => {
    const { url } = await start();
    const id = await newSession(url);
    const stream = await SseClient.open(`${url}/sessions/${id}/events`);
    await call(url, 'POST', `/sessions/${id}/prompt`, { body: { prompt: '/slow 5000' } });
    await stream.next('content_block:delta');
    const busy = await call(url, 'POST', `/sessions/${id}/prompt`, { body: { prompt: 'me too' } });
    assert.deepEqual([busy.status, Failure.parse(busy.json).error.code], [409, 'SESSION_BUSY']);
    assert.equal((await call(url, 'POST', `/sessions/${id}/cancel`)).status, 200);
    assert.match(JSON.stringify(await stream.next('prompt:complete')), /"cancelled"/u);
    await call(url, 'POST', `/sessions/${id}/prompt`, { body: { prompt: '/plan' } });
    await stream.next('prompt:complete', 2);
    stream.close();
  });

  it('serves the client of this house through a turn with an approval', async () => {
    const { url } = await start();
    const { backend } = connectTo(new URL(url), { limits: patientLimits });
    const session = await backend.createSession({ cwd: workspace });
    const recorder = new Recorder(session);
    await session.sendPrompt({ text: 'sort imports in src/a.ts' });
    const { data } = await recorder.next('approval:required');
    await session.answerApproval(data.approval_id, data.options[0] ?? '');
    await recorder.next('prompt:complete');
    assert.equal(await readFile(join(workspace, 'src', 'a.ts'), 'utf8'), sorted);
    backend.dispose();
  });

  it('tells where it listens and a token that lets in', async () => {
    const { line, url } = await run('--port', '0');
    const token = /token (\S+)\)/u.exec(line)?.[1] ?? '';
    assert.ok(token.length >= 32);
    assert.equal((await call(url, 'GET', '/health')).status, 401);
    assert.equal((await call(url, 'GET', '/health', { headers: { Authorization: `Bearer ${token}` } })).status, 200);
    const own = await run('--port', '0', '--token', 'my-own');
    assert.doesNotMatch(own.line, /my-own/u);
    assert.equal((await call(own.url, 'GET', '/health?token=my-own')).status, 200);
  });

  it('takes any agent by its command line, and explains why one cannot be started', async () => {
    const { url } = await run('--port', '0', '--no-token', '--agent', `no-such-agent-here "with args"`);
    const profiles = await call(url, 'GET', '/profiles');
    assert.match(profiles.text, /"name":"no-such-agent-here"/u);
    const { status, json } = await call(url, 'POST', '/sessions', { body: { profile: 'dev' } });
    const { code, message } = Failure.parse(json).error;
    assert.deepEqual([status, code], [500, 'MODULE_LOAD_FAILED']);
    assert.match(message, /no-such-agent-here/u);
  });

  it('calls an agent by its script where a runtime runs it', async () => {
    const { line, url } = await run('--port', '0', '--no-token', '--agent', `node "${join(bin, 'demo-agent.js')}"`);
    assert.match(line, /\(demo-agent in /u);
    assert.match((await call(url, 'GET', '/agents')).text, /"name":"demo-agent"/u);
  });

  it('denies what waits when it ends', async () => {
    const { child, url } = await start();
    const id = await newSession(url);
    const stream = await SseClient.open(`${url}/sessions/${id}/events`);
    await call(url, 'POST', `/sessions/${id}/prompt`, { body: { prompt: 'sort imports in src/a.ts' } });
    await stream.next('approval:required');
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    assert.deepEqual(await exited, [0, null]);
    const { data } = await stream.next('approval:denied');
    assert.deepEqual([data['decision'], data['reason']], ['Deny', 'server_stopped']);
    await stream.next('session:end');
    assert.equal(await readFile(join(workspace, 'src', 'a.ts'), 'utf8'), unsorted);
  });

  it('reports that its port is taken, and ends', async () => {
    const { url } = await start();
    await assert.rejects(run('--port', new URL(url).port), /The program ended/u);
    assert.equal(running.at(-1)?.exitCode, 1);
  });

  it('leaves no process behind after Ctrl+C, in the middle of a turn', async () => {
    const { child, url } = await start();
    const id = await newSession(url);
    const stream = await SseClient.open(`${url}/sessions/${id}/events`);
    await call(url, 'POST', `/sessions/${id}/prompt`, { body: { prompt: '/slow 5000' } });
    await stream.next('content_block:delta');
    const agents = await childrenOf(child.pid ?? 0);
    assert.ok(agents.length > 0);
    const exited = once(child, 'exit');
    child.kill('SIGINT');
    assert.deepEqual(await exited, [0, null]);
    assert.deepEqual(agents.filter(isProcessTreeAlive), []);
    await stream.end();
    assert.match(stream.text, /"event":"session:end".*"reason":"server_stopped"/u);
  });
});

async function childrenOf(pid: number): Promise<number[]> {
  const pgrep = spawn('pgrep', ['-P', String(pid)], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  for await (const chunk of pgrep.stdout.setEncoding('utf8')) text += String(chunk);
  return text.split('\n').map(Number).filter(Boolean);
}
