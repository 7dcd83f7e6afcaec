import assert from 'node:assert/strict';
import * as z from 'zod';
import type { PromptRequest } from '@agentclientprotocol/sdk';
import type { BackendState } from '../../../../src/session/common/sessionBackend';
import { FakeClock } from '../../../fake/fakeClock';
import { turns } from '../../../support/turns';
import { cwd, Follower, open, useBackends } from '../../../fake/backendHarness';
import { basics, echo, says, waits, type Script } from '../../../fake/acp/scriptedAgent';

const text = (words: string) => ({ type: 'text' as const, text: words });

describe('a backend over an ACP agent', () => {
  const make = useBackends();

  it('starts the agent when it is needed, and says how far it is', async () => {
    const { agents, backend } = make(echo);
    const states: BackendState['kind'][] = [];
    backend.onDidChangeState(({ kind }) => states.push(kind));
    assert.equal(backend.state.kind, 'stopped');
    const capabilities = await backend.capabilities();
    assert.deepEqual(capabilities, {
      canLoad: true,
      canList: true,
      canDelete: true,
      images: true,
      embeddedContext: true,
    });
    assert.deepEqual(states, ['starting', 'ready']);
    await Promise.all([backend.createSession({ cwd }), backend.createSession({ cwd })]);
    assert.equal(agents.started.length, 1);
  });

  it('introduces itself with what it can do', async () => {
    let initialize: unknown;
    const { agents, backend } = make(
      (app) =>
        app.onRequest('initialize', ({ params }) => {
          initialize = params;
          return { protocolVersion: 1 };
        }),
      { protocol: '1' },
    );
    await backend.capabilities();
    assert.deepEqual(initialize, {
      protocolVersion: 1,
      clientInfo: { name: 'backline', title: 'Backline', version: '0.0.0' },
      clientCapabilities: {
        fs: { readTextFile: true, writeTextFile: true },
        terminal: true,
        auth: { terminal: true },
        session: { configOptions: { boolean: {} }, notices: {}, compaction: {} },
        _meta: { terminal_output: true, terminal_output_delta: true, 'terminal-auth': true },
      },
    });
    // The SDK does not show drafts of version 1 to a stable agent.
    assert.match(JSON.stringify(agents.last.stream.sent[0]), /"subagents":\{\}/);
  });

  it('refuses an agent of another version, and ends it', async () => {
    const { agents, backend } = make((app) => app.onRequest('initialize', () => ({ protocolVersion: 3 })));
    await assert.rejects(backend.capabilities(), { code: 'protocol', message: /version 3/ });
    assert.equal(agents.last.isGone, true);
    assert.equal(backend.state.kind, 'failed');
  });

  it('tells a turn from the prompt to its end, and again to whoever comes later', async () => {
    const { session, follower } = await open(make(echo).backend);
    const { requestId } = await session.sendPrompt({ text: 'hello' });
    assert.equal(session.turn, 'own');
    const complete = await follower.next('prompt:complete');
    assert.deepEqual([complete.response, complete.stop_reason, complete.request_id], ['hello', 'end_turn', requestId]);
    assert.deepEqual(follower.names, [
      'session:start',
      'prompt:submit',
      'content_block:start',
      'content_block:delta',
      'content_block:end',
      'prompt:complete',
    ]);
    const late = new Follower(session);
    await late.next('prompt:complete');
    assert.deepEqual(late.events, follower.events);
  });

  it('takes one prompt at a time', async () => {
    const { session, follower } = await open(make(waits).backend);
    await session.sendPrompt({ text: 'one' });
    await assert.rejects(session.sendPrompt({ text: 'two' }), { code: 'busy' });
    await follower.next('content_block:delta');
    await session.cancel();
    assert.equal(follower.all('prompt:complete')[0]?.stop_reason, 'cancelled');
    assert.equal(session.turn, 'none');
  });

  it('keeps the conversations of one agent apart', async () => {
    const { agents, backend } = make(echo);
    const [one, two] = [await open(backend), await open(backend)];
    await Promise.all([one.session.sendPrompt({ text: 'first' }), two.session.sendPrompt({ text: 'second' })]);
    assert.equal((await one.follower.next('prompt:complete')).response, 'first');
    assert.equal((await two.follower.next('prompt:complete')).response, 'second');
    assert.equal(agents.started.length, 1);
  });

  it('sends attachments in the blocks the agent takes', async () => {
    const prompts: PromptRequest['prompt'][] = [];
    const record =
      (promptCapabilities: object): Script =>
      (app) => {
        basics(app, { agentCapabilities: { promptCapabilities } });
        app.onRequest('session/prompt', ({ params }) => {
          prompts.push(params.prompt);
          return { stopReason: 'end_turn' };
        });
      };
    const attachments = [
      { type: 'file', path: '/ws/a.txt', lines: { first: 2, last: 3 } },
      { type: 'file', path: '/elsewhere/b.txt' },
      { type: 'text', uri: 'backline:problems', title: 'Problems', text: 'none' },
      { type: 'image', mimeType: 'image/png', data: 'aGk=' },
    ] as const;
    for (const abilities of [{ image: true, embeddedContext: true }, {}]) {
      const { session, follower } = await open(make(record(abilities)).backend);
      await session.sendPrompt({ text: 'look', attachments });
      await follower.next('prompt:complete');
      const notes = follower.all('notice').map(({ message }) => message);
      assert.equal(notes.length, 'image' in abilities ? 0 : 1);
    }
    const link = { type: 'resource_link', uri: 'file:///elsewhere/b.txt', name: 'b.txt' };
    assert.deepEqual(prompts, [
      [
        { type: 'resource', resource: { uri: 'file:///ws/a.txt#L2-L3', text: 'two\nthree' } },
        link,
        { type: 'resource', resource: { uri: 'backline:problems', text: 'none' } },
        { type: 'image', mimeType: 'image/png', data: 'aGk=' },
        text('look'),
      ],
      [
        { type: 'resource_link', uri: 'file:///ws/a.txt#L2-L3', name: 'a.txt' },
        link,
        text('Problems (backline:problems):\n\nnone'),
        text('look'),
      ],
    ]);
  });

  it('lists, loads with history, and deletes conversations', async () => {
    const deleted: string[] = [];
    const { backend } = make((app) => {
      basics(app);
      app.onRequest('session/list', ({ params }) =>
        params.cursor
          ? { sessions: [{ sessionId: 'new', cwd, updatedAt: '2026-02-01T00:00:00Z' }] }
          : { sessions: [{ sessionId: 'old', cwd, title: 'Old', updatedAt: '2026-01-01T00:00:00Z' }], nextCursor: 'x' },
      );
      app.onRequest('session/load', async ({ params: { sessionId }, client }) => {
        const update = { sessionUpdate: 'user_message_chunk' as const, content: text('before') };
        await client.notify('session/update', { sessionId, update });
        await client.notify('session/update', says(sessionId, 'answer'));
        return { modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask' }] } };
      });
      app.onRequest('session/delete', ({ params }) => void deleted.push(params.sessionId));
    });
    assert.deepEqual(
      (await backend.listSessions()).map(({ id }) => id),
      ['new', 'old'],
    );
    const session = await backend.loadSession('old', { cwd });
    const follower = new Follower(session);
    const { response } = await follower.next('prompt:complete');
    assert.equal(response, 'answer');
    assert.deepEqual(follower.all('prompt:submit')[0]?.replayed, true);
    assert.equal(session.config[0]?.value, 'ask');
    assert.equal(await backend.loadSession('old', { cwd }), session);
    await backend.deleteSession('old');
    assert.deepEqual(deleted, ['old']);
  });

  it('sets the title of a session if the agent says that it can', async () => {
    const titles: unknown[] = [];
    const of = (sessionCapabilities: object) =>
      make((app) => {
        app.onRequest('session/set_title', z.object({ sessionId: z.string(), title: z.string() }), ({ params }) => {
          titles.push(params);
          return { title: params.title };
        });
        basics(app, { agentCapabilities: { sessionCapabilities } });
      }).backend;
    const can = of({ title: {} });
    assert.equal((await can.capabilities()).canSetTitle, true);
    await can.setSessionTitle('old', 'Better words');
    const cannot = of({});
    assert.equal((await cannot.capabilities()).canSetTitle, undefined);
    await assert.rejects(cannot.setSessionTitle('old', 'Better words'), { code: 'unsupported' });
    assert.deepEqual(titles, [{ sessionId: 'old', title: 'Better words' }]);
  });

  it('gives a history that is larger than a session keeps to whoever reads while it loads', async () => {
    const turns = 40;
    const answer = 'x'.repeat(1024 * 1024);
    const { backend } = make((app) => {
      basics(app);
      app.onRequest('session/load', async ({ params: { sessionId }, client }) => {
        for (let turn = 0; turn < turns; turn++) {
          const update = { sessionUpdate: 'user_message_chunk' as const, content: text(`prompt ${turn}`) };
          await client.notify('session/update', { sessionId, update });
          await client.notify('session/update', says(sessionId, answer));
        }
        return {};
      });
    });
    let follower: Follower | undefined;
    await backend.loadSession('old', { cwd, onLoading: (session) => (follower = new Follower(session)) });
    assert.ok(follower);
    await follower.next('prompt:complete', turns);
    assert.deepEqual(
      follower.all('prompt:submit').map(({ prompt }) => prompt),
      Array.from({ length: turns }, (_, turn) => `prompt ${turn}`),
    );
    assert.ok(follower.all('prompt:complete').every(({ response }) => response === answer));
  });

  it('gives all of a session that is open already to a conversation that loads it, whoever watches it', async () => {
    const parts = Array.from({ length: 4 }, (_, index) => `${index}`.repeat(256 * 1024));
    const { backend } = make((app) => {
      basics(app);
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        for (const part of parts) await client.notify('session/update', says(sessionId, part));
        return { stopReason: 'end_turn' };
      });
    });
    const { session, follower } = await open(backend);
    const server = new Follower(session);
    await session.sendPrompt({ text: 'go' });
    await Promise.all([follower.next('prompt:complete'), server.next('prompt:complete')]);
    const loaded = new Follower(await backend.loadSession(session.id, { cwd }));
    await loaded.next('prompt:complete');
    assert.deepEqual(loaded.names, follower.names);
    assert.equal(loaded.all('prompt:submit')[0]?.prompt, 'go');
  });

  it('waits for a history that takes longer than a request while it comes, and no longer', async () => {
    const clock = new FakeClock();
    const parts = 5;
    let isEndless = false;
    const { backend } = make(
      (app) => {
        basics(app);
        app.onRequest('session/load', async ({ params: { sessionId }, client }) => {
          for (let part = 0; part < parts; part++) {
            await client.notify('session/update', says(sessionId, `part ${part} `));
            await turns();
            clock.advance(90_000);
          }
          if (isEndless) {
            clock.advance(240_000);
            await new Promise(() => undefined);
          }
          return {};
        });
      },
      { clock },
    );
    const follower = new Follower(await backend.loadSession('long', { cwd }));
    await follower.next('content_block:delta', parts);
    isEndless = true;
    await assert.rejects(backend.loadSession('stuck', { cwd }), { code: 'timeout' });
  });

  it('loads a conversation once for two who ask at once, and closes it here when it is deleted', async () => {
    let loads = 0;
    const { backend } = make((app) => {
      basics(app);
      app.onRequest('session/load', () => (loads++, {}));
      app.onRequest('session/delete', () => undefined);
    });
    const [one, two] = await Promise.all([backend.loadSession('old', { cwd }), backend.loadSession('old', { cwd })]);
    assert.equal(one, two);
    assert.equal(loads, 1);
    await backend.deleteSession('old');
    await assert.rejects(one.sendPrompt({ text: 'go' }), { code: 'closed' });
  });

  it('closes a session that came after it was given up', async () => {
    const abort = new AbortController();
    let answer = (): void => undefined;
    const late = new Promise<void>((resolve) => (answer = resolve));
    let sayClosed: (id: string) => void;
    const closed = new Promise<string>((resolve) => (sayClosed = resolve));
    let sayAsked = (): void => undefined;
    const asked = new Promise<void>((resolve) => (sayAsked = resolve));
    const { backend } = make((app) => {
      app.onRequest('session/new', async () => {
        sayAsked();
        await late;
        return { sessionId: 'late' };
      });
      app.onRequest('session/close', ({ params }) => sayClosed(params.sessionId));
      basics(app);
    });
    const opening = assert.rejects(backend.createSession({ cwd }, abort.signal), { code: 'cancelled' });
    await asked;
    abort.abort();
    await opening;
    answer();
    assert.equal(await closed, 'late');
  });

  it('reports what the agent cannot do', async () => {
    const { backend } = make((app) => basics(app, { agentCapabilities: {} }));
    await assert.rejects(backend.listSessions(), { code: 'unsupported' });
    await assert.rejects(backend.loadSession('x', { cwd }), { code: 'unsupported' });
    await assert.rejects(backend.deleteSession('x'), { code: 'unsupported' });
  });

  it('passes further folders on only to agents that take them', async () => {
    const requests: unknown[] = [];
    for (const sessionCapabilities of [{}, { additionalDirectories: {} }]) {
      const { backend } = make((app) => {
        app.onRequest('initialize', () => ({ protocolVersion: 1, agentCapabilities: { sessionCapabilities } }));
        app.onRequest('session/new', ({ params }) => {
          requests.push(params);
          return { sessionId: 's1' };
        });
      });
      await backend.createSession({ cwd, additionalDirectories: ['/other'] });
    }
    assert.deepEqual(requests, [
      { cwd, mcpServers: [] },
      { cwd, mcpServers: [], additionalDirectories: ['/other'] },
    ]);
  });

  it('gives instructions to agents that take them, after their own, each time it opens the session', async () => {
    const requests: unknown[] = [];
    const takes: unknown[] = [];
    for (const systemPrompt of [undefined, {}, { mode: { override: {} } }]) {
      const { backend } = make((app) => {
        const sessionCapabilities: object = { fork: {}, ...(systemPrompt && { systemPrompt }) };
        const agentCapabilities = { loadSession: true, sessionCapabilities };
        app.onRequest('initialize', () => ({ protocolVersion: 1, agentCapabilities }));
        for (const method of ['session/new', 'session/load', 'session/fork']) {
          app.onRequest(method, z.looseObject({}), ({ params }) => {
            requests.push([method, params['systemPrompt']]);
            return { sessionId: `of ${method}` };
          });
        }
      });
      const options = { cwd, instructions: 'Be brief.' };
      const { id } = await backend.createSession(options);
      await backend.forkSession(id, options);
      await backend.loadSession('stored', options);
      await backend.createSession({ cwd });
      takes.push((await backend.capabilities()).takesInstructions);
    }
    const methods = ['session/new', 'session/fork', 'session/load'];
    const told = { mode: 'append', content: [{ type: 'text', text: 'Be brief.' }] };
    const untold = ['session/new', undefined];
    assert.deepEqual(requests, [
      ...methods.map((method) => [method, undefined]),
      untold,
      ...methods.map((method) => [method, told]),
      untold,
      ...methods.map((method) => [method, told]),
      untold,
    ]);
    assert.deepEqual(takes, [undefined, true, true]);
  });

  it('does not take a session that is open for a copy of it', async () => {
    const { backend } = make((app) => {
      const sessionCapabilities: object = { fork: {} };
      const agentCapabilities = { loadSession: true, sessionCapabilities };
      app.onRequest('initialize', () => ({ protocolVersion: 1, agentCapabilities }));
      app.onRequest('session/new', () => ({ sessionId: 'first' }));
      app.onRequest('session/fork', z.looseObject({}), () => ({ sessionId: 'first' }));
    });
    const { id } = await backend.createSession({ cwd });
    await assert.rejects(backend.forkSession(id, { cwd }), { code: 'protocol' });
  });

  it('changes options by the way the agent offers', async () => {
    const calls: unknown[] = [];
    const select = (value: string) => ({
      id: 'level',
      name: 'Level',
      type: 'select' as const,
      currentValue: value,
      options: [
        { value: 'low', name: 'Low' },
        { value: 'high', name: 'High' },
      ],
    });
    const modes = { currentModeId: 'a', availableModes: ['a', 'b'].map((id) => ({ id, name: id.toUpperCase() })) };
    const models = { currentModelId: 'x', availableModels: ['x', 'y'].map((modelId) => ({ modelId, name: modelId })) };
    const script =
      (setup: object): Script =>
      (app) => {
        basics(app, {}, setup);
        app.onRequest('session/set_config_option', ({ params }) => {
          calls.push(params);
          return { configOptions: [select(String(params.value))] };
        });
        app.onRequest('session/set_mode', ({ params }) => void calls.push(params));
        app.onRequest(
          'session/set_model',
          (params) => params,
          ({ params }) => void calls.push(params),
        );
      };
    const declared = await open(make(script({ configOptions: [select('low')], modes })).backend);
    await declared.session.setConfig('level', 'high');
    assert.equal(declared.session.config[0]?.value, 'high');
    await assert.rejects(declared.session.setConfig('level', 'extreme'), { code: 'unsupported' });
    await assert.rejects(declared.session.setConfig('mode', 'b'), { code: 'unsupported' });

    const older = await open(make(script({ modes, models })).backend);
    await older.session.setConfig('mode', 'b');
    await older.session.setConfig('model', 'y');
    assert.deepEqual(
      older.session.config.map(({ id, value }) => [id, value]),
      [
        ['mode', 'b'],
        ['model', 'y'],
      ],
    );
    assert.deepEqual(calls, [
      { sessionId: 's1', configId: 'level', value: 'high' },
      { sessionId: 's1', modeId: 'b' },
      { sessionId: 's1', modelId: 'y' },
    ]);
  });

  it('closes a session at the agent and ends its readers', async () => {
    const closed: string[] = [];
    const { backend } = make((app) => {
      app.onRequest('session/close', ({ params }) => void closed.push(params.sessionId));
      basics(app);
    });
    const { session, follower } = await open(backend);
    await session.close();
    await follower.ended;
    assert.equal(follower.names.at(-1), 'session:end');
    assert.deepEqual(closed, ['s1']);
    await assert.rejects(session.sendPrompt({ text: 'x' }), { code: 'closed' });
  });

  it('offers elicitation when there is somebody to ask', async () => {
    let answer: unknown;
    const { backend } = make(
      (app) => {
        basics(app);
        app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
          answer = await client.request('elicitation/create', {
            mode: 'form',
            sessionId,
            message: 'Which?',
            requestedSchema: { type: 'object', properties: { which: { type: 'string' } } },
          });
          return { stopReason: 'end_turn' };
        });
      },
      { elicit: () => Promise.resolve({ action: 'accept', content: { which: 'this' } }) },
    );
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'ask' });
    await follower.next('prompt:complete');
    assert.deepEqual(answer, { action: 'accept', content: { which: 'this' } });
  });
});
