import assert from 'node:assert/strict';
import type { AgentContext, CreateElicitationRequest } from '@agentclientprotocol/sdk';
import type { Elicit } from '../../../../src/acp/node/connection/agentClient';
import { open, useBackends, type backendOf } from '../../../fake/backendHarness';
import { basics } from '../../../fake/scriptedAgent';

/** Answers `cancel` when it is withdrawn, as the real one does. */
const untilWithdrawn: Elicit = (_request, signal) =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve({ action: 'cancel' }), { once: true }));

const page = (sessionId: string): CreateElicitationRequest => ({
  mode: 'url',
  sessionId,
  elicitationId: 'e1',
  url: 'https://example.com/',
  message: 'Look',
});

describe('what an agent asks and takes back', () => {
  const make = useBackends();

  async function turn(
    work: (client: AgentContext, sessionId: string) => Promise<unknown>,
    settings: Parameters<typeof backendOf>[1] = {},
  ) {
    const { promise: result, resolve } = Promise.withResolvers<unknown>();
    const made = make((app) => {
      basics(app);
      app.onRequest('session/prompt', async ({ params, client }) => {
        resolve(await work(client, params.sessionId).catch((error: unknown) => error));
        return { stopReason: 'end_turn' };
      });
    }, settings);
    const opened = await open(made.backend);
    await opened.session.sendPrompt({ text: 'go' });
    return { ...made, ...opened, result };
  }

  it('is a terminal that is not asked for any more', async () => {
    const controller = new AbortController();
    const { follower, result } = await turn((client, sessionId) =>
      client.request('terminal/create', { sessionId, command: 'node' }, { cancellationSignal: controller.signal }),
    );
    await follower.next('approval:required');
    controller.abort();
    await follower.next('approval:denied');
    assert.equal(((await result) as { code?: number }).code, -32800);
  });

  it('is a page that the user need not visit any more', async () => {
    const { result } = await turn(
      async (client, sessionId) => {
        const asked = client.request('elicitation/create', page(sessionId));
        await client.notify('elicitation/complete', { elicitationId: 'e1' });
        return asked;
      },
      { elicit: untilWithdrawn },
    );
    assert.deepEqual(await result, { action: 'cancel' });
  });

  it('is a question of a turn that was stopped', async () => {
    const { promise: isAsked, resolve } = Promise.withResolvers<true>();
    const elicit: Elicit = (request, signal) => {
      resolve(true);
      return untilWithdrawn(request, signal);
    };
    const { result, session } = await turn(
      (client, sessionId) => client.request('elicitation/create', page(sessionId)),
      { elicit },
    );
    await isAsked;
    await session.cancel();
    assert.deepEqual(await result, { action: 'cancel' });
  });
});
