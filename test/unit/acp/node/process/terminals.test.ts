import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { Clock } from '../../../../../src/base/common/async';
import { systemClock } from '../../../../../src/base/node/systemClock';
import type { TerminalState } from '../../../../../src/acp/common/session/terminalStates';
import type { ToolCommand } from '../../../../../src/session/common/toolCaller';
import { isProcessTreeAlive } from '../../../../support/isProcessTreeAlive';
import { TerminalService, type TerminalServiceDeps } from '../../../../../src/acp/node/process/terminalService';
import { FakeEditor } from '../../../../fake/fakeEditor';
import { until } from '../../../../support/eventually';
import type { PermissionOutcome } from '../../../../../src/acp/node/session/permissionService';

/** What a command does by itself it does some time: only `closeNow` kills, and output that is on its way is waited for. */
const patient: Clock = {
  ...systemClock,
  setTimer: (delayMs, callback) => systemClock.setTimer(delayMs === 1000 ? 45_000 : delayMs, callback),
};
const node = process.execPath;
const script = (code: string) => ({ command: node, args: ['-e', code] });
const forever = script('console.log(process.pid); setInterval(() => {}, 1000)');

describe('the terminals of an ACP session', () => {
  let cwd = '';
  const open: TerminalService[] = [];

  before(async () => {
    cwd = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-terminals-')));
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map((service) => service.close()));
  });
  after(() => rm(cwd, { recursive: true, force: true }));

  function serviceOf(options: Partial<TerminalServiceDeps> = {}) {
    const requests: ToolCommand[] = [];
    const views: TerminalState[] = [];
    const service = new TerminalService({
      editor: new FakeEditor({}, [cwd]),
      clock: patient,
      cwd,
      env: { PATH: process.env['PATH'] ?? '', FROM: 'us' },
      maxTerminals: 2,
      authorize: (request) => {
        requests.push(request);
        return Promise.resolve({ isGranted: true });
      },
      onDidChange: (_id, view) => views.push(view),
      ...options,
    });
    open.push(service);
    return { service, requests, views };
  }

  /** Resolves with what a command printed, as soon as it has printed a line. */
  async function firstLine(service: TerminalService, terminalId: string): Promise<string> {
    const printed = (): string => service.output(terminalId).output;
    await until('a line', () => printed().includes('\n'));
    return printed().trim();
  }

  it('run a program with exactly its arguments, without a shell', async () => {
    const { service, requests } = serviceOf();
    const args = ['-p', 'JSON.stringify(process.argv.slice(1))', '--', '$HOME', 'a b', '"; exit 3'];
    const { terminalId } = await service.create({ command: node, args });
    assert.deepEqual(await service.waitForExit(terminalId), { exitCode: 0, signal: null });
    assert.deepEqual(JSON.parse(service.output(terminalId).output), ['$HOME', 'a b', '"; exit 3']);
    assert.deepEqual(requests, [{ argv: [node, ...args], cwd, env: {} }]);
  });

  it('add to the environment, and run in the folder of the session', async () => {
    const { service, requests } = serviceOf();
    const { terminalId } = await service.create({
      ...script('console.log(process.env.FROM, process.env.ADDED, process.cwd())'),
      env: [{ name: 'ADDED', value: 'them' }],
    });
    await service.waitForExit(terminalId);
    assert.equal(service.output(terminalId).output, `us them ${cwd}\n`);
    assert.deepEqual(requests[0]?.env, { ADDED: 'them' });
  });

  it('tell exit code, output of both streams and the end of the exit', async () => {
    const { service, views } = serviceOf();
    const { terminalId } = await service.create(script('console.error("bad"); process.exitCode = 7'));
    assert.deepEqual(await service.waitForExit(terminalId), { exitCode: 7, signal: null });
    assert.deepEqual(service.output(terminalId), {
      output: 'bad\n',
      truncated: false,
      exitStatus: { exitCode: 7, signal: null },
    });
    assert.deepEqual(views.at(-1), { output: 'bad\n', truncated: false, exit: { code: 7, signal: null } });
  });

  it('keep the end of long output, cut at a whole character', async () => {
    const { service } = serviceOf();
    const { terminalId } = await service.create({
      ...script('process.stdout.write("é".repeat(5000) + "end")'),
      outputByteLimit: 100,
    });
    await service.waitForExit(terminalId);
    const { output, truncated } = service.output(terminalId);
    assert.equal(truncated, true);
    assert.equal(output, `${'é'.repeat(48)}end`);
  });

  it('are not opened when they are not allowed', async () => {
    const { service } = serviceOf({
      authorize: () => Promise.resolve({ isGranted: false, reason: 'The user said no.' }),
    });
    await assert.rejects(service.create(forever), { code: -32603, message: /was not run/ });
    assert.throws(() => service.output('terminal-1'), { code: -32002 });
  });

  it('are not opened in a folder outside the workspace', async () => {
    const { service, requests } = serviceOf();
    await assert.rejects(service.create({ ...forever, cwd: '/' }), { code: -32602, message: /outside/ });
    assert.deepEqual(requests, []);
  });

  it('run a whole line in a shell, which the user is told', async () => {
    const { service, requests } = serviceOf();
    const command = 'echo "$FROM" && echo x | tr x y';
    const { terminalId } = await service.create({ command });
    await service.waitForExit(terminalId);
    assert.equal(service.output(terminalId).output, 'us\ny\n');
    assert.deepEqual(requests, [{ argv: [command], cwd, env: {}, shell: 'bash' }]);
  });

  it('that cannot start are refused before the user is asked', async () => {
    const { service, requests } = serviceOf();
    for (const params of [{ command: 'no-such-program' }, { command: 'npm test && rm x', args: ['y'] }])
      await assert.rejects(service.create(params), { code: -32602 });
    await assert.rejects(service.create({ ...forever, cwd: path.join(cwd, 'gone') }), { code: -32602 });
    assert.deepEqual(requests, []);
  });

  it('are limited in number until one is released', async () => {
    const { service } = serviceOf();
    const first = await service.create(forever);
    await service.create(forever);
    await assert.rejects(service.create(forever), { message: /At most 2/ });
    await service.release(first.terminalId);
    await service.create(forever);
  });

  it('end on kill and can still be read', async () => {
    const { service } = serviceOf();
    const { terminalId } = await service.create(forever);
    const pid = Number(await firstLine(service, terminalId));
    await service.kill(terminalId);
    assert.equal(service.output(terminalId).exitStatus?.signal, 'SIGTERM');
    assert.equal(isProcessTreeAlive(pid), false);
  });

  it('end with the session, with all they have started', async () => {
    const { service } = serviceOf();
    const child = 'const c = require("child_process").spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"]);';
    const { terminalId } = await service.create(
      script(`${child} console.log(process.pid); setInterval(() => {}, 1000)`),
    );
    const pid = Number(await firstLine(service, terminalId));
    await service.close();
    assert.equal(isProcessTreeAlive(pid), false);
    await assert.rejects(service.create(forever), { message: /closed/ });
    assert.throws(() => service.output(terminalId), { code: -32002 });
  });

  if (process.platform === 'linux') {
    it('end with what they have started in a session of its own, but not with commands started since', async () => {
      const { service } = serviceOf();
      const args = ['-c', "setsid sh -c 'echo $$; exec sleep 1000 >/dev/null 2>&1' & wait"];
      const { terminalId } = await service.create({ command: '/bin/sh', args });
      const pid = Number(await firstLine(service, terminalId));
      assert.ok(isProcessTreeAlive(pid));
      const ended = service.endAll();
      const { terminalId: nextId } = await service.create(forever);
      const next = Number(await firstLine(service, nextId));
      await ended;
      assert.equal(isProcessTreeAlive(pid), false);
      assert.equal(isProcessTreeAlive(next), true);
      await service.close();
    });

    it('are killed with that when there is no time left', async () => {
      const { service } = serviceOf();
      const args = ['-c', "setsid sh -c 'echo $$; exec sleep 1000 >/dev/null 2>&1' & wait"];
      const { terminalId } = await service.create({ command: '/bin/sh', args });
      const pid = Number(await firstLine(service, terminalId));
      service.closeNow();
      await until('its death', () => !isProcessTreeAlive(pid));
    });
  }

  it('that were asked for before all were ended do not start after it', async () => {
    let allow = (): void => undefined;
    let sayAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => (sayAsked = resolve));
    const authorize = () =>
      new Promise<PermissionOutcome>((resolve) => {
        allow = () => resolve({ isGranted: true });
        sayAsked();
      });
    const { service } = serviceOf({ authorize });
    const creating = assert.rejects(service.create(forever), { message: /were ended/ });
    await asked;
    await service.endAll();
    allow();
    await creating;
  });

  it('that are still ending are killed when there is no time left', async () => {
    const { service } = serviceOf();
    const stubborn = 'process.on("SIGTERM", () => {}); console.log(process.pid); setInterval(() => {}, 1000)';
    const { terminalId } = await service.create(script(stubborn));
    const pid = Number(await firstLine(service, terminalId));
    const released = service.release(terminalId);
    service.closeNow();
    await until('its death', () => !isProcessTreeAlive(pid));
    await released;
  });

  it('tell when none may run any more, also after one that was not started', async () => {
    const told: boolean[] = [];
    let isGranted = false;
    const { service } = serviceOf({
      authorize: () => Promise.resolve(isGranted ? { isGranted } : { isGranted, reason: 'No.' }),
      onDidEnd: () => told.push(service.hasRunningCommands),
    });
    await assert.rejects(service.create(forever));
    assert.deepEqual(told, [false]);
    isGranted = true;
    for (const end of [(id: string) => service.kill(id), (id: string) => service.release(id), () => service.endAll()]) {
      const { terminalId } = await service.create(forever);
      assert.equal(told.at(-1), true);
      await end(terminalId);
      await until('the end', () => told.at(-1) === false);
    }
  });
});
