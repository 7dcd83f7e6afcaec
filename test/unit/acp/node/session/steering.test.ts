import assert from 'node:assert/strict';
import { RequestError } from '@agentclientprotocol/sdk';
import * as z from 'zod';
import { isBackendError, isDoubtful, type BackendSession } from '../../../../../src/session/common/sessionBackend';
import type { AcpBackend, AcpBackendDeps } from '../../../../../src/acp/node/session/acpBackend';
import { FakeClock } from '../../../../fake/fakeClock';
import { open, useBackends } from '../../../../fake/backendHarness';
import { basics, never, says, type Script } from '../../../../fake/acp/scriptedAgent';
import { V2Teller, v2BackendOf, v2Basics } from '../../../../fake/acp/scriptedV2Agent';
import { until } from '../../../../support/eventually';

const announced = { _meta: { steering: { supported: true } } };
const Steering = z.looseObject({ sessionId: z.string(), prompt: z.array(z.looseObject({ type: z.string() })) });

/** What became of steering, in one word. */
async function steered(session: BackendSession, text = 'Also this'): Promise<string> {
  try {
    return (await session.steer?.({ text }, 'p1')) ?? 'absent';
  } catch (error) {
    assert.ok(isBackendError(error));
    return isDoubtful(error) ? 'doubtful' : `refused: ${error.code}`;
  }
}

describe('a prompt that is to join a turn of an ACP agent', () => {
  const make = useBackends();
  const requests: unknown[] = [];
  let endTurn = (): void => undefined;
  const v2Backends: AcpBackend[] = [];
  beforeEach(() => {
    requests.length = 0;
  });
  afterEach(() => {
    for (const backend of v2Backends.splice(0)) backend.dispose();
  });

  /** An agent whose turn lasts until the test ends it, and that answers steering so. */
  const agentOf =
    (answer: () => unknown, initialize: object = announced): Script =>
    (app) => {
      basics(app, initialize);
      app.onRequest('session/prompt', async ({ params, client }) => {
        await client.notify('session/update', says(params.sessionId, 'working'));
        await new Promise<void>((resolve) => {
          endTurn = resolve;
        });
        return { stopReason: 'end_turn' };
      });
      app.onRequest('_session/steering', Steering, ({ params }) => {
        requests.push(params);
        return answer();
      });
    };

  async function working(answer: () => unknown, initialize?: object, options?: Partial<AcpBackendDeps>) {
    const made = make(agentOf(answer, initialize), options);
    const { follower, session } = await open(made.backend);
    await session.sendPrompt({ text: 'Go' });
    await follower.next('content_block:delta');
    return { ...made, follower, session };
  }

  it('is sent as the agent takes it, which must not begin a turn with it', async () => {
    const { follower, session } = await working(() => ({ outcome: 'injected' }));
    assert.equal(
      await session.steer?.({ text: 'Also', attachments: [{ type: 'file', path: '/ws/a.txt' }] }, 'p1'),
      'joined',
    );
    const resource = { uri: 'file:///ws/a.txt', text: 'one\ntwo\nthree\n' };
    assert.deepEqual(requests, [
      {
        sessionId: 's1',
        prompt: [
          { type: 'resource', resource },
          { type: 'text', text: 'Also' },
        ],
        _meta: { steering: { idleBehavior: 'promptRequired' } },
      },
    ]);
    endTurn();
    await follower.next('prompt:complete');
  });

  it('is possible only while the agent works on a prompt of this session', async () => {
    const made = make(agentOf(() => ({ outcome: 'injected' })));
    const { follower, session } = await open(made.backend);
    assert.equal(session.steer, undefined, 'before');
    await session.sendPrompt({ text: 'Go' });
    await follower.next('content_block:delta');
    assert.equal(await steered(session), 'joined');
    endTurn();
    await follower.next('prompt:complete');
    assert.equal(session.steer, undefined, 'after');
  });

  const answers: [what: string, answer: () => unknown, expected: string][] = [
    ['says that no turn runs', () => ({ outcome: 'promptRequired', reason: 'noRunningTurn' }), 'noTurn'],
    ['has begun a turn with it nevertheless', () => ({ outcome: 'startedNewTurn' }), 'joined'],
    ['has failed', () => ({ outcome: 'failed' }), 'refused: backend'],
    ['answers with an error', () => Promise.reject(RequestError.invalidParams()), 'refused: invalidRequest'],
    ['does not know the request', () => Promise.reject(RequestError.methodNotFound('x')), 'refused: unsupported'],
    ['answers with nothing', () => ({}), 'doubtful'],
    ['answers with a word that nobody knows', () => ({ outcome: 'maybe' }), 'doubtful'],
  ];
  for (const [what, answer, expected] of answers) {
    it(`is ${expected} if the agent ${what}`, async () => {
      const { session } = await working(answer);
      assert.equal(await steered(session), expected);
    });
  }

  it('is in doubt if the agent does not answer for ten seconds', async () => {
    const clock = new FakeClock();
    const { session } = await working(never, announced, { clock });
    const answered = steered(session);
    await until('the request', () => requests.length === 1);
    clock.advance(10_000);
    assert.equal(await answered, 'doubtful');
  });

  it('is not in doubt if it can’t be made ready, because nothing was sent', async () => {
    const { session } = await working(() => ({ outcome: 'injected' }));
    // No address can be made of half of a character.
    const attachments = [{ type: 'text', title: '\ud800', text: 'x' } as const];
    await assert.rejects(async () => session.steer?.({ text: 'Also', attachments }, 'p1'), { code: 'invalidRequest' });
    assert.deepEqual(requests, []);
  });

  it('is in doubt if the agent ends before it answers', async () => {
    const { agents, session } = await working(never);
    const answered = steered(session);
    await until('the request', () => requests.length === 1);
    agents.last.crash('');
    assert.equal(await answered, 'doubtful');
  });

  it('is not sent outside of a turn, when the turn is stopped, if it is empty, or to an agent that does not offer it', async () => {
    const { backend, follower, session } = await working(() => ({ outcome: 'injected' }));
    assert.equal(await steered(session, '  '), 'refused: invalidRequest');
    const stopped = session.cancel();
    assert.equal(await steered(session), 'noTurn');
    endTurn();
    await Promise.all([stopped, follower.next('prompt:complete')]);
    assert.equal(await steered(session), 'absent');
    assert.equal(await steered(await backend.createSession({ cwd: '/ws' })), 'absent');
    const other = await working(() => ({ outcome: 'injected' }), { _meta: { steering: { supported: 'yes' } } });
    assert.equal(await steered(other.session), 'absent');
    assert.deepEqual(requests, []);
  });

  describe('over version 2', () => {
    /** An agent that reports the prompt as a message when it takes it: at once, or after the turn, which begins another one. */
    function makeV2(isLate: boolean, outcome = 'injected') {
      let teller: V2Teller | undefined;
      const report = async (prompt: z.infer<typeof Steering>['prompt']): Promise<void> => {
        if (isLate) await teller?.idle('end_turn');
        if (isLate) await teller?.state('running');
        const text = z.string().parse(prompt.at(-1)?.['text']);
        await teller?.tell({
          sessionUpdate: 'user_message_chunk',
          messageId: 'steered',
          content: { type: 'text', text },
        });
        await teller?.say('Also done.', 'a2');
        await teller?.idle('end_turn');
      };
      const made = {
        report: (): void => undefined,
        end: (): void => void teller?.idle('end_turn'),
        ...v2BackendOf((app) => {
          v2Basics(app, announced);
          app.onRequest('session/prompt', async ({ params, client }) => {
            teller = new V2Teller(client, params.sessionId);
            await teller.tellPrompt(params.prompt);
            await teller.state('running');
            await teller.say('working');
            return { messageId: `${params.sessionId}-u1` };
          });
          app.onRequest('_session/steering', Steering, ({ params }) => {
            made.report = () => void report(params.prompt);
            if (outcome === 'injected') setImmediate(made.report);
            return { outcome: outcome === 'silent' ? 'injected' : outcome };
          });
        }),
      };
      v2Backends.push(made.backend);
      return made;
    }

    it('is that of another client if the agent has not taken the one of this window, and reports the same words later', async () => {
      const made = makeV2(true, 'promptRequired');
      const { session, follower } = await open(made.backend);
      await session.sendPrompt({ text: 'Go' });
      await follower.next('content_block:delta');
      assert.equal(await steered(session), 'noTurn');
      made.report();
      assert.equal((await follower.next('prompt:submit', 2)).prompt, 'Also this');
      await follower.next('prompt:complete', 2);
    });

    it('is not waited for again if the agent has ended its turn without a report of it', async () => {
      const made = makeV2(false, 'silent');
      const { session, follower } = await open(made.backend);
      const results: string[] = [];
      for (const turn of [1, 2]) {
        await session.sendPrompt({ text: `Go ${turn}` });
        await follower.next('content_block:delta', turn);
        results.push(await steered(session));
        made.end();
        await follower.next('prompt:complete', turn);
      }
      assert.deepEqual(results, ['accepted', 'joined']);
      assert.deepEqual(follower.all('prompt:read'), []);
    });

    for (const isLate of [false, true]) {
      it(`is no prompt of another client when the agent reports it ${isLate ? 'after' : 'in'} the turn`, async () => {
        const { session, follower } = await open(makeV2(isLate).backend);
        await session.sendPrompt({ text: 'Go' });
        await follower.next('content_block:delta');
        assert.equal(await steered(session), 'accepted');
        await follower.next('content_block:delta', 2);
        const told = follower.events.map(({ event }) => event);
        assert.ok(told.indexOf('prompt:read') < told.lastIndexOf('content_block:delta'), told.join());
        assert.deepEqual(
          follower.all('prompt:read').map(({ prompt_id }) => prompt_id),
          ['p1'],
        );
        await follower.next('prompt:complete', isLate ? 2 : 1);
        assert.deepEqual(
          follower.all('prompt:submit').map(({ prompt }) => prompt),
          ['Go'],
        );
        assert.equal(session.turn, 'none');
      });
    }
  });
});
