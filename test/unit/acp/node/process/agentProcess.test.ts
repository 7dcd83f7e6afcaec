import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { withDeadline, type Clock } from '../../../../../src/base/common/async';
import { nullLogger } from '../../../../../src/base/common/log';
import { systemClock } from '../../../../../src/base/node/systemClock';
import { startAgentProcess, type AgentExit, type AgentProcess } from '../../../../../src/acp/node/process/agentProcess';
import { CommandError } from '../../../../../src/acp/node/process/commandLookup';
import { isProcessTreeAlive } from '../../../../support/isProcessTreeAlive';
import type { StreamClosed, InvalidStreamData } from '../../../../../src/wire/common/messageStream';
import { until } from '../../../../support/eventually';

const script = path.resolve('test/fixtures/agents/misbehaving.mjs');
const env = Object.fromEntries(Object.entries(process.env).filter((entry): entry is [string, string] => !!entry[1]));
/** For what an agent does by itself; it never passes, see `clockFor`. */
const graceMs = 45_000;
/** For what it never does. */
const enoughMs = 300;
const ignoreEndOfInput = new Set([
  'ignoresInput',
  'ignoresEndOfInput',
  'ignoresEverything',
  'closesStdout',
  'closesStdin',
]);
const ignoreSigterm = new Set(['ignoresEverything', 'stubbornGrandchild', 'orphan']);

/** Time that passes quickly only where the agent of this fault will not do what is waited for, however slow the machine is. */
function clockFor(fault: string): Clock {
  let skippedMs = 0;
  return {
    now: () => systemClock.now() + skippedMs,
    monotonicNow: () => systemClock.monotonicNow() + skippedMs,
    setTimer: (delayMs, callback) => {
      if (delayMs === graceMs && ignoreEndOfInput.has(fault)) return systemClock.setTimer(enoughMs, callback);
      // What it has said last, by stderr and by stdout.
      if (delayMs === 1000 || delayMs === 500) return systemClock.setTimer(graceMs, callback);
      // The first look whether SIGTERM was enough.
      if (delayMs !== 25 || skippedMs > 0 || !ignoreSigterm.has(fault)) return systemClock.setTimer(delayMs, callback);
      return systemClock.setTimer(enoughMs, () => {
        skippedMs = graceMs;
        callback();
      });
    },
  };
}

type Message = Record<string, unknown>;

/** An agent of one fault, and all that came from it so far. */
class Subject {
  readonly messages: Message[] = [];
  readonly noise: InvalidStreamData[] = [];
  readonly exits: AgentExit[] = [];
  closed: StreamClosed | undefined;
  private readonly waiting = new Set<() => void>();

  private constructor(readonly agent: AgentProcess) {
    agent.onDidExit((exit) => this.note(() => this.exits.push(exit)));
    agent.stream.onDidClose((closed) => this.note(() => (this.closed = closed)));
    agent.stream.onNoise((noise) => this.note(() => this.noise.push(noise)));
    agent.stream.onMessage((message) => this.note(() => this.messages.push(message)));
  }

  static async start(fault: string): Promise<Subject> {
    const command = { command: process.execPath, args: [script, fault], env, cwd: tmpdir() };
    return new Subject(await startAgentProcess(command, { clock: clockFor(fault), log: nullLogger, graceMs }));
  }

  get isGone(): boolean {
    return !isProcessTreeAlive(this.agent.pid);
  }

  async until(what: string, holds: () => boolean): Promise<void> {
    await withDeadline(systemClock, what, 4 * 60_000, async (signal) => {
      while (!holds() && !signal.aborted) await new Promise<void>((resolve) => this.waiting.add(resolve));
    });
  }

  /** Without being stopped: polled, since nothing tells of the end of a grandchild. */
  async gone(): Promise<void> {
    await until('the end of the group', () => this.isGone);
  }

  said(key: string): boolean {
    return this.messages.some((message) => key in message);
  }

  private note(change: () => unknown): void {
    change();
    for (const resolve of this.waiting) resolve();
    this.waiting.clear();
  }
}

describe('AgentProcess', () => {
  let subject: Subject | undefined;

  async function start(fault: string): Promise<Subject> {
    subject = await Subject.start(fault);
    return subject;
  }

  afterEach('nothing is left behind', async () => {
    const last = subject;
    subject = undefined;
    await last?.agent.stop();
    assert.ok(!last || last.isGone);
    assert.ok(!last || last.closed);
  });

  describe('stop', () => {
    const cases: readonly [string, string][] = [
      ['none', 'endOfInput'],
      ['ignoresEndOfInput', 'terminated'],
      ['ignoresInput', 'terminated'],
      ['ignoresEverything', 'killed'],
      ['stubbornGrandchild', 'killed'],
    ];
    for (const [fault, outcome] of cases) {
      it(`of an agent with the fault '${fault}' takes: ${outcome}`, async () => {
        const running = await start(fault);
        await running.until('ready', () => running.said('ready'));
        assert.equal(await running.agent.stop(), outcome);
        assert.ok(running.isGone);
        await running.until('exit', () => running.exits.length > 0);
        assert.ok(running.closed);
      });
    }

    it('gives the same answer every time', async () => {
      const running = await start('ignoresEndOfInput');
      const { agent } = running;
      await running.until('ready', () => running.said('ready'));
      assert.deepEqual(await Promise.all([agent.stop(), agent.stop()]), ['terminated', 'terminated']);
      assert.equal(await agent.stop(), 'terminated');
    });

    it('fails what is sent afterwards', async () => {
      const { agent } = await start('none');
      await agent.stop();
      await assert.rejects(agent.stream.send({ late: true }), /closed/);
    });

    it('fails what an agent that does not read never took', async () => {
      const running = await start('ignoresInput');
      const { agent } = running;
      await running.until('ready', () => running.said('ready'));
      const send = assert.rejects(agent.stream.send({ text: 'x'.repeat(4 * 1024 * 1024) }), /closed/);
      await agent.stop();
      await send;
    });
  });

  it('is guarded until it is gone', async () => {
    const guarded: number[] = [];
    const guard = (leader: number) => {
      guarded.push(leader);
      return { dispose: () => void guarded.splice(0) };
    };
    const fault = 'ignoresEndOfInput';
    const command = { command: process.execPath, args: [script, fault], env, cwd: tmpdir() };
    const options = { clock: clockFor(fault), log: nullLogger, graceMs, guard };
    const agent = await startAgentProcess(command, options);
    assert.deepEqual(guarded, [agent.pid]);
    await agent.stop();
    assert.deepEqual(guarded, []);
  });

  it('is killed without waiting', async () => {
    const running = await start('ignoresEverything');
    await running.until('ready', () => running.said('ready'));
    running.agent.killNow();
    assert.equal(running.closed?.reason, 'disposed');
    await running.until('exit', () => running.exits.length > 0);
    assert.equal(running.exits[0]?.signal, 'SIGKILL');
  });

  describe('an exit of its own', () => {
    it('is told with code and last words, and ends the stream', async () => {
      const running = await start('crash');
      await running.until('exit and close', () => running.exits.length > 0 && !!running.closed);
      assert.deepEqual(running.exits, [{ code: 7, signal: null, stderrTail: 'no such model: tiny-1\n' }]);
      assert.deepEqual(running.agent.exit, running.exits[0]);
      assert.equal(running.closed?.reason, 'ended');
      assert.equal(await running.agent.stop(), 'alreadyGone');
    });

    it('is told with all of its last words, however many', async () => {
      const running = await start('longLastWords');
      await running.until('exit', () => running.exits.length > 0);
      assert.match(running.exits[0]?.stderrTail ?? '', /^é+the end$/);
    });

    it('waits for the last words of what it leaves behind', async () => {
      const running = await start('grandchildWords');
      await running.until('both are ready', () => running.messages.length === 2);
      await running.agent.stream.send({ go: true });
      await running.until('exit', () => running.exits.length > 0);
      assert.deepEqual(running.exits, [{ code: 3, signal: null, stderrTail: 'asked to end' }]);
    });

    it('by a signal from outside is told with the signal', async () => {
      const running = await start('none');
      await running.until('ready', () => running.said('ready'));
      process.kill(running.agent.pid, 'SIGKILL');
      await running.until('exit', () => running.exits.length > 0);
      assert.deepEqual(running.exits, [{ code: null, signal: 'SIGKILL', stderrTail: '' }]);
    });

    it('takes a grandchild along that ignores SIGTERM and holds stdout', async () => {
      const running = await start('orphan');
      await running.until('both are ready', () => running.messages.length === 2);
      await running.agent.stream.send({ go: true });
      await running.until('exit and close', () => running.exits.length > 0 && !!running.closed);
      assert.equal(running.exits[0]?.code, 3);
      await running.gone();
      assert.equal(await running.agent.stop(), 'killed');
    });

    it('in the middle of a line delivers what was whole, and the half as noise', async () => {
      const running = await start('halfALine');
      await running.until('close', () => !!running.closed);
      assert.deepEqual(running.messages, [{ whole: 1 }]);
      assert.deepEqual(
        running.noise.map(({ excerpt }) => excerpt),
        ['{"half":'],
      );
    });
  });

  describe('a broken conversation', () => {
    it('ends the stream when the agent closes stdout and lives on', async () => {
      const running = await start('closesStdout');
      await running.until('close', () => !!running.closed);
      assert.equal(running.closed?.reason, 'ended');
      assert.equal(running.agent.exit, undefined);
      await assert.rejects(running.agent.stream.send({ more: true }), /closed/);
    });

    it('fails a message to an agent that has closed stdin', async () => {
      const running = await start('closesStdin');
      await running.until('ready', () => running.said('ready'));
      await assert.rejects(running.agent.stream.send({ text: 'x' }), /closed/);
    });

    it('keeps the order and loses nothing in a flood of 20,000 lines', async () => {
      const running = await start('flood');
      await running.until('end of the flood', () => running.said('done'));
      assert.equal(running.messages.length, 20_001);
      assert.ok(running.messages.every((message, index) => message['update'] === index || index === 20_000));
    });

    it('keeps the last 64 KiB of 1 MiB of stderr, whole characters only', async () => {
      const running = await start('loudStderr');
      await running.until('end of the output', () => running.said('done'));
      // That comes another way.
      await until('the end of stderr', () => running.agent.stderrTail().endsWith('the end'));
      await running.agent.stop();
      const words = running.agent.stderrTail();
      assert.match(words, /^é+the end$/);
      assert.ok(Buffer.byteLength(words) > 65_000 && Buffer.byteLength(words) <= 65_536);
    });

    it('passes over noise and tells of it', async () => {
      const running = await start('noise');
      await running.until('last message', () => running.said('b'));
      assert.deepEqual(running.messages, [{ a: 1 }, { b: 2 }]);
      assert.deepEqual(
        running.noise.map(({ excerpt }) => excerpt),
        ['Migrating database…', '[1,2]', '{oops}'],
      );
    });

    it('drops a line of 33 MiB with one report and reads on', async () => {
      const running = await start('hugeLine');
      await running.until('the line after', () => running.said('after'));
      assert.deepEqual(running.messages, [{ after: 1 }]);
      assert.deepEqual(
        running.noise.map(({ kind, excerpt }) => [kind, excerpt.slice(0, 9)]),
        [['tooLong', '{"big":"x']],
      );
    });

    it('reads lines that end in CRLF', async () => {
      const running = await start('carriageReturns');
      await running.until('last message', () => running.said('b'));
      assert.deepEqual([running.messages, running.noise], [[{ a: 1 }, { b: 2 }], []]);
    });

    it('puts characters together that come in pieces', async () => {
      const running = await start('splitCharacters');
      await running.until('the message', () => running.said('text'));
      assert.deepEqual(running.messages, [{ text: 'aé€😀' }]);
    });
  });

  it('sends messages in order and reads them back', async () => {
    const running = await start('echo');
    const sent = Array.from({ length: 200 }, (_, id) => ({ id, text: 'é'.repeat(id * 100) }));
    await Promise.all(sent.map((message) => running.agent.stream.send(message)));
    await running.until('the echo', () => running.messages.length === sent.length);
    assert.deepEqual(running.messages, sent);
  });

  it('keeps what was said before anybody listened', async () => {
    const command = { command: process.execPath, args: [script, 'crash'], env, cwd: tmpdir() };
    const agent = await startAgentProcess(
      { ...command, args: [script, 'halfALine'] },
      { clock: systemClock, log: nullLogger },
    );
    await withDeadline(
      systemClock,
      'exit',
      45_000,
      () => new Promise<AgentExit>((resolve) => agent.onDidExit(resolve)),
    );
    const first = await withDeadline(systemClock, 'message', 45_000, () => {
      return new Promise<Message>((resolve) => agent.stream.onMessage(resolve));
    });
    assert.deepEqual(first, { whole: 1 });
    await agent.stop();
  });

  describe('a command that cannot be started', () => {
    let folder: string;
    before(async () => {
      folder = await mkdtemp(path.join(tmpdir(), 'backline-process-'));
      const noInterpreter = path.join(folder, 'no-interpreter');
      await writeFile(noInterpreter, '#!/usr/bin/env no-such-node\n');
      await chmod(noInterpreter, 0o755);
      await writeFile(path.join(folder, 'not-executable'), 'text');
    });
    after(() => rm(folder, { recursive: true, force: true }));

    const cases: readonly [string, string, RegExp][] = [
      ['no-such-agent', 'notFound', /^"no-such-agent" isn't on PATH\.$/],
      ['./no-interpreter', 'interpreterMissing', /needs 'no-such-node', which isn't on PATH/],
      ['./not-executable', 'notExecutable', /chmod/],
    ];
    for (const [command, reason, message] of cases) {
      it(`is refused: ${reason}`, async () => {
        const options = { clock: systemClock, log: nullLogger };
        const start = startAgentProcess({ command, args: [], env: { PATH: '/nowhere' }, cwd: folder }, options);
        await assert.rejects(start, (error) => {
          assert.ok(error instanceof CommandError);
          assert.equal(error.reason, reason);
          assert.match(error.message, message);
          return true;
        });
      });
    }

    it('fails if the system refuses it', async () => {
      const command = { command: process.execPath, args: ['x'.repeat(4 * 1024 * 1024)], env, cwd: folder };
      const start = startAgentProcess(command, { clock: systemClock, log: nullLogger });
      await assert.rejects(start, (error) => error instanceof CommandError && error.reason === 'spawnFailed');
    });

    it('is refused when the working folder is missing', async () => {
      const cwd = path.join(folder, 'gone');
      const start = startAgentProcess(
        { command: process.execPath, args: [], env, cwd },
        { clock: systemClock, log: nullLogger },
      );
      await assert.rejects(start, (error) => error instanceof CommandError && error.reason === 'folderMissing');
    });
  });
});
