import assert from 'node:assert/strict';
import { RequestError } from '@agentclientprotocol/sdk';
import { AgentLimitStore } from '../../../../../src/acp/common/connection/agentLimitStore';
import type { AcpBackend } from '../../../../../src/acp/node/session/acpBackend';
import { FakeClock } from '../../../../fake/fakeClock';
import { open, useBackends } from '../../../../fake/backendHarness';
import { MemoryMemento } from '../../../../fake/memoryMemento';
import { echo, never, type ScriptedAgent } from '../../../../fake/acp/scriptedAgent';
import { onV2Prompt, v2BackendOf, v2Basics } from '../../../../fake/acp/scriptedV2Agent';

type Answer = { protocolVersion: number; agentInfo?: { name: string; version: string } };
type Offer = (version: number, process: ScriptedAgent) => Promise<never> | Answer;

/** Ways to break on an offer of version 2. */
const faults: Readonly<Record<string, Offer>> = {
  'answers with an error': () => {
    throw new RequestError(-32602, 'Invalid params');
  },
  'says that it only has version 1, by an error': () => {
    throw new RequestError(-32022, 'Unsupported', { requested: 2, supported: [1] });
  },
  ends: (_version, process) => {
    process.crash('unexpected member: info');
    return never();
  },
  'repeats the number without speaking the version': (version) => ({ protocolVersion: version }),
};

describe('the version of ACP that an agent is offered', () => {
  const make = useBackends();
  const v2Backends: AcpBackend[] = [];
  let memory: AgentLimitStore;

  beforeEach(() => {
    memory = new AgentLimitStore({
      memento: new MemoryMemento(),
      mementoName: 'limits',
      onError: (error) => assert.fail(String(error)),
    });
  });
  afterEach(() => {
    for (const backend of v2Backends.splice(0)) backend.dispose();
  });

  /** An agent that does so when version 2 is offered, and otherwise works with version 1. `offers` are all that it got. */
  function breaksBy(offer: Offer, options: Parameters<typeof make>[1] = {}, program = '1.0.0') {
    const offers: number[] = [];
    const made = make(
      (app, process) => {
        app.onRequest('initialize', ({ params: { protocolVersion } }) => {
          offers.push(protocolVersion);
          if (protocolVersion !== 1) return offer(protocolVersion, process);
          return { protocolVersion: 1, agentInfo: { name: 'old', version: program } };
        });
        echo(app, process, 1);
      },
      { agentVersionMemory: () => memory.limitOf('old'), ...options },
    );
    return { ...made, offers };
  }

  async function answers(backend: AcpBackend): Promise<string> {
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'hello' });
    return (await follower.next('prompt:complete')).response;
  }

  it('is the highest, and an agent of version 2 continues with it', async () => {
    const { backend, agents } = v2BackendOf(
      (app) => {
        v2Basics(app);
        onV2Prompt(app, async (teller) => {
          await teller.say('in two');
          await teller.idle('end_turn');
        });
      },
      { protocol: 'auto' },
    );
    v2Backends.push(backend);
    assert.equal(await answers(backend), 'in two');
    assert.equal(agents.started.length, 1);
  });

  it('is the highest, and an agent of version 1 continues with that without a restart', async () => {
    const { agents, backend } = make(echo);
    assert.equal(await answers(backend), 'hello');
    assert.equal(agents.started.length, 1);
  });

  for (const [fault, offer] of Object.entries(faults)) {
    it(`is 1 for an agent that ${fault}, after one restart, and at once from the third start on`, async () => {
      const first = breaksBy(offer);
      const states: string[] = [];
      first.backend.onDidChangeState(({ kind }) => states.push(kind));
      assert.equal(await answers(first.backend), 'hello');
      assert.deepEqual(first.offers, [2, 1]);
      assert.deepEqual(states, ['starting', 'starting', 'ready'], 'the user sees no failure');
      assert.equal(first.agents.started[0]?.isGone, true);
      const second = breaksBy(offer);
      assert.equal(await answers(second.backend), 'hello');
      assert.deepEqual(second.offers, [2, 1], 'one failure may have other reasons');
      const third = breaksBy(offer);
      assert.equal(await answers(third.backend), 'hello');
      assert.deepEqual(third.offers, [1]);
    });
  }

  it('is 1 for an agent that never answers, after a minute', async () => {
    const clock = new FakeClock();
    const { backend, offers } = breaksBy(never, { clock });
    const opened = backend.capabilities();
    while (offers.length === 0) await new Promise((resolve) => setImmediate(resolve));
    clock.advance(60_000);
    await opened;
    assert.deepEqual(offers, [2, 1]);
    assert.equal(memory.limitOf('old').isLimited, false);
    memory.limitOf('old').recordFailure('1.0.0');
    assert.equal(memory.limitOf('old').isLimited, true);
  });

  it('is the highest again for another version of the program', async () => {
    for (let failures = 0; failures < 2; failures++) memory.limitOf('old').recordFailure('0.9.0');
    const offer: Offer = () => ({ protocolVersion: 1, agentInfo: { name: 'old', version: '1.0.0' } });
    const { backend, offers } = breaksBy(offer);
    await backend.capabilities();
    await backend.stop();
    await backend.capabilities();
    assert.deepEqual(offers, [1, 2]);
  });

  it('is not remembered of an agent that works with neither', async () => {
    const { agents, backend } = make(
      (app, process) =>
        app.onRequest('initialize', () => {
          process.crash('broken install');
          return never();
        }),
      { agentVersionMemory: () => memory.limitOf('old') },
    );
    await assert.rejects(backend.capabilities(), { message: /ended unexpectedly/, details: 'broken install' });
    assert.equal(agents.started.length, 2);
    assert.equal(memory.limitOf('old').isLimited, false);
  });

  it('is not doubted once an agent has answered it: later failures have other reasons', async () => {
    let isBroken = false;
    const { agents, backend } = breaksBy((_version, process) => {
      if (!isBroken) return { protocolVersion: 1 };
      process.crash('disk full');
      return never();
    });
    await backend.capabilities();
    isBroken = true;
    await backend.stop();
    await assert.rejects(backend.capabilities(), { details: 'disk full' });
    assert.deepEqual([agents.started.length, memory.limitOf('old').isLimited], [2, false]);
  });

  it('is only 2 if the setting says so, and only 1 likewise', async () => {
    const only2 = breaksBy(faults['ends'] ?? never, { protocol: '2' });
    await assert.rejects(only2.backend.capabilities(), { message: /ended unexpectedly/ });
    assert.deepEqual(only2.offers, [2]);
    const only1 = breaksBy(never, { protocol: '1' });
    await only1.backend.capabilities();
    assert.deepEqual(only1.offers, [1]);
  });

  it('is not repeated to an agent that is stopped meanwhile', async () => {
    const { agents, backend, offers } = breaksBy(never);
    const opened = assert.rejects(backend.capabilities(), { code: 'closed' });
    while (offers.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await backend.stop();
    await opened;
    assert.deepEqual([agents.started.length, backend.state.kind], [1, 'stopped']);
  });
});
