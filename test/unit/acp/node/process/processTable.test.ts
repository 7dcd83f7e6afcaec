import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { commandLineOf, listProcesses } from '../../../../../src/acp/node/process/linuxProcesses';
import { addEnvironmentMark } from '../../../../../src/acp/node/process/processMarks';
import { ProcessTable } from '../../../../../src/acp/node/process/processTable';
import {
  endMarkedProcesses,
  endProcessTree,
  isProcessTreeAlive,
  killProcessTreeNow,
  ownProcessGroupOptions,
} from '../../../../../src/acp/node/process/processTree';
import { systemClock } from '../../../../../src/base/node/systemClock';
import { until } from '../../../../support/eventually';

const path = { PATH: '/usr/bin:/bin' };
const facts = { parentPid: 1, groupId: 0, sessionId: 0, isZombie: false };

if (process.platform === 'linux') {
  describe('what may be signalled', () => {
    let started: ChildProcess[] = [];

    afterEach(() => {
      for (const child of started) killProcessTreeNow(child.pid ?? assert.fail());
      for (const pid of left) tryKill(pid);
      started = [];
      left = [];
    });

    /** What the tests expect to survive. */
    let left: number[] = [];

    it('is a marked child, not the unmarked leader of its group', async () => {
      const mark = randomUUID();
      const [leader, child] = await start(`BACKLINE_AGENT=${mark} sleep 1000 & echo $!; wait; sleep 1000`);
      await until('the mark', () => commandOf(child) === 'sleep');
      assert.equal(groupOf(child), leader);
      assert.equal(await endMarkedProcesses(mark, 5_000, systemClock), 'terminated');
      assert.ok(!isRunning(child));
      assert.ok(isProcessTreeAlive(leader));
    });

    it('is no spared program, nor what that has started', async () => {
      const mark = randomUUID();
      const [agent, inner] = await start(tmuxWith('setsid sleep 1000 & echo $!; wait'), addEnvironmentMark(path, mark));
      left = [inner, parentOf(inner)];
      await until('the session', () => groupOf(inner) === inner);
      assert.equal(await endProcessTree(agent, 5_000, systemClock, { mark }), 'terminated');
      assert.ok(!isRunning(agent));
      assert.deepEqual(left.map(isRunning), [true, true]);
      assert.equal(await endMarkedProcesses(mark, 5_000, systemClock), 'gone');
      killProcessTreeNow(agent, { mark });
      assert.deepEqual(left.map(isRunning), [true, true]);
    });

    it('is the leader even if it has the name of a spared program', async () => {
      const child = spawn('/bin/sh', ['-c', 'sleep 1000 & wait'], {
        ...ownProcessGroupOptions,
        env: path,
        argv0: 'tmux',
      });
      started.push(child);
      const pid = child.pid ?? assert.fail();
      assert.notEqual(await endProcessTree(pid, 5_000, systemClock), 'stillRunning');
      assert.ok(!isProcessTreeAlive(pid));
    });

    it('is neither this process, nor an ancestor, nor in its group or session', () => {
      const all = listProcesses() ?? [];
      const self = all.find(({ pid }) => pid === process.pid) ?? assert.fail();
      const free = Math.max(...all.map(({ pid }) => pid)) + 1;
      const sameGroup = { ...facts, pid: free, groupId: self.groupId, sessionId: free };
      const sameSession = { ...facts, pid: free + 1, groupId: free + 1, sessionId: self.sessionId };
      const other = { ...facts, pid: free + 2, groupId: free + 2, sessionId: free + 2 };
      const table = new ProcessTable([...all, sameGroup, sameSession, other]);
      const mine = new Set([process.pid, process.ppid, 1, free, free + 1, free + 2]);
      const isMarked = (pid: number): boolean => mine.has(pid);
      assert.deepEqual(table.signalTargets({ leader: undefined, groups: new Set(), isMarked }), [-(free + 2)]);
    });

    it('is nothing that another user has started', () => {
      const [own] = (listProcesses() ?? []).filter(({ pid }) => pid === process.pid);
      assert.ok(own);
      const self = process.getuid?.() ?? 0;
      const other = { ...facts, pid: 2 ** 30, groupId: 2 ** 30, sessionId: 2 ** 30 };
      const table = (user: number): ProcessTable => new ProcessTable([own, other], () => user);
      const belongings = { leader: undefined, groups: new Set<number>(), isMarked: (pid: number) => pid === other.pid };
      assert.deepEqual(table(self).signalTargets(belongings), [-other.pid]);
      assert.deepEqual(table(self + 1).signalTargets(belongings), []);
    });

    /** Runs a script as the leader of a group; resolves with its pid and the one that it prints. */
    async function start(script: string, env: Record<string, string> = path): Promise<[number, number]> {
      const child = spawn('/bin/bash', ['-c', script], {
        ...ownProcessGroupOptions,
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      started.push(child);
      const [output] = (await once(child.stdout, 'data')) as [Buffer];
      return [child.pid ?? assert.fail(), Number(output.toString())];
    }
  });
}

/** A shell that is called tmux, in the group of the script. */
const tmuxWith = (script: string): string => `(exec -a tmux /bin/bash -c '${script}') & wait; sleep 1000`;

const find = (wanted: number) => listProcesses()?.find(({ pid, isZombie }) => pid === wanted && !isZombie);
const isRunning = (pid: number): boolean => find(pid) !== undefined;
const groupOf = (pid: number): number => find(pid)?.groupId ?? 0;
const parentOf = (pid: number): number => find(pid)?.parentPid ?? assert.fail();
const commandOf = (pid: number): string | undefined => commandLineOf(pid)[0];

function tryKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended.
  }
}
