import assert from 'node:assert/strict';
import { RequestError } from '@agentclientprotocol/sdk';
import type { AcpBackend } from '../../../../../src/acp/node/session/acpBackend';
import { cwd, useBackends } from '../../../../fake/backendHarness';
import { v2BackendOf, v2Basics } from '../../../../fake/acp/scriptedV2Agent';

const accounts = [{ label: 'Max', email: 'a@example.com' }];

/** Drafts are no part of the SDK's types. */
const status = ['auth', 'status'].join('/');
const auth = { logout: {}, status: {} };

describe('an agent that tells the state of the sign-in', () => {
  const makeV1 = useBackends();
  const v2Backends: AcpBackend[] = [];
  afterEach(() => {
    for (const backend of v2Backends.splice(0)) backend.dispose();
  });

  /** `answer` is what it says; `sessions` counts the sessions that it opened. */
  function make(version: 1 | 2, answer: () => object) {
    const counts = { sessions: 0 };
    const open = () => ({ sessionId: `s${++counts.sessions}` });
    if (version === 1) {
      const { backend } = makeV1((app) => {
        app.onRequest('initialize', () => ({
          protocolVersion: 1,
          agentCapabilities: { auth },
          authMethods: [{ id: 'web', name: 'In the browser' }],
        }));
        app.onRequest('session/new', open);
        app.onRequest(status, (params: unknown) => params, answer);
      });
      return { backend, counts };
    }
    const { backend } = v2BackendOf((app) => {
      app.onRequest('session/new', open);
      app.onRequest(status, (params: unknown) => params, answer);
      const authMethods = [{ type: 'agent', methodId: 'web', name: 'In the browser' }];
      v2Basics(app, { capabilities: { session: {}, auth }, authMethods });
    });
    v2Backends.push(backend);
    return { backend, counts };
  }

  for (const version of [1, 2] as const) {
    it(`is believed without a session, in version ${version}`, async () => {
      for (const [state, isSignedIn] of [
        ['authenticated', true],
        ['not_required', true],
        ['unauthenticated', false],
      ] as const) {
        const { backend, counts } = make(version, () => ({ state, accounts }));
        const found = await backend.signInMethods(AbortSignal.timeout(45_000));
        assert.deepEqual([found.isSignedIn, found.accounts, counts.sessions], [isSignedIn, ['Max (a@example.com)'], 0]);
        assert.equal(backend.state.kind, isSignedIn ? 'ready' : 'authRequired');
      }
    });
  }

  it('is asked for a session if it does not know, or fails', async () => {
    for (const answer of [
      () => ({ state: 'unknown' }),
      () => {
        throw new RequestError(-32603, 'No idea');
      },
    ]) {
      const { backend, counts } = make(1, answer);
      assert.equal((await backend.signInMethods(AbortSignal.timeout(45_000))).isSignedIn, true);
      assert.equal(counts.sessions, 1);
    }
  });

  it('lets a prompt that waits continue when the user has signed in elsewhere, and reports when the sign-in ends', async () => {
    let isSignedIn = false;
    const { agents, backend } = makeV1((app) => {
      app.onRequest('initialize', () => ({ protocolVersion: 1, authMethods: [{ id: 'web', name: 'Web' }] }));
      app.onRequest('session/new', () => {
        if (!isSignedIn) throw RequestError.authRequired();
        return { sessionId: 'mine' };
      });
    });
    const kinds: string[] = [];
    const required = new Promise<void>((resolve) =>
      backend.onDidChangeState(({ kind }) => {
        kinds.push(kind);
        if (kind === 'authRequired') resolve();
      }),
    );
    const opening = backend.createSession({ cwd });
    await required;
    isSignedIn = true;
    const tell = (state: string) =>
      agents.last.end.send({ jsonrpc: '2.0', method: 'auth/status_update', params: { state } });
    await tell('authenticated');
    assert.equal((await opening).id, 'mine');
    const again = new Promise<void>((resolve) =>
      backend.onDidChangeState(({ kind }) => kind === 'authRequired' && resolve()),
    );
    await tell('unauthenticated');
    await again;
  });
});
