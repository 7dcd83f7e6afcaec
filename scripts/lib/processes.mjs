import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { access, constants, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { startable } from './windowsCommand.mjs';

/** @typedef {{ pid: number, parent: number, group: number }} Process */
/** @typedef {{ code: number, output: string }} Finished `code` is 128 when a signal ended it. */
/** @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv, echo?: boolean, maxSilentMs?: number }} RunOptions one that prints nothing for `maxSilentMs` is killed */

/**
 * Runs a program to its end with no stdin. Its output is collected, and shown as it comes with `echo`.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions & { afterExit?: () => Promise<void> }} [options] what holds the output open may be ended by `afterExit`
 * @returns {Promise<Finished>}
 */
export function run(command, args, { cwd, env = process.env, echo = false, maxSilentMs, afterExit } = {}) {
  return new Promise((resolve, reject) => {
    const how = startable(command, args, process.platform);
    const child = spawn(how.file, how.args, { cwd, env, ...how.options, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    const add = (/** @type {string} */ text) => {
      output += text;
      if (echo) process.stdout.write(text);
    };
    const kill = () => {
      add(`It printed nothing for ${Number(maxSilentMs) / 1000} s, so it was killed.\n`);
      child.kill('SIGKILL');
    };
    const silence = maxSilentMs === undefined ? undefined : setTimeout(kill, maxSilentMs);
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8');
      stream.on('data', (/** @type {string} */ text) => {
        silence?.refresh();
        add(text);
      });
    }
    child.on('error', reject);
    child.on('exit', () => {
      clearTimeout(silence);
      afterExit?.().catch(reject);
    });
    child.on('close', (code) => resolve({ code: code ?? 128, output }));
  });
}

/**
 * As `run`; and when the program has ended, in whatever way, what it started and left behind is ended too. On Linux that
 * is found by a variable of its environment, so also what left the program's process group.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} [options]
 * @returns {Promise<Finished>}
 */
export async function runContained(command, args, { env = process.env, ...options } = {}) {
  const mark = `BACKLINE_RUN_${randomUUID().replaceAll('-', '')}`;
  /** @type {Promise<void> | undefined} */
  let stopped;
  const afterExit = () => (stopped = stopMarked(mark));
  const finished = await run(command, args, { ...options, env: { ...env, [mark]: '1' }, afterExit });
  await stopped;
  return finished;
}

/** @param {string} mark name of a variable */
async function stopMarked(mark) {
  for (;;) {
    const left = await listMarked(mark);
    if (left.length === 0) return;
    await Promise.all(left.map((pid) => stopTree(pid, { graceMs: 5_000 })));
  }
}

/**
 * @param {string} mark name of a variable
 * @returns {Promise<number[]>} the processes that were started with it; on Linux only
 */
async function listMarked(mark) {
  if (process.platform !== 'linux') return [];
  const all = await listProcesses();
  const marked = await Promise.all(
    all.map(({ pid }) =>
      readFile(`/proc/${pid}/environ`, 'utf8').then(
        (environment) => environment.split('\0').includes(`${mark}=1`),
        () => false,
      ),
    ),
  );
  return all.filter((_, index) => marked[index]).map(({ pid }) => pid);
}

/**
 * @param {string} command
 * @returns {Promise<string | undefined>} its path on PATH
 */
export async function findOnPath(command) {
  const suffixes = process.platform === 'win32' ? ['.cmd', '.exe', ''] : [''];
  for (const folder of (process.env['PATH'] ?? '').split(path.delimiter)) {
    for (const suffix of suffixes) {
      const candidate = path.join(folder, command + suffix);
      const found = await access(candidate, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (folder && found) return candidate;
    }
  }
  return undefined;
}

/**
 * Settles when this process is to end: at a signal, or when npm or the shell between npm and this process has ended
 * without passing one on.
 * @returns {Promise<'SIGINT' | 'SIGTERM' | 'SIGHUP'>}
 */
export function whenInterrupted() {
  const shell = process.ppid;
  /** @type {number | undefined} */
  let npm;
  if (process.env['npm_lifecycle_event'] !== undefined) {
    void listProcesses().then((all) => (npm = all.find(({ pid }) => pid === shell)?.parent));
  }
  return new Promise((resolve) => {
    for (const name of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) process.on(name, () => resolve(name));
    setInterval(() => {
      if (process.ppid !== shell || (npm !== undefined && !isAlive(npm))) resolve('SIGTERM');
    }, 500).unref();
  });
}

/** @param {number} pid */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It belongs to another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** @returns {Promise<Process[]>} every process of the machine that is not a zombie */
export async function listProcesses() {
  if (process.platform === 'linux') return listFromProc();
  if (process.platform === 'win32') return [];
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=,pgid=,stat=']);
  return stdout
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state]) => state !== undefined && !state.startsWith('Z'))
    .map(([pid, parent, group]) => ({ pid: Number(pid), parent: Number(parent), group: Number(group) }));
}

/** @returns {Promise<Process[]>} */
async function listFromProc() {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const stats = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')));
  return stats.flatMap((stat, index) => {
    // "pid (name) state parent group …": the name may hold spaces and parentheses.
    const [state, parent, group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (!state || state === 'Z') return [];
    return [{ pid: Number(pids[index]), parent: Number(parent), group: Number(group) }];
  });
}

/**
 * Ends a process that was started with `detached: true`, everything in its group, and everything that descends from it
 * (a terminal's shell has a group of its own). The leader gets SIGTERM first, so that it can end its children in order;
 * what is left after `graceMs` is killed.
 * @param {number} leader its pid
 * @param {{ graceMs?: number }} [options]
 * @throws {Error} when something is still there 5 s after it was killed
 */
export async function stopTree(leader, { graceMs = 20_000 } = {}) {
  if (process.platform === 'win32') {
    await run('taskkill', ['/pid', String(leader), '/T', '/F']);
    return;
  }
  /** @type {Set<number>} */
  const known = new Set([leader]);
  const remaining = async () => {
    const all = await listProcesses();
    for (let before = -1; before !== known.size;) {
      before = known.size;
      for (const { pid, parent, group } of all) if (group === leader || known.has(parent)) known.add(pid);
    }
    return all.map(({ pid }) => pid).filter((pid) => known.has(pid));
  };
  let left = await remaining();
  signal(leader, 'SIGTERM');
  const startedAt = Date.now();
  while (left.length > 0) {
    const waitedMs = Date.now() - startedAt;
    if (waitedMs > graceMs + 5_000) throw new Error(`Processes ${left.join(', ')} did not end`);
    if (waitedMs > graceMs) for (const pid of left) signal(pid, 'SIGKILL');
    await sleep(50);
    left = await remaining();
  }
}

/** Ends what this process has started, as `stopTree` does, and what it starts in the meantime. */
export async function stopChildren() {
  for (;;) {
    const children = (await listProcesses()).filter(({ parent }) => parent === process.pid);
    if (children.length === 0) return;
    await Promise.all(children.map(({ pid }) => stopTree(pid)));
  }
}

/**
 * From now on an interruption ends what this process has started, then this process: no server outlives a test run.
 * @param {() => void} [cleanUp] called when nothing that was started runs any more
 */
export function endWhenInterrupted(cleanUp = () => undefined) {
  void whenInterrupted().then(async (name) => {
    await stopChildren();
    // At once, since the work of this process would go on while it waits.
    cleanUp();
    // Not `exit`: that waits for every thread, and one may hang in a read that a test has left behind.
    process.removeAllListeners(name);
    process.kill(process.pid, name);
  });
}

/**
 * As `endWhenInterrupted`, and `cleanUp` is also called when this process ends by itself.
 * @param {() => void} cleanUp
 */
export function cleanUpAtEnd(cleanUp) {
  endWhenInterrupted(cleanUp);
  process.on('exit', cleanUp);
}

/**
 * @param {number} pid
 * @param {NodeJS.Signals} name
 */
function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch {
    // It has just ended by itself.
  }
}
