import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { isAlive, listProcesses, runContained } from '../../../scripts/lib/processes.mjs';
import { eventually } from '../../support/eventually';
import { only } from '../../support/only';

/** A server in a process group of its own, which keeps the output open. Writes its pid to the first argument, and then runs `rest`. */
const startsServer = (rest: string): string => `
  const { spawn } = require('node:child_process');
  const { writeFileSync } = require('node:fs');
  const server = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { detached: true, stdio: 'inherit' });
  writeFileSync(process.argv[1], String(server.pid));
  ${rest}`;

// Windows has no process groups, and tells nobody's environment.
only('where there are process groups', process.platform !== 'win32').describe('what a script starts', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backline-processes-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const pidFile = (): string => path.join(folder, 'pid');
  /** Not as `isAlive`: a process that has ended stays a zombie until the system takes it away. */
  const runs = async (pid: number): Promise<boolean> => (await listProcesses()).some((process) => process.pid === pid);
  const serverPid = async (): Promise<number> => Number(await readFile(pidFile(), 'utf8'));

  for (const [how, rest] of [
    ['fails', "throw new Error('no Chromium');"],
    ['exits', 'process.exit(1);'],
    ['is killed', "process.kill(process.pid, 'SIGKILL');"],
  ] as const) {
    it(`leaves no server behind when the program ${how}`, async () => {
      const { code } = await runContained(process.execPath, ['-e', startsServer(rest), pidFile()]);
      assert.notEqual(code, 0);
      assert.equal(await runs(await serverPid()), false);
    });
  }

  it('is alive also if it may not be signalled', () => {
    const kill = Object.getOwnPropertyDescriptor(process, 'kill') ?? {};
    const isAliveAfter = (code: string): boolean => {
      const value = (): never => {
        throw Object.assign(new Error(code), { code });
      };
      Object.defineProperty(process, 'kill', { ...kill, value });
      return isAlive(1);
    };
    try {
      assert.deepEqual([isAliveAfter('EPERM'), isAliveAfter('ESRCH')], [true, false]);
    } finally {
      Object.defineProperty(process, 'kill', kill);
    }
  });

  it('leaves the servers of another run alone', async () => {
    const other = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
    try {
      await runContained(process.execPath, ['-e', startsServer('process.exit(1);'), pidFile()]);
      assert.equal(other.exitCode ?? other.signalCode, null);
    } finally {
      other.kill('SIGKILL');
    }
  });

  /** Arguments of a Node.js that is ready, does `rest`, and cleans up at its end. */
  const cleansUp = (rest: string): string[] => {
    const processes = JSON.stringify(pathToFileURL(path.resolve('scripts/lib/processes.mjs')).href);
    const script = `
      const { cleanUpAtEnd } = await import(${processes});
      const { writeFileSync } = await import('node:fs');
      cleanUpAtEnd(() => writeFileSync(process.argv[1], 'clean'));
      writeFileSync(process.argv[1], 'ready');
      ${rest}`;
    return ['--input-type=module', '-e', script, pidFile()];
  };

  it('is ended by a signal, and then the script cleans up', async () => {
    const running = spawn(process.execPath, cleansUp('setInterval(() => undefined, 1000);'), { stdio: 'ignore' });
    const ended = once(running, 'exit');
    try {
      await eventually('the script', async () => assert.equal(await readFile(pidFile(), 'utf8'), 'ready'));
      running.kill('SIGTERM');
      assert.deepEqual(await ended, [null, 'SIGTERM']);
    } finally {
      running.kill('SIGKILL');
    }
    assert.equal(await readFile(pidFile(), 'utf8'), 'clean');
  });

  it('is cleaned up also when the script ends by itself', async () => {
    const { code } = await runContained(process.execPath, cleansUp('process.exit(3);'));
    assert.equal(code, 3);
    assert.equal(await readFile(pidFile(), 'utf8'), 'clean');
  });

  it('ends a bench and its servers when the script that runs them is killed', async () => {
    const endWithParent = path.resolve('scripts/lib/endWithParent.mjs');
    const bench = startsServer('setInterval(() => undefined, 1000);');
    const script = `require('node:child_process').spawn(process.execPath,
      ['--import', ${JSON.stringify(endWithParent)}, '-e', ${JSON.stringify(bench)}, process.argv[1]], { stdio: 'ignore' });
      setInterval(() => undefined, 1000);`;
    const runner = spawn(process.execPath, ['-e', script, pidFile()], { stdio: 'ignore' });
    let pid = 0;
    try {
      await eventually('the server', async () => {
        pid = await serverPid();
        assert.ok(pid > 0);
      });
    } finally {
      runner.kill('SIGKILL');
    }
    await once(runner, 'exit');
    await eventually('the end of the server', async () => assert.equal(await runs(pid), false));
  });
});
