import assert from 'node:assert/strict';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { Clock } from '../../../../../src/base/common/async';
import { isProcessTreeAlive } from '../../../../../src/acp/node/process/processTree';
import { systemClock } from '../../../../../src/base/node/systemClock';
import { nullLogger } from '../../../../../src/base/common/log';
import { FakeClock } from '../../../../fake/fakeClock';
import { eventually, until } from '../../../../support/eventually';
import {
  mergeEnvironments,
  parseEnvironment,
  ShellEnvironment,
} from '../../../../../src/acp/node/process/shellEnvironment';

describe('ShellEnvironment', () => {
  let home: string;
  let warnings: string[];
  const log = { ...nullLogger, warn: (message: string) => void warnings.push(message) };

  before(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'backline-shell-'));
    await writeFile(
      path.join(home, '.profile'),
      'echo "a banner"\nexport PATH="/from/profile:$PATH" LOGIN_VALUE="two\nlines" OWN=shell\n',
    );
    const scripts = {
      slow: 'echo $$ > "$HOME/slow.pid"; sleep 60 & sleep 60',
      failing: 'exit 1',
      silent: 'echo hello',
    };
    for (const [name, body] of Object.entries(scripts)) {
      await writeFile(path.join(home, name), `#!/bin/sh\n${body}\n`);
      await chmod(path.join(home, name), 0o755);
    }
  });
  after(() => rm(home, { recursive: true, force: true }));
  beforeEach(() => (warnings = []));

  const ownWith = (SHELL: string): Record<string, string> => ({
    HOME: home,
    SHELL,
    PATH: '/own/bin:/usr/bin:/bin',
    OWN: 'mine',
    ELECTRON_RUN_AS_NODE: '1',
    VSCODE_IPC_HOOK: '/tmp/x',
  });
  const environmentOf = (
    own: Record<string, string>,
    timeoutMs = 45_000,
    clock: Clock = systemClock,
  ): ShellEnvironment => new ShellEnvironment({ platform: 'linux', processEnv: own, clock, log, timeoutMs });

  for (const shell of ['/bin/sh', '/bin/bash']) {
    it(`asks the login shell ${shell}`, async () => {
      const env = await environmentOf(ownWith(shell)).get();
      assert.deepEqual(warnings, []);
      assert.equal(env['LOGIN_VALUE'], 'two\nlines');
      assert.equal(env['OWN'], 'mine');
      const entries = (env['PATH'] ?? '').split(':');
      assert.deepEqual(entries.slice(0, 3), ['/own/bin', '/usr/bin', '/bin']);
      assert.ok(entries.includes('/from/profile'));
      assert.ok(!Object.keys(env).some((name) => /^(ELECTRON_|VSCODE_|SHLVL|_$)/.test(name)));
    });
  }

  it('does not wait for what a start-up file leaves running', async () => {
    const daemonHome = await mkdtemp(path.join(home, 'daemon-'));
    await writeFile(path.join(daemonHome, '.profile'), 'sleep 60 &\nexport LOGIN_VALUE=yes\n');
    const env = await environmentOf({ ...ownWith('/bin/sh'), HOME: daemonHome }).get();
    assert.equal(env['LOGIN_VALUE'], 'yes');
  });

  it('asks once', async () => {
    const environment = environmentOf(ownWith('/bin/sh'));
    assert.equal(await environment.get(), await environment.get());
  });

  const failures: readonly [string, (home: string) => string, RegExp][] = [
    ['fails', (folder) => path.join(folder, 'failing'), /no environment/],
    ['prints something else', (folder) => path.join(folder, 'silent'), /no environment/],
    ['does not exist', (folder) => path.join(folder, 'missing'), /ENOENT/],
    ['has no absolute path', () => 'sh', /SHELL/],
  ];
  for (const [name, shell, reason] of failures) {
    it(`falls back to its own environment, and explains why, when the shell ${name}`, async () => {
      const own = ownWith(shell(home));
      assert.deepEqual(await environmentOf(own).get(), {
        HOME: home,
        SHELL: own['SHELL'],
        PATH: own['PATH'],
        OWN: 'mine',
      });
      assert.equal(warnings.length, 1);
      assert.match(warnings[0] ?? '', reason);
    });
  }

  it('gives up on a shell that does not end', async () => {
    const clock = new FakeClock();
    const given = environmentOf(ownWith(path.join(home, 'slow')), 200, clock).get();
    const leader = await eventually('the start of the shell', async () => {
      const pid = /^(\d+)\n/.exec(await readFile(path.join(home, 'slow.pid'), 'utf8'))?.[1];
      return Number(pid ?? assert.fail('it is not written yet'));
    });
    clock.advance(200);
    assert.equal((await given)['OWN'], 'mine');
    assert.match(warnings[0] ?? '', /took longer than 200 ms/);
    await until('the end of the shell', () => !isProcessTreeAlive(leader));
  });

  it('asks no shell on Windows', async () => {
    const own = { Path: 'C:\\bin', SHELL: '/bin/sh', VSCODE_PID: '1' };
    const environment = new ShellEnvironment({ platform: 'win32', processEnv: own, clock: systemClock, log });
    assert.deepEqual(await environment.get(), { Path: 'C:\\bin', SHELL: '/bin/sh' });
  });

  it('merges PATH without duplicates, its own entries first', () => {
    const merged = mergeEnvironments({ PATH: '/a:/b', X: 'own' }, { PATH: '/c:/a::/d', X: 'shell', Y: 'shell' });
    assert.deepEqual(merged, { PATH: '/a:/b:/c:/d', X: 'own', Y: 'shell' });
  });

  it('finds the listing between the markers, whatever else was printed', () => {
    const output = 'PATH=/no\nMARKPATH=/yes\0A=b=c\0_=/usr/bin/env\0EMPTY=\0MARKbye';
    assert.deepEqual(parseEnvironment(output, 'MARK'), { PATH: '/yes', A: 'b=c', EMPTY: '' });
  });
});
