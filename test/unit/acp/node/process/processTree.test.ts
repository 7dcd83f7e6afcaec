import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { systemClock } from '../../../../../src/base/node/systemClock';
import { addEnvironmentMark } from '../../../../../src/acp/node/process/processMarks';
import {
  endMarkedProcesses,
  endProcessTree,
  descendantProcessGroups,
  isProcessTreeAlive,
  killMarkedProcessesNow,
  killProcessTreeNow,
  ownProcessGroupOptions,
  ProcessTree,
} from '../../../../../src/acp/node/process/processTree';

// Stopping agents is tested with the agent process; here is what it does not come across.
describe('process trees', () => {
  it('are alive from start to kill', async () => {
    const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 60000)'], ownProcessGroupOptions);
    const exit = once(child, 'exit');
    const pid = child.pid ?? assert.fail('was not started');
    assert.equal(isProcessTreeAlive(pid), true);
    killProcessTreeNow(pid);
    await exit;
    assert.equal(isProcessTreeAlive(pid), false);
    assert.equal(await endProcessTree(pid, 100, systemClock), 'gone');
    killProcessTreeNow(pid);
  });

  it('are killed in time when the clock is set back meanwhile', async () => {
    const stay = 'process.on("SIGTERM", () => undefined); console.log(1); setInterval(() => undefined, 60000)';
    const child = spawn(process.execPath, ['-e', stay], {
      ...ownProcessGroupOptions,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    await once(child.stdout, 'data');
    let looks = 0;
    // An hour earlier at each look.
    const clock = { ...systemClock, now: () => systemClock.now() - 3_600_000 * looks++ };
    assert.equal(await endProcessTree(child.pid ?? 0, 300, clock), 'killed');
  });

  if (process.platform === 'linux') {
    it('end with the groups that members have made', async () => {
      const stay =
        'process.on("SIGTERM", () => undefined); console.log(process.pid); setInterval(() => undefined, 60000)';
      const start = `require("child_process").spawn(process.execPath, ["-e", ${JSON.stringify(stay)}], `;
      const code = `${start}{ detached: true, stdio: ["ignore", "inherit", "ignore"] }); setInterval(() => undefined, 60000)`;
      const parent = spawn(process.execPath, ['-e', code], {
        ...ownProcessGroupOptions,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const [output] = (await once(parent.stdout, 'data')) as [Buffer];
      const grandchild = Number(output.toString());
      assert.equal(isProcessTreeAlive(grandchild), true);
      assert.deepEqual(descendantProcessGroups(parent.pid ?? 0), [grandchild]);
      assert.equal(await endProcessTree(parent.pid ?? 0, 300, systemClock), 'killed');
      assert.equal(isProcessTreeAlive(grandchild), false);
    });

    it('end with what has left all their groups and lost its parents, also what is started while they end', async () => {
      const mark = randomUUID();
      const env = addEnvironmentMark({ PATH: process.env['PATH'] ?? '' }, mark);
      // On SIGTERM the daemon starts another one, in one more session.
      const daemon = 'trap "setsid sleep 1000 & exit" TERM; echo $$; while :; do sleep 0.1; done';
      const leader = spawn('/bin/sh', ['-c', `(setsid sh -c '${daemon}' &); sleep 1000`], {
        ...ownProcessGroupOptions,
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const [output] = (await once(leader.stdout, 'data')) as [Buffer];
      const left = Number(output.toString());
      assert.ok(!descendantProcessGroups(leader.pid ?? 0).includes(left), 'it has parents, so this tests nothing');
      assert.notEqual(await endProcessTree(leader.pid ?? 0, 2_000, systemClock, { mark }), 'stillRunning');
      assert.equal(isProcessTreeAlive(left), false);
      assert.deepEqual(new ProcessTree(undefined, { mark }).signalTargets(), []);
    });

    it('do not end with what carries another mark', async () => {
      const other = spawn('sleep', ['1000'], {
        ...ownProcessGroupOptions,
        env: addEnvironmentMark({ PATH: '/bin:/usr/bin' }, 'one'),
      });
      const pid = other.pid ?? assert.fail('was not started');
      await endMarkedProcesses('on', 100, systemClock);
      killMarkedProcessesNow('one1');
      assert.ok(isProcessTreeAlive(pid));
      assert.deepEqual(new ProcessTree(undefined, { mark: 'one' }).signalTargets(), [-pid]);
      assert.notEqual(await endMarkedProcesses('one', 2_000, systemClock), 'stillRunning');
      assert.equal(isProcessTreeAlive(pid), false);
    });

    it('of which only a zombie is left are gone', async () => {
      // The job has a group of its own; Node.js, which takes the shell's place, does not know it and never collects it.
      const script = 'console.log(process.argv[1]); setInterval(() => undefined, 60000)';
      const parent = spawn('/bin/bash', ['-c', 'set -m; sleep 60 & exec "$0" -e "$1" $!', process.execPath, script], {
        ...ownProcessGroupOptions,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const exit = once(parent, 'exit');
      const [output] = (await once(parent.stdout, 'data')) as [Buffer];
      const job = Number(output.toString());
      try {
        assert.equal(await endProcessTree(job, 45_000, systemClock), 'terminated');
        assert.doesNotThrow(() => process.kill(-job, 0), 'the zombie was collected, so this tests nothing');
      } finally {
        parent.kill('SIGKILL');
        await exit;
      }
    });
  }
});
