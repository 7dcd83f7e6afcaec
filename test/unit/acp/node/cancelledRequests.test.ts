import assert from 'node:assert/strict';
import type { AgentContext, CreateElicitationRequest } from '@agentclientprotocol/sdk';
import type { Elicit } from '../../../../src/acp/node/connection/agentClient';
import { open, useBackends, type backendOf } from '../../../fake/backendHarness';
import { FakeClock } from '../../../fake/fakeClock';
import { basics, never } from '../../../fake/acp/scriptedAgent';
import { turns as turnsOfLoop } from '../../../support/turns';

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

  const announce = { sessionUpdate: 'subagent_update' as const, sessionId: 'sub', title: 'Finder' };

  it('is a question of a subagent of a turn that was stopped', async () => {
    const { promise: isAsked, resolve } = Promise.withResolvers<true>();
    const elicit: Elicit = (request, signal) => {
      resolve(true);
      return untilWithdrawn(request, signal);
    };
    const { result, session } = await turn(
      async (client, sessionId) => {
        await client.notify<object>('session/update', { sessionId, update: announce });
        return await client.request('elicitation/create', page('sub'));
      },
      { elicit },
    );
    await isAsked;
    await session.cancel();
    assert.deepEqual(await result, { action: 'cancel' });
  });

  it('is not put to the user by a turn that has just been stopped, nor by a conversation that was closed', async () => {
    const asked: CreateElicitationRequest[] = [];
    const elicit: Elicit = (request) => {
      asked.push(request);
      return Promise.resolve({ action: 'decline' });
    };
    const { promise: answers, resolve } = Promise.withResolvers<unknown[]>();
    const { promise: isClosed, resolve: close } = Promise.withResolvers<undefined>();
    const { promise: late, resolve: resolveLate } = Promise.withResolvers<unknown[]>();
    const { backend } = make(
      (app) => {
        basics(app);
        let stop: () => void = () => undefined;
        app.onNotification('session/cancel', () => stop());
        app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
          const { promise: isStopped, resolve: resolveStopped } = Promise.withResolvers<undefined>();
          stop = () => resolveStopped(undefined);
          await client.notify<object>('session/update', { sessionId, update: announce });
          const ask = () => Promise.all(['sub', sessionId].map((id) => client.request('elicitation/create', page(id))));
          await isStopped;
          resolve(await ask());
          void isClosed.then(async () => resolveLate(await ask()));
          return { stopReason: 'cancelled' };
        });
      },
      { elicit },
    );
    const { session } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await turnsOfLoop(25);
    await session.cancel();
    const cancel = { action: 'cancel' };
    assert.deepEqual(await answers, [cancel, cancel]);
    await session.close();
    close(undefined);
    assert.deepEqual(await late, [cancel, cancel]);
    assert.deepEqual(asked, []);
  });

  it('is not put to the user by a turn that goes on after it was stopped, nor by its subagents', async () => {
    const asked: CreateElicitationRequest[] = [];
    const elicit: Elicit = (request, signal) => {
      asked.push(request);
      return untilWithdrawn(request, signal);
    };
    const clock = new FakeClock();
    const { promise: isStopped, resolve: stop } = Promise.withResolvers<undefined>();
    const { promise: answers, resolve } = Promise.withResolvers<unknown[]>();
    const { backend } = make(
      (app) => {
        basics(app);
        let turns = 0;
        app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
          // The first turn keeps the process, the second one is stopped.
          if (++turns === 1) return await never();
          await client.notify<object>('session/update', { sessionId, update: announce });
          const early = client.request('elicitation/create', page('sub'));
          await isStopped;
          const late = ['sub', sessionId].map((id) => client.request('elicitation/create', page(id)));
          resolve(await Promise.all([early, ...late]));
          return await never();
        });
      },
      { clock, elicit },
    );
    const one = await open(backend);
    const two = await open(backend);
    await one.session.sendPrompt({ text: 'go' });
    await turnsOfLoop(25);
    await two.session.sendPrompt({ text: 'go' });
    await turnsOfLoop(25);
    const stopping = two.session.cancel();
    await turnsOfLoop(25);
    clock.advance(10_000);
    await stopping;
    stop(undefined);
    const cancel = { action: 'cancel' };
    assert.deepEqual(await answers, [cancel, cancel, cancel]);
    assert.equal(asked.length, 1);
  });
});
