import assert from 'node:assert/strict';
import type { AcpBackend } from '../../../../../src/acp/node/session/acpBackend';
import { cwd } from '../../../../fake/backendHarness';
import { v2BackendOf, v2Basics, type V2Script } from '../../../../fake/acp/scriptedV2Agent';

describe('signing out of an agent of ACP v2', () => {
  const backends: AcpBackend[] = [];
  afterEach(() => {
    for (const backend of backends.splice(0)) backend.dispose();
  });

  function make(script: V2Script): AcpBackend {
    const { backend } = v2BackendOf(script);
    backends.push(backend);
    return backend;
  }

  it('calls auth/logout of one that has ways to sign in, which is what its version requires', async () => {
    const logouts: unknown[] = [];
    const backend = make((app) => {
      app.onRequest('auth/logout', ({ params }) => {
        logouts.push(params);
        return {};
      });
      v2Basics(app, { authMethods: [{ type: 'agent', methodId: 'web', name: 'In the browser' }] });
    });
    await backend.createSession({ cwd });
    assert.equal((await backend.signInMethods(AbortSignal.timeout(45_000))).canSignOut, true);
    assert.equal(await backend.signOut(), true);
    assert.deepEqual(logouts, [{}]);
  });

  it('does nothing with one that has none', async () => {
    assert.equal(await make((app) => v2Basics(app)).signOut(), false);
  });
});
