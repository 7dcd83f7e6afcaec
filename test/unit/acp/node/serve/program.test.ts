import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AcpBackend } from '../../../../../src/acp/node/session/acpBackend';
import { isProcessAlive } from '../../../../../src/base/node/isProcessAlive';
import { AcpProgram } from '../../../../fake/acp/acpProgram';
import { buildAmplifierProgram } from '../../../../fake/amplifier/amplifierProgram';
import { Follower } from '../../../../fake/backendHarness';
import { addressOf, remoteBackendOf, remoteToken, transports, type Transport } from '../../../../fake/acp/remoteAgents';
import { eventually } from '../../../../support/eventually';
import { only } from '../../../../support/only';

describe('the program that offers an agent', function () {
  let built: Awaited<ReturnType<typeof buildAmplifierProgram>>;
  let folder: string;
  const programs: AcpProgram[] = [];
  const backends: AcpBackend[] = [];

  before(async () => {
    built = await buildAmplifierProgram();
    folder = await realpath(await mkdtemp(join(tmpdir(), 'backline-serve-')));
    await writeFile(join(folder, 'token'), `${remoteToken}\n`);
  });
  after(async () => {
    await built.remove();
    await rm(folder, { recursive: true, force: true });
  });
  afterEach(async () => {
    for (const backend of backends.splice(0)) {
      await backend.stop();
      backend.dispose();
    }
    await Promise.all(programs.splice(0).map((program) => program.stop()));
  });

  async function start(args: readonly string[], name = 'acp-server.js'): Promise<AcpProgram> {
    const program = new AcpProgram({
      file: join(dirname(built.file), name),
      cwd: folder,
      args: ['--port', '0', ...args],
    });
    programs.push(program);
    await program.start();
    return program;
  }

  function backendOf(program: AcpProgram, transport: Transport, token = program.token): AcpBackend {
    const { backend, editor } = remoteBackendOf(() => addressOf(program.url, transport, token));
    editor.setFolders(folder);
    editor.setFile(join(folder, 'a.ts'), 'one\ntwo\nthree\n');
    backends.push(backend);
    return backend;
  }

  async function ask(backend: AcpBackend, text: string): Promise<string> {
    const session = await backend.createSession({ cwd: folder });
    const follower = new Follower(session);
    await session.sendPrompt({ text });
    await follower.next('prompt:complete');
    return follower
      .all('content_block:delta')
      .map(({ delta }) => JSON.stringify(delta))
      .join('');
  }

  for (const transport of transports) {
    it(`offers the demo agent over ${transport}, which reads a file of the editor`, async () => {
      const program = await start([]);
      assert.match(
        program.output,
        /^ACP agent at http:\/\/127\.0\.0\.1:\d+\/acp \(Demo agent \(no model\) in .*, token \S{32}\)$/m,
      );
      assert.match(await ask(backendOf(program, transport), 'summarize a.ts'), /3 lines/);
    });
  }

  it('also runs as amplifier-server.js --acp', async () => {
    const program = await start(['--acp', '--token', remoteToken], 'amplifier-server.js');
    assert.doesNotMatch(program.output, new RegExp(remoteToken));
    assert.match(await ask(backendOf(program, 'webSocket', remoteToken), 'hello'), /demo/i);
  });

  it('reads the token from a file, and refuses others', async () => {
    const program = await start(['--token-file', 'token']);
    assert.equal(program.token, '');
    await backendOf(program, 'http', remoteToken).capabilities();
    await assert.rejects(backendOf(program, 'http', 'another-token-of-mine').capabilities(), /\(401\)/);
  });

  it('keeps conversations for the next connection if its agent stores them', async () => {
    const demo = join(dirname(built.file), 'demo-agent.js');
    const agent = `"${process.execPath}" "${demo}" --state "${join(folder, 'state')}"`;
    const program = await start(['--agent', agent]);
    const first = backendOf(program, 'webSocket');
    await ask(first, 'hello');
    await first.stop();
    const second = backendOf(program, 'http');
    const [stored] = await second.listSessions();
    assert.ok(stored);
    const session = await second.loadSession(stored.id, { cwd: folder });
    const follower = new Follower(session);
    assert.equal((await follower.next('prompt:submit')).prompt, 'hello');
    await follower.next('prompt:complete');
  });

  if (process.platform !== 'win32') {
    it('leaves no agent behind when it is killed, even one that ignores both the end of its input and SIGTERM', async () => {
      const script = join(folder, 'stubborn.cjs');
      const lines = [
        'process.on("SIGTERM", () => undefined);',
        'setInterval(() => undefined, 60000);',
        `require("fs").writeFileSync(${JSON.stringify(join(folder, 'pid'))}, String(process.pid));`,
        'process.stdin.once("data", (line) => {',
        '  const answer = { jsonrpc: "2.0", id: JSON.parse(line).id, result: { protocolVersion: 1 } };',
        '  process.stdout.write(JSON.stringify(answer) + "\\n");',
        '});',
      ];
      await writeFile(script, lines.join('\n'));
      const program = await start(['--agent', `"${process.execPath}" "${script}"`]);
      await backendOf(program, 'webSocket').capabilities();
      const pid = Number(await readFile(join(folder, 'pid'), 'utf8'));
      assert.ok(isProcessAlive(pid));
      await program.stop('SIGKILL');
      await eventually('the end of the agent', () => assert.ok(!isProcessAlive(pid)));
    });
  }

  it('says what is wrong with its options, and ends', async () => {
    await assert.rejects(start(['--host', '192.0.2.7']), /others could read[\s\S]*--tls-cert/);
    await assert.rejects(start(['--token-file', 'missing']), /ENOENT/);
    await assert.rejects(start(['--tls-cert', 'token', '--tls-key', 'token']), /PEM|pem|key/);
    await assert.rejects(start(['--help']), /--allow-host NAME/);
  });

  only('where processes are listed in /proc', process.platform === 'linux').it(
    'ends the agent with its connection, and all agents when it is stopped',
    async () => {
      const program = await start([]);
      const one = backendOf(program, 'webSocket');
      const two = backendOf(program, 'http');
      await Promise.all([one.capabilities(), two.capabilities()]);
      const demo = join(dirname(built.file), 'demo-agent.js');
      const agents = await processesWith(demo);
      assert.equal(agents.length, 2);
      await one.stop();
      await eventually('one agent', async () => assert.equal((await processesWith(demo)).length, 1));
      assert.equal(await program.stop(), 0);
      await eventually('no agent', () => assert.deepEqual(agents.filter(isProcessAlive), []));
    },
  );
});

async function processesWith(argument: string): Promise<number[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = await Promise.all(
    pids.map(async (pid) => ({ pid, words: await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') })),
  );
  return lines.filter(({ words }) => words.split('\0').includes(argument)).map(({ pid }) => Number(pid));
}
