import assert from 'node:assert/strict';
import { methods, RequestError } from '@agentclientprotocol/sdk/experimental/v2';
import * as z from 'zod';
import type { AcpBackend } from '../../../../../src/acp/node/session/acpBackend';
import { cwd, Follower, open, useBackends } from '../../../../fake/backendHarness';
import { echo } from '../../../../fake/acp/scriptedAgent';
import {
  onV2Prompt,
  v2BackendOf,
  v2Basics,
  v2Capabilities,
  type V2Script,
  type V2Teller,
} from '../../../../fake/acp/scriptedV2Agent';

const options = [
  { optionId: 'yes', name: 'Allow', kind: 'allow_once' as const },
  { optionId: 'no', name: 'Reject', kind: 'reject_once' as const },
];

describe('a backend over an agent of ACP v2', () => {
  const backends: AcpBackend[] = [];
  const makeV1 = useBackends();

  afterEach(() => {
    for (const backend of backends.splice(0)) backend.dispose();
  });

  function make(script: V2Script, more: Parameters<typeof v2BackendOf>[1] = {}) {
    const made = v2BackendOf(script, more);
    backends.push(made.backend);
    return made;
  }

  /** An agent that does `work` for each prompt and then becomes idle. */
  const works =
    (work: (teller: V2Teller) => Promise<void>, initialize = {}): V2Script =>
    (app) => {
      v2Basics(app, initialize);
      onV2Prompt(app, async (teller) => {
        await work(teller);
        await teller.idle('end_turn');
      });
    };

  describe('the handshake', () => {
    it('offers version 2, with the members of version 1 for agents that answer with it', async () => {
      let offer: unknown;
      const { backend } = makeV1(
        (app) => {
          app.onRequest('initialize', ({ params }) => {
            offer = params;
            return { protocolVersion: 1 };
          });
        },
        { protocol: '2' },
      );
      await backend.capabilities();
      const Offer = z.looseObject({
        protocolVersion: z.literal(2),
        clientInfo: z.object(),
        clientCapabilities: z.object(),
      });
      assert.equal(Offer.safeParse(offer).success, true);
    });

    it('continues in version 1 with an agent that answers so', async () => {
      const { session, follower } = await open(makeV1(echo, { protocol: '2' }).backend);
      await session.sendPrompt({ text: 'hello' });
      assert.equal((await follower.next('prompt:complete')).response, 'hello');
    });

    it('introduces itself to an agent of version 2, which can do what is in its baseline', async () => {
      let offer: unknown;
      const { backend } = make((app) => {
        app.onRequest('initialize', ({ params }) => {
          offer = params;
          return { protocolVersion: 2, info: { name: 'scripted', version: '7' }, capabilities: { session: {} } };
        });
      });
      assert.deepEqual(await backend.capabilities(), {
        canLoad: true,
        canList: true,
        canDelete: false,
        images: false,
        embeddedContext: false,
      });
      assert.deepEqual(z.looseObject({ info: z.unknown(), capabilities: z.unknown() }).parse(offer).info, {
        name: 'backline',
        title: 'Backline',
        version: '0.0.0',
      });
      assert.deepEqual(backend.state, { kind: 'ready', version: '7' });
    });

    for (const [protocol, version] of [
      ['2', 3],
      ['2', 0],
      ['1', 2],
      ['auto', 3],
    ] as const) {
      it(`refuses an answer with version ${version} to "${protocol}", and ends the agent`, async () => {
        const script = (app: Parameters<Parameters<typeof makeV1>[0]>[0]) =>
          app.onRequest('initialize', () => ({ protocolVersion: version }));
        const { agents, backend } = makeV1((app) => void script(app), { protocol });
        await assert.rejects(backend.capabilities(), { code: 'protocol', message: new RegExp(`version ${version}`) });
        assert.equal(agents.last.isGone, true);
      });
    }

    it('names the versions of an agent that refuses the offer', async () => {
      const { backend } = makeV1(
        (app) =>
          app.onRequest('initialize', () => {
            throw new RequestError(-32022, 'Unsupported', { requested: 2, supported: [3, 4] });
          }),
        { protocol: '2' },
      );
      await assert.rejects(backend.capabilities(), { code: 'protocol', message: /version 3, 4/ });
    });

    it('refuses an agent that says 2 and is something else', async () => {
      const { backend } = makeV1((app) => app.onRequest('initialize', () => ({ protocolVersion: 2 })), {
        protocol: '2',
      });
      await assert.rejects(backend.capabilities(), { code: 'protocol', message: /initialize/ });
    });
  });

  it('leads a turn from the prompt to idleness', async () => {
    const { backend } = make(works((teller) => teller.say('hello')));
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'hi' });
    const complete = await follower.next('prompt:complete');
    assert.deepEqual([complete.response, complete.stop_reason, session.turn], ['hello', 'end_turn', 'none']);
    assert.equal(follower.all('prompt:submit').length, 1);
  });

  it('sends servers with their type, and only those that the agent takes', async () => {
    const asked: unknown[] = [];
    const mcpServers = () =>
      Promise.resolve([
        { name: 'local', command: '/bin/mcp', args: [], env: [] },
        { type: 'http' as const, name: 'web', url: 'http://127.0.0.1:1/', headers: [] },
        { type: 'sse' as const, name: 'old', url: 'http://127.0.0.1:2/', headers: [] },
      ]);
    for (const mcp of [{ stdio: {}, http: {} }, { http: {} }, undefined]) {
      const { backend } = make(
        (app) => {
          app.onRequest('session/new', ({ params }) => {
            asked.push((params.mcpServers ?? []).map((server) => [server.type, server.name]));
            return { sessionId: 's1' };
          });
          v2Basics(app, { capabilities: { session: mcp ? { mcp } : {} } });
        },
        { mcpServers },
      );
      await backend.createSession({ cwd });
    }
    assert.deepEqual(asked, [
      [
        ['stdio', 'local'],
        ['http', 'web'],
      ],
      [['http', 'web']],
      [],
    ]);
  });

  it('resumes a session in a new process, without its history', async () => {
    const resumed: unknown[] = [];
    const { agents, backend } = make((app, process, nth) => {
      app.onRequest('session/resume', async ({ params, client }) => {
        resumed.push(params.replayFrom);
        const update = { sessionUpdate: 'state_update' as const, state: 'idle' as const, stopReason: null };
        await client.notify('session/update', { sessionId: params.sessionId, update });
        return {};
      });
      v2Basics(app);
      onV2Prompt(app, async (teller) => {
        if (nth === 1) process.crash('gone');
        else {
          await teller.say('back');
          await teller.idle('end_turn');
        }
      });
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'one' });
    await follower.next('error');
    await session.sendPrompt({ text: 'two' });
    assert.equal((await follower.next('prompt:complete')).response, 'back');
    assert.deepEqual([resumed, agents.started.length], [[undefined], 2]);
  });

  it('sets options by their type', async () => {
    const changes: unknown[] = [];
    const mode = (currentValue: string) => ({
      type: 'select' as const,
      configId: 'mode',
      name: 'Mode',
      currentValue,
      options: [
        { value: 'ask', name: 'Ask' },
        { value: 'plan', name: 'Plan' },
      ],
    });
    const web = { type: 'boolean' as const, configId: 'web', name: 'Web', currentValue: false };
    const { backend } = make((app) => {
      app.onRequest('session/set_config_option', ({ params }) => {
        changes.push([params.configId, params.type, params.value]);
        return { configOptions: [mode('plan'), { ...web, currentValue: true }] };
      });
      v2Basics(app, {}, { configOptions: [mode('ask'), web] });
    });
    const session = await backend.createSession({ cwd });
    await session.setConfig('mode', 'plan');
    await session.setConfig('web', true);
    assert.deepEqual(changes, [
      ['mode', 'id', 'plan'],
      ['web', 'boolean', true],
    ]);
    assert.deepEqual(
      session.config.map(({ value }) => value),
      ['plan', true],
    );
  });

  it('signs in with auth/login', async () => {
    const logins: string[] = [];
    const authMethods = [
      { type: 'agent', methodId: 'web', name: 'In the browser' },
      { type: 'terminal', methodId: 'tty', name: 'In a terminal', args: ['login'], env: [{ name: 'A', value: 'b' }] },
      { type: '_badge', methodId: 'x', name: 'With a badge' },
    ];
    const commands: unknown[] = [];
    const { backend } = make(
      (app) => {
        app.onRequest('auth/login', ({ params }) => {
          logins.push(params.methodId);
          return {};
        });
        app.onRequest('session/new', () => {
          if (logins.length === 0) throw new RequestError(-32000, 'Sign in first');
          return { sessionId: 's1' };
        });
        v2Basics(app, { authMethods });
      },
      {
        runInTerminal: (command) => {
          commands.push(command);
          return Promise.resolve(true);
        },
      },
    );
    const opening = backend.createSession({ cwd });
    await new Promise<void>((resolve) => backend.onDidChangeState(({ kind }) => kind === 'authRequired' && resolve()));
    const { state } = backend;
    assert.deepEqual(state.kind === 'authRequired' && state.methods.map(({ id, type }) => [id, type]), [
      ['web', 'agent'],
      ['tty', 'terminal'],
    ]);
    await backend.authenticate('web');
    assert.equal((await opening).id, 's1');
    await backend.authenticate('tty');
    assert.deepEqual([logins, commands], [['web'], [{ label: 'In a terminal', args: ['login'], env: { A: 'b' } }]]);
  });

  describe('requests for permission', () => {
    const subjects = {
      'a tool call': {
        subject: {
          type: 'tool_call',
          toolCall: { toolCallId: 'c', kind: 'edit', title: 'Edit', rawInput: { path: '/ws/a.txt' } },
        },
        prompt: 'Demo wants to edit a.txt',
      },
      'a command': {
        subject: { type: 'command', command: 'rm -rf x', cwd: '/ws' },
        prompt: 'Demo wants to run rm -rf x',
      },
      nothing: { subject: undefined, prompt: 'Request from Demo: May I?' },
      'something unknown': { subject: { type: '_moon', phase: 'full' }, prompt: 'Request from Demo: May I?' },
    };
    for (const [about, { subject, prompt }] of Object.entries(subjects)) {
      it(`about ${about} are shown and answered`, async () => {
        let answer: unknown;
        const { backend } = make(
          works(async ({ client, sessionId }) => {
            const request = {
              sessionId,
              title: 'May I?',
              description: 'Because.',
              options,
              ...(subject ? { subject } : {}),
            };
            answer = await client.request<unknown, object, string>(methods.client.session.requestPermission, request);
          }),
        );
        const { session, follower } = await open(backend);
        await session.sendPrompt({ text: 'go' });
        const asked = await follower.next('approval:required');
        assert.equal(asked.prompt, prompt);
        assert.deepEqual(z.looseObject({ content: z.unknown() }).parse(asked.context).content, [
          { type: 'text', text: 'Because.' },
        ]);
        await session.answerApproval(asked.approval_id, 'Allow');
        await follower.next('prompt:complete');
        assert.deepEqual(answer, { outcome: { outcome: 'selected', optionId: 'yes' } });
      });
    }

    it('without a title or an option are refused', async () => {
      const codes: unknown[] = [];
      const { backend } = make(
        works(async ({ client, sessionId }) => {
          for (const request of [
            { sessionId, options },
            { sessionId, title: 'May I?', options: [] },
          ])
            await client
              .request<unknown, object, string>(methods.client.session.requestPermission, request)
              .catch((error: unknown) => {
                codes.push(error instanceof RequestError ? error.code : error);
              });
        }),
      );
      const { session, follower } = await open(backend);
      await session.sendPrompt({ text: 'go' });
      await follower.next('prompt:complete');
      assert.deepEqual(codes, [-32602, -32602]);
    });
  });

  it('answers requests that only version 1 has with "method not found"', async () => {
    let code: unknown;
    const { backend } = make(
      works(async ({ client, sessionId }) => {
        const request = { sessionId, path: '/ws/a.txt' };
        await client.request<unknown, object, string>('fs/read_text_file', request).catch((error: unknown) => {
          code = error instanceof RequestError ? error.code : error;
        });
      }),
    );
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await follower.next('prompt:complete');
    assert.equal(code, -32601);
  });

  it('tells what an agent does on its own, between prompts', async () => {
    const tellers: V2Teller[] = [];
    const { backend } = make(
      works((teller) => {
        tellers.push(teller);
        return teller.say('first');
      }),
    );
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await follower.next('prompt:complete');
    const [teller] = tellers;
    assert.ok(teller);
    await teller.state('running');
    await teller.say('and more', 'a2');
    await teller.idle('end_turn');
    const complete = await follower.next('prompt:complete', 2);
    assert.deepEqual([complete.response, complete.request_id, session.turn], ['and more', undefined, 'none']);
    await session.sendPrompt({ text: 'again' });
    assert.equal((await follower.next('prompt:complete', 3)).request_id, 's1/2');
  });

  it('lists and deletes sessions', async () => {
    const deleted: string[] = [];
    const { backend } = make((app) => {
      app.onRequest('session/list', () => ({ sessions: [{ sessionId: 'old', cwd, title: 'Old' }] }));
      app.onRequest('session/delete', ({ params }) => {
        deleted.push(params.sessionId);
        return {};
      });
      v2Basics(app, { capabilities: v2Capabilities });
    });
    assert.deepEqual(await backend.listSessions(), [{ id: 'old', cwd, title: 'Old' }]);
    await backend.deleteSession('old');
    assert.deepEqual(deleted, ['old']);
  });

  it('sets the title of a session', async () => {
    const titles: unknown[] = [];
    const { backend } = make((app) => {
      app.onRequest('session/set_title', z.object({ sessionId: z.string(), title: z.string() }), ({ params }) => {
        titles.push(params);
        return { title: params.title };
      });
      v2Basics(app, { capabilities: { session: { ...v2Capabilities.session, title: {} } } });
    });
    assert.equal((await backend.capabilities()).canSetTitle, true);
    await backend.setSessionTitle('old', 'Better words');
    assert.deepEqual(titles, [{ sessionId: 'old', title: 'Better words' }]);
  });

  it('shows the commands of a new session, and ends with it', async () => {
    const availableCommands = [{ type: 'command' as const, name: 'plan', description: 'Plans' }];
    const { backend } = make((app) => v2Basics(app, {}, { availableCommands }));
    const session = await backend.createSession({ cwd });
    const follower = new Follower(session);
    assert.deepEqual(session.commands, [{ name: 'plan', description: 'Plans' }]);
    await session.close();
    await follower.ended;
  });
});
