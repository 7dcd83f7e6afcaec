import assert from 'node:assert/strict';
import { RequestError } from '@agentclientprotocol/sdk';
import type { AcpBackend } from '../../../../../src/acp/node/session/acpBackend';
import type { SignInCommand } from '../../../../../src/acp/node/v1/agentSignIn';
import { cwd, open, useBackends } from '../../../../fake/backendHarness';
import { basics, says, type Script } from '../../../../fake/scriptedAgent';

const authRequired = (backend: AcpBackend): Promise<void> =>
  new Promise((resolve) => backend.onDidChangeState(({ kind }) => kind === 'authRequired' && resolve()));

describe('an ACP agent that wants the user to sign in', () => {
  const make = useBackends();

  const wants =
    (method: object, isSignedIn: (nth: number) => boolean, authenticated: string[]): Script =>
    (app, _process, nth) => {
      let signedIn = isSignedIn(nth);
      app.onRequest('initialize', () => ({
        protocolVersion: 1,
        agentCapabilities: {},
        authMethods: [{ id: 'login', name: 'Log in', ...method }],
      }));
      app.onRequest('authenticate', ({ params }) => {
        authenticated.push(params.methodId);
        signedIn = true;
      });
      app.onRequest('session/new', () => ({ sessionId: `s${nth}` }));
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        if (!signedIn) throw RequestError.authRequired();
        await client.notify('session/update', says(sessionId, 'welcome'));
        return { stopReason: 'end_turn' };
      });
    };

  it('a new session says so, with the methods', async () => {
    const { backend } = make((app) => {
      app.onRequest('session/new', () => {
        throw new RequestError(-32000, 'Gemini API key is missing');
      });
      basics(app, { authMethods: [{ id: 'key', name: 'API key', description: 'paste it' }] });
    });
    const required = authRequired(backend);
    const abort = new AbortController();
    const given = assert.rejects(backend.createSession({ cwd }, abort.signal), { code: 'cancelled' });
    await required;
    abort.abort();
    await given;
    assert.equal(backend.state.kind, 'authRequired');
    assert.match(backend.state.message, /Gemini API key is missing/);
    assert.deepEqual(backend.state.methods, [{ id: 'key', name: 'API key', description: 'paste it', type: 'agent' }]);
  });

  it('a new session waits, is asked for once more, and opens', async () => {
    let signedIn = false;
    const { backend } = make((app) => {
      app.onRequest('authenticate', () => void (signedIn = true));
      app.onRequest('session/new', () => {
        if (!signedIn) throw RequestError.authRequired();
        return { sessionId: 'mine' };
      });
      basics(app, { authMethods: [{ id: 'login', name: 'Log in' }] });
    });
    const required = authRequired(backend);
    const opening = backend.createSession({ cwd });
    await required;
    await backend.authenticate('login');
    assert.equal((await opening).id, 'mine');
  });

  it('a new session does not wait when there is no way to sign in, nor longer than its time', async () => {
    for (const methods of [[], [{ id: 'login', name: 'Log in' }]]) {
      const refuses: Script = (app) => {
        app.onRequest('session/new', () => {
          throw RequestError.authRequired();
        });
        basics(app, { authMethods: methods });
      };
      const { backend } = make(refuses, { limits: { signInTimeoutMs: methods.length > 0 ? 1 : 60_000 } });
      await assert.rejects(backend.createSession({ cwd }), { code: 'authRequired', message: /sign in/ });
    }
  });

  it('a prompt waits, is sent once more, and ends well', async () => {
    const authenticated: string[] = [];
    const { backend } = make(wants({}, () => false, authenticated));
    const { session, follower } = await open(backend);
    const required = new Promise<void>((resolve) =>
      backend.onDidChangeState(({ kind }) => kind === 'authRequired' && resolve()),
    );
    await session.prompt({ text: 'hello' });
    await required;
    await backend.authenticate('login');
    assert.equal((await follower.next('prompt:complete')).response, 'welcome');
    assert.deepEqual(authenticated, ['login']);
    assert.equal(backend.state.kind, 'ready');
  });

  it('a terminal method runs a command and starts the agent again, without authenticate', async () => {
    const authenticated: string[] = [];
    const commands: SignInCommand[] = [];
    const method = { type: 'terminal', args: ['--login'], env: { A: '1' } };
    const { agents, backend } = make(
      wants(method, (nth) => nth > 1, authenticated),
      {
        runInTerminal: (command) => {
          commands.push(command);
          return Promise.resolve(true);
        },
      },
    );
    const { session, follower } = await open(backend);
    const required = new Promise<void>((resolve) =>
      backend.onDidChangeState(({ kind }) => kind === 'authRequired' && resolve()),
    );
    await session.prompt({ text: 'hello' });
    await required;
    await backend.authenticate('login');
    assert.equal((await follower.next('prompt:complete')).response, 'welcome');
    assert.deepEqual(commands, [{ label: 'Log in', args: ['--login'], env: { A: '1' } }]);
    assert.deepEqual(authenticated, []);
    assert.equal(agents.started.length, 2);
  });

  it('a prompt that waits can be cancelled', async () => {
    const { backend } = make(wants({}, () => false, []));
    const { session, follower } = await open(backend);
    const required = new Promise<void>((resolve) =>
      backend.onDidChangeState(({ kind }) => kind === 'authRequired' && resolve()),
    );
    await session.prompt({ text: 'hello' });
    await required;
    await session.cancel();
    assert.equal((await follower.next('prompt:complete')).stop_reason, 'cancelled');
  });
});
