import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { tryAgent, type AgentProgram, type TryAgentDeps } from '../../../../../src/acp/node/catalogue/tryAgent';
import type { Clock } from '../../../../../src/base/common/async';
import { isProcessTreeAlive } from '../../../../support/isProcessTreeAlive';
import type { Logger } from '../../../../../src/base/common/log';
import { systemClock } from '../../../../../src/base/node/systemClock';
import { buildDemoAgent } from '../../../../fake/acp/demoAgentFile';
import { until } from '../../../../support/eventually';
import { turns } from '../../../../support/turns';

const script = path.resolve('test/fixtures/agents/misbehaving.mjs');
const environment = Object.fromEntries(
  Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
);
const key = 'sk-not-a-real-key "quoted"';

/** The processes that were started; all must have ended. */
class Trial {
  readonly leaders: number[] = [];
  readonly lines: string[] = [];

  run(program: Partial<AgentProgram>, more: Partial<TryAgentDeps> = {}, signal?: AbortSignal) {
    const deps: TryAgentDeps = {
      clientInfo: { name: 'test', title: 'Test', version: '1' },
      clock: systemClock,
      log: this.log(),
      environment,
      defaultFolder: tmpdir(),
      guard: (leader) => {
        this.leaders.push(leader);
        return { dispose: () => undefined };
      },
      ...more,
    };
    const own = { command: process.execPath, args: [], env: {}, secretEnv: { AGENT_KEY: key }, ...program };
    return tryAgent(own, deps, signal);
  }

  private log(): Logger {
    const line = (message: string, error?: unknown): void => void this.lines.push(`${message} ${String(error)}`);
    return { trace: line, debug: line, info: line, warn: line, error: line, child: () => this.log() };
  }

  assertEnded(): void {
    for (const leader of this.leaders) assert.ok(!isProcessTreeAlive(leader), `${leader} runs`);
    assert.ok(!JSON.stringify(this.lines).includes('not-a-real-key'), 'the log has no key');
  }
}

describe('trying an agent', () => {
  let trial: Trial;
  beforeEach(() => {
    trial = new Trial();
  });
  afterEach(() => trial.assertEnded());

  it('says its name and its ways to sign in', async () => {
    const demo = await buildDemoAgent();
    try {
      const found = await trial.run({ args: [demo.extendedFile, '--auth'], env: {} });
      assert.equal(found.title, 'Demo agent (no model)');
      assert.deepEqual(found.authMethods, [{ id: 'demo-sign-in', name: 'Demo sign-in', type: 'agent' }]);
      assert.equal(trial.leaders.length, 1);
    } finally {
      await demo.remove();
    }
  });

  it('knows a command that is not there from one that does not start', async () => {
    await assert.rejects(trial.run({ command: 'no-such-command' }), { reason: 'notFound' });
    await assert.rejects(trial.run({ command: script }), { reason: 'notStarted' });
    await assert.rejects(trial.run({ cwd: '/no/such/folder' }), { reason: 'notStarted' });
  });

  it('repeats the last line of stderr of one that ends at once, without its secrets', async () => {
    const fault =
      'console.error("first"); console.error("bad key " + process.env.AGENT_KEY + "\\n"); process.exitCode = 7';
    // A slow machine may take longer to tell of its end than it has.
    const setTimer: Clock['setTimer'] = (delayMs, callback) =>
      systemClock.setTimer(delayMs < 1_000 ? delayMs : 45_000, callback);
    await assert.rejects(trial.run({ args: ['-e', fault] }, { clock: { ...systemClock, setTimer } }), {
      reason: 'ended',
      message: 'The command exited immediately (exit code 7). Its output: “bad key [key]”',
    });
  });

  it('knows what does not speak the protocol: a terminal program, an echo, other answers', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'backline-try-'));
    const hasSpoken = path.join(folder, 'has spoken');
    // Its words are in the pipe when the file is there.
    const words = `console.log("Welcome, " + process.env.AGENT_KEY);
      require("node:fs").writeFileSync(${JSON.stringify(hasSpoken)}, ""); process.stdin.resume()`;
    const timeoutMs = 60_000;
    /** The time for an answer is over when the words have been read. */
    const setTimer: Clock['setTimer'] = (delayMs, callback) => {
      if (delayMs !== timeoutMs) return systemClock.setTimer(delayMs, callback);
      let isWanted = true;
      void until('the words', () => existsSync(hasSpoken))
        .then(() => turns(20))
        .then(() => isWanted && callback());
      return { dispose: () => (isWanted = false) };
    };
    try {
      await assert.rejects(trial.run({ args: ['-e', words] }, { clock: { ...systemClock, setTimer }, timeoutMs }), {
        reason: 'notAcp',
        message: /Check its arguments\. Its output: “Welcome, \[key\]”$/,
      });
    } finally {
      await rm(folder, { recursive: true });
    }
    await assert.rejects(trial.run({ args: [script, 'echo'] }), { reason: 'notAcp' });
    const answer = 'process.stdin.once("data", () => console.log(`{"jsonrpc":"2.0","id":0,"result":{"key":1}}`))';
    await assert.rejects(trial.run({ args: ['-e', answer] }), { reason: 'notAcp' });
  });

  it('gives up on one that sends nothing, and ends it with its child processes', async () => {
    for (const fault of ['ignoresEverything', 'stubbornGrandchild', 'closesStdin']) {
      const silent = trial.run({ args: [script, fault] }, { timeoutMs: 300, graceMs: 100 });
      await assert.rejects(silent, { name: 'TryAgentError' }, fault);
    }
    assert.equal(trial.leaders.length, 6, 'each was also asked for version 1');
  });

  it('asks again for version 1 if the program breaks on an offer of version 2', async () => {
    const answers = `process.stdin.once("data", (line) => {
      const { id, params } = JSON.parse(line);
      if (params.protocolVersion !== 1) process.exit(3);
      console.log(JSON.stringify({ jsonrpc: "2.0", id, result: { protocolVersion: 1, agentInfo: { name: "old" } } }));
    })`;
    assert.equal((await trial.run({ args: ['-e', answers] })).name, 'old');
    assert.equal(trial.leaders.length, 2);
  });

  it('ends when it is canceled, before and during the start', async () => {
    await assert.rejects(trial.run({}, {}, AbortSignal.abort()), { reason: 'cancelled' });
    assert.equal(trial.leaders.length, 0);
    const controller = new AbortController();
    const silent = trial.run({ args: [script, 'ignoresEndOfInput'] }, { graceMs: 100 }, controller.signal);
    const rejected = assert.rejects(silent, { reason: 'cancelled' });
    await until('the start', () => trial.leaders.length === 1);
    controller.abort();
    await rejected;
  });
});
