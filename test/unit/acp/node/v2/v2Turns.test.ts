import assert from 'node:assert/strict';
import type { AcpBackend } from '../../../../../src/acp/node/session/acpBackend';
import { open } from '../../../../fake/backendHarness';
import { onV2Prompt, v2BackendOf, v2Basics, type V2Teller } from '../../../../fake/acp/scriptedV2Agent';

describe('a turn of ACP v2', () => {
  const backends: AcpBackend[] = [];
  afterEach(() => {
    for (const backend of backends.splice(0)) backend.dispose();
  });

  function make(work: (teller: V2Teller) => Promise<void>): AcpBackend {
    const { backend } = v2BackendOf((app) => {
      v2Basics(app);
      onV2Prompt(app, work);
    });
    backends.push(backend);
    return backend;
  }

  const ends = ({ client, sessionId }: V2Teller, more: object): Promise<void> => {
    const update = { sessionUpdate: 'state_update', state: 'idle', ...more };
    return client.notify<object, string>('session/update', { sessionId, update });
  };

  it('has the tokens that the agent reports at its end', async () => {
    const usage = { totalTokens: 30, inputTokens: 10, outputTokens: 20 };
    const { session, follower } = await open(make((teller) => ends(teller, { stopReason: 'end_turn', usage })));
    for (const nth of [1, 2]) {
      await session.sendPrompt({ text: 'go' });
      const { token_usage } = await follower.next('prompt:complete', nth);
      assert.deepEqual(token_usage, { input_tokens: 10, output_tokens: 20 });
    }
  });

  it('ends for a reason that is not known, which is said', async () => {
    const { session, follower } = await open(make((teller) => ends(teller, { stopReason: '_budget' })));
    await session.sendPrompt({ text: 'go' });
    const { stop_reason, unknown_stop_reason } = await follower.next('prompt:complete');
    assert.deepEqual([stop_reason, unknown_stop_reason], ['end_turn', '_budget']);
  });

  it('that ends because the user is not signed in waits for the sign-in, and is sent again', async () => {
    let isSignedIn = false;
    const { backend } = v2BackendOf((app) => {
      app.onRequest('auth/login', () => {
        isSignedIn = true;
        return {};
      });
      v2Basics(app, { authMethods: [{ type: 'agent', methodId: 'web', name: 'In the browser' }] });
      onV2Prompt(app, async (teller) => {
        const error = { code: -32000, message: 'Authentication required' };
        if (isSignedIn) await ends(teller, { stopReason: 'end_turn' });
        else await ends(teller, { stopReason: 'error', error });
      });
    });
    backends.push(backend);
    const { session, follower } = await open(backend);
    const required = new Promise<void>((resolve) =>
      backend.onDidChangeState(({ kind }) => kind === 'authRequired' && resolve()),
    );
    await session.sendPrompt({ text: 'hello' });
    await required;
    await backend.authenticate('web');
    assert.equal((await follower.next('prompt:complete')).stop_reason, 'end_turn');
    assert.equal(follower.all('prompt:submit').length, 1);
  });

  it('that fails explains why in a sentence, without the code', async () => {
    const error = { code: -32603, message: 'The model is overloaded' };
    const { session, follower } = await open(make((teller) => ends(teller, { stopReason: 'error', error })));
    await session.sendPrompt({ text: 'go' });
    const text = JSON.stringify(await follower.next('error'));
    assert.match(text, /The model is overloaded/);
    assert.doesNotMatch(text, /\(-32603\)/);
  });
});
