import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, realpath, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { build } from 'esbuild';
import * as z from 'zod';
import { mcpBridgeBundle } from '../../../../scripts/lib/bundles/mcpBridge.mjs';
import { nullLogger } from '../../../../src/base/common/log';
import { parseJson } from '../../../../src/base/common/parseJson';
import { systemClock } from '../../../../src/base/node/systemClock';
import { mcpServerSetting } from '../../../../src/tools/common/clients/mcpServerSetting';
import { installBridge } from '../../../../src/tools/node/clients/bridgeLauncher';
import { findWindowOfFolder, writeWindowFile } from '../../../../src/tools/node/clients/windowFiles';
import { McpServer } from '../../../../src/tools/node/mcpServer';
import { until } from '../../../support/eventually';

const Answer = z.looseObject({
  id: z.union([z.string(), z.number(), z.null()]),
  result: z.looseObject({ content: z.array(z.looseObject({ text: z.string() })).optional() }).optional(),
  error: z.looseObject({ message: z.string() }).optional(),
});
const definition = { name: 'look', description: 'Looks.', inputSchema: { type: 'object' } };

/** A program that speaks to the bridge over stdio, as MCP clients do. */
class StdioClient {
  readonly answers: z.infer<typeof Answer>[] = [];
  private rest = '';

  constructor(readonly child: ChildProcess) {
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = `${this.rest}${text}`.split('\n');
      this.rest = lines.pop() ?? '';
      this.answers.push(...lines.map((line) => Answer.parse(parseJson(line))));
    });
  }

  send(message: object | string): void {
    this.child.stdin?.write(`${typeof message === 'string' ? message : JSON.stringify(message)}\n`);
  }

  async call(id: number, method: string, params: object = {}): Promise<z.infer<typeof Answer>> {
    this.send({ jsonrpc: '2.0', id, method, params });
    await until('an answer', () => this.answers.some((answer) => answer.id === id));
    const answers = this.answers.filter((answer) => answer.id === id);
    assert.equal(answers.length, 1);
    return answers[0] ?? assert.fail();
  }
}

describe('the MCP bridge', () => {
  let folder: string;
  let windowsFolder: string;
  let workspace: string;
  let bridgeFile: string;
  let server: McpServer;
  let clients: StdioClient[];
  let run: (input: unknown, signal: AbortSignal) => Promise<string>;

  before(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'backline bridge ')));
    await build({ ...mcpBridgeBundle(), outdir: folder, logLevel: 'warning' });
    bridgeFile = path.join(folder, 'mcp-bridge.js');
    windowsFolder = path.join(folder, 'windows');
    workspace = path.join(folder, 'it’s a workspace');
    await mkdir(path.join(workspace, 'src', 'deep'), { recursive: true });
  });
  after(() => rm(folder, { recursive: true, force: true }));

  beforeEach(async () => {
    clients = [];
    run = (input) => Promise.resolve(`seen ${JSON.stringify(input)}`);
    server = await startServer();
  });
  afterEach(async () => {
    for (const { child } of clients) child.kill();
    await server.stop();
    await rm(windowsFolder, { recursive: true, force: true });
  });

  async function startServer(): Promise<McpServer> {
    const tool = { definition, run: (input: unknown, signal: AbortSignal) => run(input, signal) };
    const options = { name: 'backline', version: '1.2.3', clock: systemClock, log: nullLogger };
    const started = new McpServer({ ...options, providers: [{ tools: [tool] }] });
    await started.start();
    return started;
  }

  async function publish(folders = [workspace], { startedAt = 1, pid = process.pid } = {}): Promise<string> {
    const { headers, url } = server.createAddress();
    const authorization = headers['Authorization'] ?? '';
    return await writeWindowFile(windowsFolder, { version: 1, pid, startedAt, folders, url, authorization });
  }

  function start(cwd: string, env: Record<string, string> = {}): StdioClient {
    const args = [bridgeFile, '--windows', windowsFolder];
    const child = spawn(process.execPath, args, { cwd, env: { ...process.env, ...env }, stdio: 'pipe' });
    const client = new StdioClient(child);
    clients.push(client);
    return client;
  }

  it('forwards requests to the window that has the folder open', async () => {
    await publish();
    const client = start(path.join(workspace, 'src', 'deep'));
    const { result } = await client.call(1, 'initialize', { protocolVersion: '2025-06-18' });
    assert.deepEqual(result?.['serverInfo'], { name: 'backline', version: '1.2.3' });
    client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
    const called = await client.call(2, 'tools/call', { name: 'look', arguments: { at: 'ünïcode 🙂' } });
    assert.equal(called.result?.content?.[0]?.text, 'seen {"at":"ünïcode 🙂"}');
    assert.equal(client.answers.length, 2);
  });

  it('uses the given server, and needs no file for it', async () => {
    const { headers, url } = server.createAddress();
    const setting = mcpServerSetting({ headers, url }, { http: false }, { runtime: 'node', file: bridgeFile });
    const { env } = z.object({ env: z.record(z.string(), z.string()) }).parse(setting);
    const client = start(tmpdir(), env);
    assert.ok((await client.call(1, 'tools/list')).result);
  });

  it('reports that no window has the folder open, and finds one that is opened later', async () => {
    const client = start(workspace);
    assert.match((await client.call(1, 'initialize')).error?.message ?? '', /Open the folder in VS Code/);
    await publish([path.join(folder, 'elsewhere')]);
    assert.match((await client.call(2, 'initialize')).error?.message ?? '', /Open the folder in VS Code/);
    await publish();
    assert.ok((await client.call(3, 'initialize')).result);
  });

  it('finds the server again after the window was reloaded', async () => {
    const file = await publish();
    const client = start(workspace);
    assert.ok((await client.call(1, 'tools/list')).result);
    await server.stop();
    await rm(file);
    assert.match((await client.call(2, 'tools/list')).error?.message ?? '', /not running/);
    server = await startServer();
    await publish();
    assert.ok((await client.call(3, 'tools/list')).result);
    // Another server has taken the port, or the token is of another window.
    const other = await startServer();
    await server.stop();
    server = other;
    await publish([workspace], { startedAt: 2 });
    assert.ok((await client.call(4, 'tools/list')).result);
  });

  it('answers what is no JSON object, and continues', async () => {
    await publish();
    const client = start(workspace);
    client.send('nonsense');
    await until('an error', () => client.answers.length === 1);
    assert.deepEqual(client.answers[0]?.id, null);
    assert.ok((await client.call(1, 'ping')).result);
  });

  it('cancels only calls of its own client', async () => {
    await publish();
    const signals: AbortSignal[] = [];
    run = (_input, signal) => {
      signals.push(signal);
      return new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve('stopped'));
      });
    };
    const [one, other] = [start(workspace), start(workspace)];
    const call = { jsonrpc: '2.0', id: 5, method: 'tools/call', params: { name: 'look' } };
    one.send(call);
    await until('the first call', () => signals.length === 1);
    other.send(call);
    await until('the second call', () => signals.length === 2);
    one.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5 } });
    await until('the cancellation', () => signals[0]?.aborted === true);
    assert.equal(signals[1]?.aborted, false);
    assert.ok((await one.call(6, 'tools/list')).result);
    assert.deepEqual(
      one.answers.map(({ id }) => id),
      [6],
    );
  });

  it('ends when its client does', async () => {
    const client = start(workspace);
    const ended = new Promise((resolve) => client.child.once('exit', resolve));
    client.child.stdin?.end();
    assert.equal(await ended, 0);
  });

  it('is started by a script that stays in its place', async () => {
    if (process.platform === 'win32') return;
    await publish();
    const install = { folder: path.join(folder, 'it’s "installed"'), bridgeFile, windowsFolder };
    const command = await installBridge({ ...install, runtime: process.execPath, platform: 'linux' });
    assert.deepEqual(await installBridge({ ...install, runtime: process.execPath, platform: 'linux' }), command);
    assert.deepEqual((await readdir(install.folder)).sort(), ['backline-mcp', 'mcp-bridge.js']);
    const client = new StdioClient(spawn(command.command, [...command.args], { cwd: workspace, stdio: 'pipe' }));
    clients.push(client);
    assert.ok((await client.call(1, 'tools/list')).result);
    const windows = await installBridge({ ...install, runtime: 'C:\\Code.exe', platform: 'win32' });
    assert.deepEqual(windows.env, { ELECTRON_RUN_AS_NODE: '1' });
    assert.equal(windows.command, 'C:\\Code.exe');
  });

  describe('finds windows', () => {
    const pathIn = (...names: string[]): string => path.join(workspace, ...names);
    const foundFrom = async (cwd: string): Promise<number | undefined> =>
      (await findWindowOfFolder(windowsFolder, cwd))?.startedAt;

    it('by the closest folder, then the newest', async () => {
      await publish([workspace], { startedAt: 1 });
      await publish([pathIn('src')], { startedAt: 2 });
      await publish([pathIn('src')], { startedAt: 3 });
      assert.equal(await foundFrom(pathIn('src', 'deep')), 3);
      assert.equal(await foundFrom(workspace), 1);
      assert.equal(await foundFrom(path.dirname(workspace)), 1);
      assert.equal(await foundFrom(`${workspace} 2`), undefined);
    });

    it('not by files that are damaged, too large, or no files', async () => {
      await publish([pathIn('other')]);
      await writeFile(path.join(windowsFolder, 'a.json'), '{');
      await writeFile(path.join(windowsFolder, 'b.json'), JSON.stringify({ folders: [workspace] }));
      await writeFile(path.join(windowsFolder, 'c.json'), ' '.repeat(100_000));
      await mkdir(path.join(windowsFolder, 'd.json'));
      const elsewhere = { version: 1, pid: 1, startedAt: 1, folders: [workspace], authorization: 'Bearer a' };
      await writeFile(
        path.join(windowsFolder, 'e.json'),
        JSON.stringify({ ...elsewhere, url: 'http://example.com/mcp' }),
      );
      assert.equal(await foundFrom(pathIn('src')), undefined);
    });

    it('that run: files of killed windows are removed', async () => {
      const child = spawn(process.execPath, ['-e', '']);
      await new Promise((resolve) => child.once('exit', resolve));
      await publish([workspace], { startedAt: 7, pid: child.pid ?? 0 });
      const [unfinished, ofOther] = [child.pid, process.pid].map((pid) =>
        path.join(windowsFolder, `${pid}-one.json.tmp`),
      );
      for (const file of [unfinished, ofOther]) await writeFile(file ?? '', '{');
      const kept = await publish([pathIn('src')], { startedAt: 8 });
      assert.deepEqual(
        (await readdir(windowsFolder)).sort(),
        [kept, ofOther].map((file) => path.basename(file ?? '')).sort(),
      );
    });

    it('by files that only the user can read', async () => {
      if (process.platform === 'win32') return;
      await mkdir(windowsFolder, { recursive: true });
      await chmod(windowsFolder, 0o755);
      const file = await publish();
      assert.equal((await stat(file)).mode & 0o777, 0o600);
      assert.equal((await stat(windowsFolder)).mode & 0o777, 0o700);
    });
  });
});
