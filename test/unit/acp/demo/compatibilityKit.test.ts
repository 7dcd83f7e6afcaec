import assert from 'node:assert/strict';
import { join } from 'node:path';
import * as z from 'zod';
import { LineClient, type LineMessage } from '../../../fake/acp/lineClient';
import { useDemoAgent } from '../../../fake/acp/demoHarness';
import { until } from '../../../support/eventually';

/**
 * Requirements of the protocol's compatibility kit (agentclientprotocol/acp-tck), which cannot be installed here: each is checked by
 * hand against the demo agent. Titles begin with their ids.
 */
const Setup = z.looseObject({
  sessionId: z.string().min(1),
  configOptions: z.array(
    z.looseObject({
      type: z.string(),
      name: z.string(),
      currentValue: z.unknown(),
      options: z.array(z.looseObject({ value: z.string() })).optional(),
    }),
  ),
});
const Prompted = z.looseObject({ messageId: z.string().min(1) });
const Listed = z.looseObject({ sessions: z.array(z.looseObject({ sessionId: z.string(), cwd: z.string() })) });
const stopReasons = ['end_turn', 'max_tokens', 'max_turn_requests', 'refusal', 'cancelled'];
const text = (words: string) => [{ type: 'text', text: words }];
const info = { name: 'kit', version: '1' };

for (const version of [1, 2] as const) {
  describe(`the compatibility kit of ACP v${version}, with the demo agent`, () => {
    const demos = useDemoAgent();
    const peers: LineClient[] = [];
    let peer: LineClient;

    const start = (file = demos.agentFile, ...args: string[]): LineClient => {
      const state = ['--state', join(demos.folder, `kit-${version}`)];
      const started = new LineClient([file, '--protocol', String(version), ...state, ...args], demos.folder);
      peers.push(started);
      return started;
    };
    const initialize = (protocolVersion: number, to = peer, capabilities: object = {}): Promise<LineMessage> =>
      to.request('initialize', { protocolVersion, clientInfo: info, clientCapabilities: {}, info, capabilities });
    const newSession = async (more: object = { mcpServers: [] }): Promise<z.infer<typeof Setup>> => {
      const { result } = await peer.request('session/new', { cwd: demos.folder, ...more });
      return Setup.parse(result);
    };
    const idles = (sessionId: string) =>
      peer.updates(sessionId, 'state_update').filter(({ state }) => state === 'idle');
    /** Prompts, and waits for the end of the turn. */
    const prompt = async (sessionId: string, words: string, more: object = {}): Promise<LineMessage> => {
      const before = idles(sessionId).length;
      const answer = await peer.request('session/prompt', { sessionId, prompt: text(words), ...more });
      if (version === 2 && !answer.error) await until('the end of the turn', () => idles(sessionId).length > before);
      return answer;
    };
    /** Prompts, and resolves once the agent speaks. */
    const promptSlowly = async (sessionId: string): Promise<string | number> => {
      const before = peer.updates(sessionId, 'agent_message_chunk').length;
      const id = peer.ask('session/prompt', { sessionId, prompt: text('/slow 2000') });
      await until('the first word', () => peer.updates(sessionId, 'agent_message_chunk').length > before);
      return id;
    };
    /** Everything that the agent has to say is here once it has answered another request. */
    const settle = async (): Promise<LineMessage> => await peer.request('session/list', {});

    beforeEach(async () => {
      peer = start();
      await initialize(version);
    });
    afterEach(() => {
      for (const started of peers.splice(0)) started.kill();
    });

    it('ACP-INIT-001, -002, -201, -203, -204: initializes in its version, with its name and markers', async () => {
      const { result } = await initialize(version, start());
      const Answer = z.looseObject({
        protocolVersion: z.literal(version),
        ...(version === 2
          ? {
              info: z.looseObject({ name: z.string().min(1), version: z.string().min(1) }),
              capabilities: z.looseObject({ session: z.looseObject({ delete: z.object({}) }) }),
            }
          : { agentInfo: z.looseObject({ name: z.string().min(1), version: z.string().min(1) }) }),
      });
      Answer.parse(result);
      assert.doesNotMatch(
        JSON.stringify(version === 2 ? result : {}),
        /"(?:session|prompt|mcp|delete)":(?:true|false)/,
      );
    });

    it('ACP-INIT-003, -202: answers with its own version to one that it does not have, and with 1 to 1', async () => {
      const of = async (asked: number): Promise<unknown> =>
        z.looseObject({ protocolVersion: z.number() }).parse((await initialize(asked, start())).result).protocolVersion;
      assert.deepEqual([await of(65_535), await of(1)], [version, 1]);
    });

    it('ACP-SESSION-001, -002, -203: opens sessions with ids of their own, with and without servers', async () => {
      const ids = [await newSession(), await newSession(version === 2 ? {} : { mcpServers: [] })].map(
        ({ sessionId }) => sessionId,
      );
      assert.equal(new Set(ids).size, 2);
    });

    it('ACP-PROMPT-001, -002, -201, -203, -205, ACP-STATE-201…203: leads a turn to its end', async () => {
      const { sessionId } = await newSession();
      const { result } = await prompt(sessionId, 'hello');
      if (version === 1) {
        assert.ok(stopReasons.includes(z.looseObject({ stopReason: z.string() }).parse(result).stopReason));
        return;
      }
      const { messageId } = Prompted.parse(result);
      const kinds = peer
        .updates(sessionId)
        .map(({ sessionUpdate, state }) => (typeof state === 'string' ? state : sessionUpdate));
      assert.ok(peer.updates(sessionId, 'user_message').some((told) => told.messageId === messageId));
      assert.ok(kinds.includes('running') && kinds.indexOf('running') < kinds.indexOf('idle'));
      assert.deepEqual(
        idles(sessionId).map(({ stopReason }) => stopReason),
        ['end_turn'],
      );
    });

    it('ACP-PROMPT-003, ACP-PROMPTCAP-003, ACP-META-001: takes links, embedded files and metadata', async () => {
      const { sessionId } = await newSession();
      const blocks = [
        { type: 'resource_link', uri: 'file:///no/such.txt', name: 'such.txt' },
        { type: 'resource', resource: { uri: 'file:///x.txt', text: 'x', mimeType: 'text/plain' } },
      ];
      for (const block of blocks) {
        const answer = await prompt(sessionId, 'hello', { prompt: [...text('hello'), block], _meta: { kit: 1 } });
        assert.equal(answer.error, undefined);
      }
    });

    it('ACP-CANCEL-001, -002, -201…203, -205…207: ends a canceled turn as canceled, and does not mention it later', async () => {
      const { sessionId } = await newSession();
      for (const more of [{}, { _meta: {} }]) {
        const before = idles(sessionId).length;
        const id = await promptSlowly(sessionId);
        peer.notify('session/cancel', { sessionId, ...more });
        const { error, result } = await peer.answerTo(id);
        assert.equal(error, undefined);
        if (version === 1)
          assert.equal(z.looseObject({ stopReason: z.string() }).parse(result).stopReason, 'cancelled');
        else await until('idleness', () => idles(sessionId).length === before + 1);
        const count = peer.updates(sessionId).length;
        await settle();
        assert.equal(peer.updates(sessionId).length, count);
        if (version === 2) assert.equal(idles(sessionId).at(-1)?.['stopReason'], 'cancelled');
      }
      assert.ok(peer.messages.every(({ id, method }) => id !== undefined || method !== undefined));
    });

    if (version === 2)
      it('ACP-CANCEL-201: cancels a prompt that has just been sent', async () => {
        const { sessionId } = await newSession();
        const id = peer.ask('session/prompt', { sessionId, prompt: text('/slow 2000') });
        peer.notify('session/cancel', { sessionId });
        assert.equal((await peer.answerTo(id)).error, undefined);
        await until('idleness', () => idles(sessionId).at(-1)?.['stopReason'] === 'cancelled');
      });

    it('ACP-CLOSE-001, -002, -201, -202, ACP-CANCEL-208: closes a session, and ends its turn', async () => {
      const { sessionId } = await newSession();
      const id = await promptSlowly(sessionId);
      assert.deepEqual((await peer.request('session/close', { sessionId })).result, {});
      const answer = await peer.answerTo(id);
      if (version === 1) assert.deepEqual(answer.result, { stopReason: 'cancelled' });
      else await until('idleness', () => idles(sessionId).at(-1)?.['stopReason'] === 'cancelled');
    });

    it('ACP-LOAD-001, -002, ACP-RESUME-001, -002, -201…205: restores a session, with its history only if asked', async () => {
      const { sessionId } = await newSession();
      const { result } = await prompt(sessionId, 'hello');
      peer = start();
      await initialize(version);
      const params = { sessionId, cwd: demos.folder, mcpServers: [] };
      const resumed = await peer.request('session/resume', params);
      assert.equal(resumed.error, undefined);
      assert.equal(
        peer.updates(sessionId).filter(({ sessionUpdate }) => /message|thought/.test(sessionUpdate)).length,
        0,
      );
      const [method, more] =
        version === 1 ? ['session/load', {}] : ['session/resume', { replayFrom: { type: 'start' } }];
      const loaded = await peer.request(method, { ...params, ...more });
      assert.equal(typeof loaded.result, 'object');
      const told = peer.updates(sessionId);
      const isHistory = (message: LineMessage): boolean => /message|thought/.test(JSON.stringify(message.params ?? ''));
      assert.ok(told.length > 1 && peer.messages.findLastIndex(isHistory) < peer.messages.indexOf(loaded));
      if (version === 2)
        assert.equal(peer.updates(sessionId, 'user_message')[0]?.messageId, Prompted.parse(result).messageId);
    });

    it('ACP-LIST-001, -002, -201…204: lists sessions, by folder and with absolute folders', async () => {
      const { sessionId } = await newSession();
      await prompt(sessionId, 'hello');
      const list = async (params: object) => Listed.parse((await peer.request('session/list', params)).result).sessions;
      assert.ok((await list({})).every(({ cwd }) => cwd.startsWith('/')));
      assert.ok((await list({ cwd: demos.folder })).every(({ cwd }) => cwd === demos.folder));
      assert.deepEqual(await list({ cwd: '/no/such/folder' }), []);
    });

    it('ACP-DELETE-001, -002, -201…203: deletes a session, also twice', async () => {
      const { sessionId } = await newSession();
      await prompt(sessionId, 'hello');
      for (const id of [sessionId, sessionId, 'never']) {
        assert.deepEqual((await peer.request('session/delete', { sessionId: id })).result, {});
      }
      const { sessions } = Listed.parse((await peer.request('session/list', {})).result);
      assert.ok(!sessions.some((listed) => listed.sessionId === sessionId));
    });

    it('ACP-ADDDIRS-001, -201, -202: takes further folders', async () => {
      const additionalDirectories = [demos.folder];
      const { sessionId } = await newSession({ mcpServers: [], additionalDirectories });
      await prompt(sessionId, 'hello');
      const params = { sessionId, cwd: demos.folder, mcpServers: [], additionalDirectories };
      assert.equal((await peer.request('session/resume', params)).error, undefined);
    });

    it('ACP-CONFIG-001…, -201…204: offers options, and answers a change with all of them', async () => {
      const { configOptions, sessionId } = await newSession();
      for (const { currentValue, options } of configOptions)
        assert.ok(options === undefined || options.some(({ value }) => value === currentValue));
      const params = { sessionId, configId: 'mode', type: 'id', value: 'auto-edit' };
      const { result } = await peer.request('session/set_config_option', params);
      const changed = z.looseObject({ configOptions: z.array(z.looseObject({ name: z.string() })) }).parse(result);
      assert.deepEqual(
        changed.configOptions.map(({ name }) => name),
        configOptions.map(({ name }) => name),
      );
    });

    it('ACP-AUTH-001…, -201…207: offers sign-in in a terminal only to clients that have one, and signs in and out', async () => {
      const Methods = z.looseObject({ authMethods: z.array(z.looseObject({ type: z.string().optional() })) });
      peer = start(demos.extendedAgentFile, '--auth');
      const { authMethods } = Methods.parse((await initialize(version)).result);
      assert.ok(authMethods.length > 0 && authMethods.every(({ type }) => type !== 'terminal'));
      assert.equal((await peer.request('session/new', { cwd: demos.folder, mcpServers: [] })).error?.code, -32_000);
      const [login, logout] = version === 1 ? ['authenticate', 'logout'] : ['auth/login', 'auth/logout'];
      assert.equal((await peer.request(login, { methodId: 'demo-sign-in' })).error, undefined);
      await newSession();
      assert.equal((await peer.request(logout, {})).error, undefined);
    });

    it('ACP-PERM-201, ACP-PATCH-208, -209, ACP-CLIENTCAP-001…003, -201, -202: asks only in ways that the client offers', async () => {
      const { sessionId } = await newSession();
      peer.onRequest = () => ({ outcome: { outcome: 'selected', optionId: 'allow' } });
      await prompt(sessionId, `run ${process.execPath} --version`);
      const asked = peer.messages.filter(({ id, method }) => id !== undefined && method !== undefined);
      assert.ok(asked.every(({ method }) => method === 'session/request_permission'));
      assert.equal(asked.length, version === 1 ? 0 : 1);
      if (version === 1) return;
      const Request = z.looseObject({
        sessionId: z.literal(sessionId),
        title: z.string().min(1),
        options: z.array(z.looseObject({ optionId: z.string(), name: z.string(), kind: z.string() })).min(1),
      });
      Request.parse(asked[0]?.params);
      const states = peer.updates(sessionId, 'state_update').map(({ state }) => state);
      assert.deepEqual(states, ['running', 'requires_action', 'running', 'idle']);
      const [call] = peer.updates(sessionId, 'tool_call_update');
      assert.ok(typeof call?.['title'] === 'string' && call['title'] !== '');
    });

    it('ACP-PATCH-201, -203…207, ACP-ENUM-201, -202: names messages, calls, plans and terminals', async () => {
      const { sessionId } = await newSession();
      peer.onRequest = () => ({ outcome: { outcome: 'selected', optionId: 'allow' } });
      for (const words of ['/plan', `run ${process.execPath} --version`]) await prompt(sessionId, words);
      if (version === 1) return;
      const told = peer.updates(sessionId);
      const prompts = peer.updates(sessionId, 'user_message').map(({ messageId }) => messageId);
      assert.equal(new Set(prompts).size, 2);
      for (const update of told) {
        const { sessionUpdate } = update;
        if (/message|thought/.test(sessionUpdate)) assert.ok(update.messageId);
        if (sessionUpdate.startsWith('tool_call')) assert.ok(update['toolCallId']);
        if (sessionUpdate === 'plan_update')
          z.looseObject({ plan: z.looseObject({ planId: z.string().min(1) }) }).parse(update);
        if (sessionUpdate === 'terminal_update')
          assert.ok(update['cwd'] === undefined || update['cwd'] === demos.folder);
        if (sessionUpdate === 'terminal_output_chunk') z.looseObject({ data: z.base64() }).parse(update);
      }
      const kinds = new Set(told.map(({ sessionUpdate }) => sessionUpdate));
      for (const kind of ['plan_update', 'terminal_update', 'terminal_output_chunk', 'tool_call_update'])
        assert.ok(kinds.has(kind), kind);
    });

    it('ACP-ENUM-203: survives an outcome that it does not know', async () => {
      const { sessionId } = await newSession();
      peer.onRequest = () => ({ outcome: { outcome: '_later' } });
      assert.equal((await prompt(sessionId, `run ${process.execPath} --version`)).error, undefined);
      assert.equal((await prompt(sessionId, 'hello')).error, undefined);
    });

    it('ACP-JSONRPC-001…005, ACP-EXT-001, -201, ACP-ERROR-001: answers requests only, by their ids, and continues after errors', async () => {
      for (const id of [7, 'seven']) assert.equal((await peer.request('session/list', {}, id)).id, id);
      const count = peer.messages.length;
      peer.notify('_kit/told', {});
      peer.notify('$/kit', {});
      const { error, result } = await peer.request('_kit/asked', {});
      assert.deepEqual([peer.messages.length, result, error?.code], [count + 1, undefined, -32_601]);
      assert.match(error?.message ?? '', /^[^\n]+$/);
      await settle();
    });

    it('ACP-TRANSPORT-001…003, -201, -203: writes one message a line, and nothing else', async () => {
      const { sessionId } = await newSession();
      await prompt(sessionId, '/plan');
      for (const line of peer.lines)
        assert.equal(z.looseObject({ jsonrpc: z.literal('2.0') }).safeParse(JSON.parse(line)).success, true);
    });

    it('ACP-SHUTDOWN-001: ends by itself when its input does', async () => {
      assert.ok((await peer.end()) < 10_000);
    });

    if (version === 2)
      it('ACP-BATCH-201, ACP-JSONRPC-005: answers an empty batch with one error without an id, and continues', async () => {
        peer.sendLine('[]');
        assert.equal((await peer.answerTo(null)).error?.code, -32_600);
        await settle();
      });
  });
}
