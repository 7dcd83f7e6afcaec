import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { systemClock } from '../../../../../src/base/node/systemClock';
import { descendantGroupsOf } from '../../../../../src/acp/node/process/linuxProcesses';
import {
  endProcessTree,
  descendantProcessGroups,
  killProcessTreeNow,
  ownProcessGroupOptions,
  ProcessTree,
} from '../../../../../src/acp/node/process/processTree';
import { isProcessTreeAlive } from '../../../../support/isProcessTreeAlive';

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

  it('are killed also when the system takes its time for that', async () => {
    const child = spawn('sleep', ['1000'], ownProcessGroupOptions);
    const kill = Object.getOwnPropertyDescriptor(process, 'kill') ?? {};
    const later = (pid: number, signal: NodeJS.Signals | 0): true => {
      if (signal === 0) return processKill(pid, signal);
      if (signal === 'SIGKILL') systemClock.setTimer(200, () => processKill(pid, signal));
      return true;
    };
    const processKill = process.kill.bind(process);
    try {
      Object.defineProperty(process, 'kill', { ...kill, value: later });
      assert.equal(await endProcessTree(child.pid ?? 0, 50, systemClock), 'killed');
    } finally {
      Object.defineProperty(process, 'kill', kill);
    }
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

    it('leave processes alone that may not be signalled, and do not wait for them', () => {
      const child = spawn('sleep', ['1000'], ownProcessGroupOptions);
      const pid = child.pid ?? assert.fail('was not started');
      const kill = Object.getOwnPropertyDescriptor(process, 'kill') ?? {};
      const refuse = (): never => {
        throw Object.assign(new Error('not permitted'), { code: 'EPERM' });
      };
      try {
        assert.deepEqual(new ProcessTree(pid).signalTargets(), [-pid]);
        Object.defineProperty(process, 'kill', { ...kill, value: refuse });
        assert.deepEqual(new ProcessTree(pid).signalTargets(), []);
      } finally {
        Object.defineProperty(process, 'kill', kill);
        killProcessTreeNow(pid);
      }
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

  it('have the groups of all descendants, but neither that of the leader nor that of this process', () => {
    const at = (pid: number, parentPid: number, groupId: number) => ({ pid, parentPid, groupId, isZombie: false });
    const own = at(process.pid, 1, 4);
    // 31 is in the group of 30, which has ended. 50 has lost its parents.
    const others = [at(10, 4, 10), at(20, 10, 10), at(21, 20, 21), at(31, 21, 30), at(32, 31, 4), at(50, 1, 50)];
    assert.deepEqual(descendantGroupsOf(10, [...others, own]), [21, 30]);
    assert.deepEqual(descendantGroupsOf(11, [...others, own]), []);
  });
});
