import assert from 'node:assert/strict';
import { RequestError } from '@agentclientprotocol/sdk';
import type { AcpBackend } from '../../../../../src/acp/node/session/acpBackend';
import type { SignInCommand } from '../../../../../src/acp/common/signIn/signInWays';
import { cwd, open, useBackends } from '../../../../fake/backendHarness';
import { basics, says, type Script } from '../../../../fake/acp/scriptedAgent';

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
        _meta: { steering: { supported: true } },
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
    await session.sendPrompt({ text: 'hello' });
    await required;
    assert.equal(session.steer, undefined, 'The agent has no prompt that another one could join.');
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
    await session.sendPrompt({ text: 'hello' });
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
    await session.sendPrompt({ text: 'hello' });
    await required;
    await session.cancel();
    assert.equal((await follower.next('prompt:complete')).stop_reason, 'cancelled');
  });

  describe('checks a sign-in before it counts', () => {
    /** Refuses sessions until `accepts` says otherwise. `session/new` is counted per process. */
    const refusing =
      (accepts: (nth: number) => boolean, wire: string[], more: object = {}): Script =>
      (app, _process, nth) => {
        app.onRequest('authenticate', ({ params }) => void wire.push(`authenticate ${params.methodId}`));
        app.onRequest('session/close', ({ params }) => void wire.push(`close ${params.sessionId}`));
        app.onRequest('session/delete', ({ params }) => void wire.push(`delete ${params.sessionId}`));
        app.onRequest('session/new', () => {
          wire.push(`new ${nth}`);
          if (!accepts(nth)) throw new RequestError(-32000, 'Authentication required', { details: 'The key is wrong' });
          return { sessionId: `s${wire.length}` };
        });
        basics(app, { authMethods: [{ id: 'login', name: 'Log in' }], ...more });
      };
    const waiting = async (backend: AcpBackend) => {
      const required = authRequired(backend);
      const opening = backend.createSession({ cwd });
      await required;
      return opening;
    };

    it('and reports that it failed when the agent still refuses', async () => {
      const wire: string[] = [];
      const { backend } = make(
        refusing(() => false, wire),
        { limits: { signInTimeoutMs: 60_000 } },
      );
      const abort = new AbortController();
      const required = authRequired(backend);
      const opening = assert.rejects(backend.createSession({ cwd }, abort.signal), { code: 'cancelled' });
      await required;
      await assert.rejects(backend.authenticate('login'), {
        code: 'authRequired',
        message: 'Demo still requires you to sign in. It reported: The key is wrong',
      });
      assert.equal(backend.state.kind, 'authRequired');
      abort.abort();
      await opening;
    });

    it('and removes the session that it was checked with', async () => {
      const wire: string[] = [];
      let isSignedIn = false;
      const script = refusing(() => isSignedIn, wire);
      const { backend } = make(script);
      const opening = waiting(backend);
      await authRequired(backend);
      isSignedIn = true;
      await backend.authenticate('login');
      assert.equal((await opening).id, 's6');
      assert.deepEqual(wire, ['new 1', 'authenticate login', 'new 1', 'close s3', 'delete s3', 'new 1']);
      assert.equal(backend.state.kind, 'ready');
    });

    it('restarts the agent for a key, and asks it to use the key only if that was not enough', async () => {
      for (const [isEnough, expected] of [
        [true, ['new 1', 'new 2', 'close s2', 'delete s2', 'new 2']],
        [false, ['new 1', 'new 2', 'authenticate api-key', 'new 2', 'close s4', 'delete s4', 'new 2']],
      ] as const) {
        const wire: string[] = [];
        const isUsed = (): boolean => isEnough || wire.includes('authenticate api-key');
        const script = refusing((nth) => nth > 1 && isUsed(), wire, {
          authMethods: [{ id: 'api-key', name: 'API Key' }],
        });
        const { backend } = make(script, { knownAs: 'codex' });
        const required = authRequired(backend);
        const opening = backend.createSession({ cwd });
        await required;
        assert.ok(backend.state.kind === 'authRequired');
        assert.deepEqual(
          backend.state.methods.map(({ id, type }) => [id, type]),
          [['key:CODEX_API_KEY', 'key']],
        );
        await backend.authenticate('key:CODEX_API_KEY');
        await opening;
        assert.deepEqual(wire, expected);
      }
    });

    it('and a wrong key is said to be one', async () => {
      const { backend } = make(
        refusing(() => false, []),
        { knownAs: 'gemini' },
      );
      await assert.rejects(backend.authenticate('key:GEMINI_API_KEY'), {
        code: 'authRequired',
        message: 'Demo did not accept the key. It reported: The key is wrong',
      });
      assert.equal(backend.state.kind, 'authRequired');
    });

    it('and is given up when the user cancels or begins another one', async () => {
      const authenticating = new Promise<never>(() => undefined);
      const { backend } = make((app) => {
        app.onRequest('authenticate', () => authenticating);
        basics(app, { authMethods: [{ id: 'login', name: 'Log in' }] });
      });
      const abort = new AbortController();
      const cancelled = assert.rejects(backend.authenticate('login', abort.signal), { code: 'cancelled' });
      await authRequired(backend);
      abort.abort();
      await cancelled;
      assert.equal(backend.state.kind, 'ready');
      const replaced = assert.rejects(backend.authenticate('login'), { code: 'cancelled' });
      await authRequired(backend);
      await backend.authenticate('key:OWN_KEY');
      await replaced;
      assert.equal(backend.state.kind, 'ready');
    });

    it('tells whether a sign-in is needed at all, and signs out where the agent can', async () => {
      const wire: string[] = [];
      let isSignedIn = true;
      const auth = { logout: {} };
      const script = refusing(() => isSignedIn, wire, { agentCapabilities: { auth } });
      const { backend } = make((app, process, nth) => {
        app.onRequest('logout', () => void (isSignedIn = false));
        script(app, process, nth);
      });
      const { signal } = new AbortController();
      const methods = [{ id: 'login', name: 'Log in', type: 'agent' }];
      assert.deepEqual(await backend.signInMethods(signal), { isSignedIn: true, methods, canSignOut: true });
      assert.equal(await backend.signOut(signal), true);
      assert.equal((await backend.signInMethods(signal)).isSignedIn, false);
    });

    it('notices an error that means a missing sign-in although its code does not say so', async () => {
      const { backend } = make((app) => {
        app.onRequest('session/prompt', () => {
          throw new RequestError(-32603, 'Internal error', { details: '401 invalid x-api-key' });
        });
        basics(app, { authMethods: [{ id: 'login', name: 'Log in' }] });
      });
      const { session, follower } = await open(backend);
      await session.sendPrompt({ text: 'hello' });
      const failure = await follower.next('error');
      assert.equal(failure.code, 'authRequired');
      assert.doesNotMatch(failure.error, /-32603/);
      assert.equal(backend.state.kind, 'authRequired');
    });
  });
});
