import assert from 'node:assert/strict';
import { AmplifierApiError, documentedErrors } from '../../../../src/amplifier/common/api/apiErrors';
import { Failure, registryOf, ServerHarness, type SseClient } from './support/serverHarness';
import type { FakeSession } from './support/fakeBackend';
import { beforeDocumented, documentedEvents, documentedRequests } from './support/documentExamples';

const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/u;
const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/u;

/** The value with what differs from run to run in the words of the example. */
function asExample(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asExample);
  if (typeof value === 'string') return uuid.test(value) ? '<uuid>' : time.test(value) ? '<time>' : value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asExample(member)]));
}

describe('the embedded server answers as the API reference reads', () => {
  let harness: ServerHarness;
  let id: string;
  let fake: FakeSession;

  beforeEach(async () => {
    harness = await ServerHarness.start();
    ({ id, fake } = await harness.createSession(documentedRequests.createSession));
  });
  afterEach(() => harness.stop());

  const failureOf = async (
    method: string,
    path: string,
    body?: unknown,
  ): Promise<{ status: number; code: string; details: Record<string, unknown>; message: string }> => {
    const { status, json } = await harness.call(method, path, { body });
    return { status, ...Failure.parse(json).error };
  };

  describe('sessions', () => {
    it('creates one', async () => {
      const { status, json } = await harness.call('POST', '/sessions', { body: documentedRequests.createSession });
      assert.equal(status, 201);
      assert.deepEqual(asExample(json), {
        session_id: '<uuid>',
        status: 'created',
        profile: 'dev',
        created_at: '<time>',
      });
    });

    it('takes a prompt', async () => {
      const { status, json } = await harness.call('POST', `/sessions/${id}/prompt`, {
        body: documentedRequests.prompt,
      });
      assert.equal(status, 202);
      assert.deepEqual(json, {
        request_id: 'req-1',
        status: 'processing',
        message: 'Prompt submitted, subscribe to events for response',
      });
    });

    it('tells the status of one', async () => {
      const { status, json } = await harness.call('GET', `/sessions/${id}`);
      assert.equal(status, 200);
      assert.deepEqual(asExample(json), {
        session_id: '<uuid>',
        status: 'idle',
        profile: 'dev',
        created_at: '<time>',
        last_activity: '<time>',
        message_count: 0,
        token_usage: { input_tokens: 0, output_tokens: 0 },
        pending_approval: null,
        // Ours: from where a client goes on that loads the session.
        last_event_id: 3,
        state: [],
      });
    });

    it('takes a decision', async () => {
      await harness.call('POST', `/sessions/${id}/prompt`, { body: documentedRequests.prompt });
      const stream = await harness.subscribe(id);
      fake.ask('appr-456');
      await stream.next('approval:required');
      const { status, json } = await harness.call('POST', `/sessions/${id}/approval`, { body: { decision: 'Allow' } });
      assert.equal(status, 200);
      assert.deepEqual(json, { status: 'approved', message: 'Approval decision recorded' });
      assert.deepEqual(fake.answers, ['Allow']);
    });

    it('stops one', async () => {
      const { status, json } = await harness.call('DELETE', `/sessions/${id}`);
      assert.equal(status, 200);
      assert.deepEqual(json, { status: 'stopped', message: 'Session stopped and cleaned up' });
      assert.equal((await failureOf('GET', `/sessions/${id}`)).code, 'SESSION_NOT_FOUND');
      assert.equal(fake.isDisposed, true);
    });

    it('lists them', async () => {
      const { status, json } = await harness.call('GET', '/sessions');
      assert.equal(status, 200);
      assert.deepEqual(asExample(json), {
        sessions: [{ session_id: '<uuid>', status: 'idle', profile: 'dev', created_at: '<time>' }],
        total: 1,
      });
    });

    it('lists those of a status, and no more than are asked for', async () => {
      for (let more = 0; more < 3; more++) await harness.createSession();
      fake.turn = 'own';
      const idsOf = async (query: string): Promise<unknown> => {
        const { json } = await harness.call('GET', `/sessions?${query}`);
        return JSON.stringify(json).match(/"session_id"/gu)?.length ?? 0;
      };
      assert.equal(await idsOf('status=processing'), 1);
      assert.equal(await idsOf('status=idle'), 3);
      assert.equal(await idsOf('status=stopped'), 0);
      assert.equal(await idsOf('limit=2'), 2);
      const { json } = await harness.call('GET', '/sessions?status=idle&limit=1');
      assert.match(JSON.stringify(json), /"total":3/u);
      assert.equal((await failureOf('GET', '/sessions?status=asleep')).details['field'], 'status');
      assert.equal((await failureOf('GET', '/sessions?limit=0')).details['field'], 'limit');
    });
  });

  describe('profiles, collections, agents and the server itself', () => {
    it('lists the profiles; the first stands for dev', async () => {
      const { json } = await harness.call('GET', '/profiles');
      assert.deepEqual(json, {
        profiles: [
          { name: 'fake', collection: null, description: 'Fake', extends: null },
          { name: 'dev', collection: null, description: 'Fake', extends: 'fake' },
        ],
      });
    });

    it('tells of one profile', async () => {
      const { status, json } = await harness.call('GET', '/profiles/dev');
      assert.equal(status, 200);
      const details = { providers: [], tools: [], hooks: [], agents: ['fake'] };
      assert.deepEqual(json, {
        name: 'dev',
        collection: null,
        description: 'Fake',
        extends: 'fake',
        ...details,
      });
    });

    it('lists collections and agents', async () => {
      assert.deepEqual((await harness.call('GET', '/collections')).json, { collections: [] });
      assert.deepEqual((await harness.call('GET', '/agents')).json, {
        agents: [{ name: 'fake', collection: null, description: 'Fake' }],
      });
    });

    it('sorts agents that are named so into collections', async () => {
      const other = await ServerHarness.start({
        backends: registryOf({ 'design-intelligence:architect': harness.backend, fake: harness.backend }),
      });
      const get = async (path: string) => (await other.call('GET', path)).json;
      const architect = {
        name: 'design-intelligence:architect',
        collection: 'design-intelligence',
        description: 'Fake',
      };
      assert.deepEqual(await get('/profiles?collection=design-intelligence'), {
        profiles: [{ ...architect, extends: null }],
      });
      assert.deepEqual(await get('/agents?collection=design-intelligence'), { agents: [architect] });
      assert.deepEqual(await get('/collections'), {
        collections: [
          {
            name: 'design-intelligence',
            description: 'Agents of design-intelligence',
            version: '0.1.0',
            profiles: ['architect'],
            agents: ['architect'],
          },
        ],
      });
      for (const path of ['/profiles/design-intelligence:architect', '/profiles/design-intelligence%3Aarchitect']) {
        assert.equal((await other.call('GET', path)).status, 200);
      }
      await other.stop();
    });

    it('tells its health', async () => {
      const { json } = await harness.call('GET', '/health');
      assert.deepEqual(json, { status: 'healthy', version: '0.1.0', uptime_seconds: 0, active_sessions: 1 });
    });

    it('tells what it is', async () => {
      const { json } = await harness.call('GET', '/info');
      assert.deepEqual(json, {
        version: '0.1.0',
        amplifier_core_version: '0.0.0',
        capabilities: { streaming: true, extended_thinking: true, tool_use: true },
        config: { host: '127.0.0.1', port: harness.port, profiles_path: 'the test', collections_path: 'the test' },
      });
    });
  });

  describe('events', () => {
    let stream: SseClient;

    beforeEach(async () => {
      stream = await harness.subscribe(id);
    });

    it('come as Server-Sent Events', () => {
      assert.equal(stream.response.statusCode, 200);
      assert.match(stream.response.headers['content-type'] ?? '', /^text\/event-stream/u);
      assert.equal(stream.response.headers['cache-control'], 'no-cache');
    });

    it('begin with the start of the session, told once', async () => {
      const { data } = await stream.next('session:start');
      assert.deepEqual(asExample(data), { session_id: '<uuid>', profile: 'dev', timestamp: '<time>' });
      fake.emit('status:update', { status: 'processing' });
      await stream.next('status:update');
      assert.equal(stream.names.filter((name) => name === 'session:start').length, 1);
    });

    for (const { event, data } of documentedEvents) {
      it(`${event} is told as in the example`, async () => {
        for (const before of beforeDocumented[event] ?? []) fake.emit(before.event, before.data);
        fake.emit(event, data);
        const { data: told } = await stream.next(event);
        // A call is named, and its kind told, as an extension of the reference.
        const extended = Object.entries(told).filter(([name]) => name !== 'call_id' && name !== 'kind');
        assert.deepEqual(Object.fromEntries(extended), { session_id: id, ...data });
        assert.ok(stream.text.includes(`\ndata: {"event":"${event}","data":{"session_id":"${id}",`));
        assert.match(stream.text, /\n\nid: \d+\ndata: [^\n]+\n\n$/u);
      });
    }

    it('have what the examples have also where an agent does not tell it', async () => {
      const context = { agent: 'Fake', kind: 'edit', paths: ['/ws/b.ts', '/ws/c.ts'] };
      fake.emit('approval:required', { approval_id: 'a1', prompt: 'Allow?', options: ['Allow', 'Deny'], context });
      const { data: question } = await stream.next('approval:required');
      assert.equal(question['default'], 'deny');
      const subject = { tool: 'edit', operation: 'edit', path: '/ws/b.ts' };
      assert.deepEqual(question['context'], { ...subject, ...context });
      fake.emit('prompt:complete', { request_id: 'req-1', response: 'Done.' });
      const { data: end } = await stream.next('prompt:complete');
      assert.deepEqual(end['token_usage'], { input_tokens: 0, output_tokens: 0 });
    });

    it('end with the end of the session and what it used', async () => {
      for (const [prompt, input_tokens, output_tokens] of [
        ['a', 10, 3],
        ['b', 5, 1],
      ] as const) {
        fake.emit('prompt:submit', { prompt });
        fake.emit('prompt:complete', { response: prompt, token_usage: { input_tokens, output_tokens } });
      }
      await harness.call('DELETE', `/sessions/${id}`);
      await stream.end();
      const last = stream.events.at(-1);
      assert.equal(last?.event, 'session:end');
      assert.deepEqual(last.data, {
        session_id: id,
        reason: 'user_stopped',
        token_usage: { input_tokens: 15, output_tokens: 4 },
      });
    });
  });

  describe('errors', () => {
    it('names a session that is not there', async () => {
      const unknown = '550e8400-e29b-41d4-a716-446655440000';
      const routes: [string, string, unknown?][] = [
        ['GET', ''],
        ['DELETE', ''],
        ['GET', '/events'],
        ['POST', '/prompt', { prompt: 'hi' }],
        ['POST', '/approval', { decision: 'Allow' }],
        ['POST', '/cancel'],
      ];
      for (const [method, action, body] of routes) {
        const failure = await failureOf(method, `/sessions/${unknown}${action}`, body);
        assert.deepEqual(failure, {
          status: 404,
          code: 'SESSION_NOT_FOUND',
          message: `Session with ID '${unknown}' not found`,
          details: { session_id: unknown },
        });
      }
    });

    it('names a profile that is not there', async () => {
      const failure = await failureOf('GET', '/profiles/nobody');
      assert.deepEqual(
        [failure.status, failure.code, failure.details],
        [404, 'PROFILE_NOT_FOUND', { profile: 'nobody' }],
      );
    });

    it('refuses a second prompt while one is worked on', async () => {
      await harness.call('POST', `/sessions/${id}/prompt`, { body: { prompt: 'one' } });
      const failure = await failureOf('POST', `/sessions/${id}/prompt`, { prompt: 'two' });
      assert.deepEqual([failure.status, failure.code], [409, 'SESSION_BUSY']);
      assert.equal(fake.prompts.length, 1);
    });

    for (const [path, field, body] of [
      ['/sessions', 'profile', {}],
      ['/sessions', 'profile', { profile: 7 }],
      ['/sessions', 'credentials.anthropic_api_key', { profile: 'fake', credentials: { anthropic_api_key: 5 } }],
      ['/sessions', 'context.workspace_root', { profile: 'fake', context: {} }],
      ['/sessions', 'context.open_files.0.content', createWith({ open_files: [{ path: 'a', language: 'ts' }] })],
      ['/sessions', 'context.diagnostics.0.severity', createWith({ diagnostics: [problem('fatal')] })],
      ['/sessions', 'body', []],
      ['/sessions/{id}/prompt', 'prompt', {}],
      ['/sessions/{id}/prompt', 'prompt', { prompt: ' \n' }],
      ['/sessions/{id}/prompt', 'context_update.selection', { prompt: 'x', context_update: { selection: 'all' } }],
      ['/sessions/{id}/approval', 'decision', { decision: true }],
    ] as const) {
      it(`reports that ${field} of ${path} is wrong: ${JSON.stringify(body).slice(0, 60)}`, async () => {
        const failure = await failureOf('POST', path.replace('{id}', id), body);
        assert.deepEqual([failure.status, failure.code], [400, 'INVALID_REQUEST']);
        assert.equal(failure.details['field'], field);
        assert.ok(failure.message.startsWith(`${field}: `), failure.message);
      });
    }

    for (const [code, { httpStatus }] of Object.entries(documentedErrors)) {
      it(`tells ${code} of a backend with ${httpStatus}`, async () => {
        fake.failure = new AmplifierApiError(code, 'The provider said so', httpStatus).toBackendError();
        const failure = await failureOf('POST', `/sessions/${id}/prompt`, { prompt: 'go' });
        assert.deepEqual([failure.status, failure.code], [httpStatus, code]);
        assert.match(failure.message, /^The provider said so/u);
      });

      it(`tells ${code} of a backend when it creates a session`, async () => {
        harness.backend.beforeCreate = () =>
          Promise.reject(new AmplifierApiError(code, 'The provider said so', httpStatus).toBackendError());
        const failure = await failureOf('POST', '/sessions', { profile: 'fake' });
        // Of a session that a client could have named there was none.
        const expected = documentedErrors[code === 'SESSION_NOT_FOUND' ? 'MODULE_LOAD_FAILED' : toCode(code)];
        assert.equal(failure.status, expected.httpStatus);
      });
    }
  });
});

function toCode(code: string): keyof typeof documentedErrors {
  const known = Object.keys(documentedErrors).find((candidate) => candidate === code);
  assert.ok(isDocumented(known));
  return known;
}

function isDocumented(code: string | undefined): code is keyof typeof documentedErrors {
  return code !== undefined && Object.hasOwn(documentedErrors, code);
}

function createWith(context: object): object {
  return { profile: 'fake', context: { workspace_root: '/ws', ...context } };
}

function problem(severity: string): object {
  const position = { line: 0, character: 0 };
  return { path: 'a', severity, message: 'm', range: { start: position, end: position } };
}
