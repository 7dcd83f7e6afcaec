import assert from 'node:assert/strict';
import { tmpdir } from 'node:os';
import { runInOwnShell, shellFor } from '../../../../src/acp/demo/session/ownShell';
import { isProcessTreeAlive } from '../../../support/isProcessTreeAlive';
import { systemClock } from '../../../../src/base/node/systemClock';

describe('the shell of the demo agent', () => {
  const limits = { cwd: tmpdir(), timeoutMs: 60_000, maxOutputBytes: 1_000 };
  const running = new AbortController().signal;

  it('passes the whole command to sh, and to cmd as it is', () => {
    assert.deepEqual(shellFor('echo "a b"', 'linux', {}), {
      file: '/bin/sh',
      args: ['-c', 'echo "a b"'],
      hasVerbatimArguments: false,
    });
    assert.deepEqual(shellFor('echo "a b"', 'win32', { ComSpec: String.raw`D:\cmd.exe` }), {
      file: String.raw`D:\cmd.exe`,
      args: ['/d', '/s', '/c', '"echo "a b""'],
      hasVerbatimArguments: true,
    });
  });

  it('has the output of both streams and the exit code', async () => {
    const end = await runInOwnShell({ ...limits, command: 'echo out; echo err >&2; exit 3' }, systemClock, running);
    assert.ok(end.kind === 'exited');
    assert.equal(end.exitCode, 3);
    assert.deepEqual(end.output.split('\n').toSorted(), ['', 'err', 'out']);
  });

  it('keeps the end of a long output, and says so', async () => {
    const command = 'i=0; while [ $i -lt 1000 ]; do echo "line $i"; i=$((i+1)); done';
    const { output } = await runInOwnShell({ ...limits, command }, systemClock, running);
    assert.match(output, /^\(The beginning of the output was left out\.\)\n/);
    assert.match(output, /line 999\n$/);
    assert.ok(output.length < 1_100);
  });

  it('ends the command and what it has started after the time limit', async () => {
    const command = 'echo $$; sleep 60 & wait';
    const end = await runInOwnShell({ ...limits, command, timeoutMs: 300 }, systemClock, running);
    assert.equal(end.kind, 'timedOut');
    assert.match(end.output, /^\d+\n$/);
    assert.equal(isProcessTreeAlive(Number(end.output)), false);
  });
});
