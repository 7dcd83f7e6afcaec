import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { Clock } from '../../../../../src/base/common/async';
import { systemClock } from '../../../../../src/base/node/systemClock';
import { CheckpointError, tooSlowError } from '../../../../../src/changes/common/checkpointError';
import { GitProgram } from '../../../../../src/changes/node/git/gitProgram';
import { until } from '../../../../support/eventually';
import { only } from '../../../../support/only';

/** Waits a hundredth of the time. */
const fastClock: Clock = {
  now: () => systemClock.now(),
  monotonicNow: () => systemClock.monotonicNow(),
  setTimer: (delayMs, callback) => systemClock.setTimer(delayMs / 100, callback),
};

const onLinux = only('on Linux', process.platform === 'linux');

describe('the Git program', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(path.join(tmpdir(), 'backline-git-'))));
  afterEach(() => rmSync(folder, { recursive: true }));

  function program(script: string): string {
    const file = path.join(folder, 'git');
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  const find = (): Promise<GitProgram> => GitProgram.find([path.join(folder, 'ws')], fastClock, folder);
  const call = { args: ['status'], cwd: '/', env: { PATH: process.env['PATH'] ?? '' } };

  onLinux.it('is not any program of this name', async () => {
    program('echo "Global Information Tracker 4.9"');
    await assert.rejects(find(), { code: 'noGit', message: /is not Git/ });
    program('echo "git version 1.8.3"');
    await assert.rejects(find(), { code: 'noGit', message: /1\.8 is too old/ });
    program('exit 1');
    await assert.rejects(find(), { code: 'noGit' });
    program('echo "git version 2.39.5 (Apple Git-154)"');
    assert.ok((await find()) instanceof GitProgram);
  });

  onLinux.it('is ended when it hangs, with those that it has started', async () => {
    const git = new GitProgram(program('echo $$ > pid; trap "" TERM; sleep 100 & wait; sleep 100'), fastClock);
    const controller = new AbortController();
    const running = git.run({ ...call, cwd: folder, signal: controller.signal });
    const pidFile = path.join(folder, 'pid');
    await until('it runs', () => readOrEmpty(pidFile) !== '');
    controller.abort(tooSlowError(1_000));
    await assert.rejects(running, { code: 'tooSlow' });
    const pid = Number(readFileSync(pidFile, 'utf8'));
    await until('it is gone', () => !isRunning(pid));
  });

  onLinux.it('keeps nobody waiting when what it started holds its output', async () => {
    const escaped = 'setsid sh -c "echo \\$\\$ > pid; exec sleep 100" & sleep 100';
    const git = new GitProgram(program(escaped), fastClock);
    const controller = new AbortController();
    const running = git.run({ ...call, cwd: folder, signal: controller.signal });
    const pidFile = path.join(folder, 'pid');
    await until('it runs', () => readOrEmpty(pidFile).endsWith('\n'));
    controller.abort(new CheckpointError('cancelled', 'Canceled.'));
    try {
      await assert.rejects(running, { code: 'cancelled' });
    } finally {
      process.kill(Number(readFileSync(pidFile, 'utf8')), 'SIGKILL');
    }
  });

  onLinux.it('is ended when it writes without end', async () => {
    const git = new GitProgram(program('exec yes'), fastClock);
    const { signal } = new AbortController();
    await assert.rejects(git.run({ ...call, signal, maxOutputBytes: 100_000 }), /output of Git is too large/);
  });

  onLinux.it('can be killed by others, which is told by its end', async () => {
    const git = new GitProgram(program('kill -9 $$'), fastClock);
    const { signal } = new AbortController();
    assert.equal((await git.run({ ...call, signal })).exitCode, null);
  });

  it('cannot be started in a folder that is gone', async () => {
    mkdirSync(path.join(folder, 'gone'));
    rmSync(path.join(folder, 'gone'), { recursive: true });
    const git = new GitProgram(process.execPath, fastClock);
    const { signal } = new AbortController();
    await assert.rejects(git.run({ ...call, cwd: path.join(folder, 'gone'), signal }), { code: 'failed' });
  });
});

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readOrEmpty(`/proc/${pid}/status`));
  } catch {
    return false;
  }
}
