import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ClientCapabilities } from '@agentclientprotocol/sdk';
import type { DemoClient } from '../../../fake/acp/demoClient';
import { codeIs, useDemoAgent } from '../../../fake/acp/demoHarness';

/** The official SDK's client, over a child process: an independent judge of what goes over the wire. */
describe('the demo agent as an agent', () => {
  const demos = useDemoAgent();

  describe('has settings', () => {
    it('a mode and a pace, and a switch only for clients that know switches', async () => {
      const options = async (capabilities?: ClientCapabilities) => {
        const demo = await demos.start([], capabilities);
        const made = await demo.agent.request('session/new', { cwd: demos.folder, mcpServers: [] });
        assert.equal(made.modes?.currentModeId, 'ask');
        return made.configOptions?.map(({ id, type, currentValue }) => [id, type, currentValue]);
      };
      assert.deepEqual(await options({}), [
        ['mode', 'select', 'ask'],
        ['pace', 'select', 'quick'],
      ]);
      assert.deepEqual((await options())?.at(-1), ['verbose', 'boolean', false]);
    });

    it('that change what it does', async () => {
      const [demo, id] = await demos.startSession();
      const set = await demo.agent.request('session/set_config_option', {
        sessionId: id,
        configId: 'verbose',
        type: 'boolean',
        value: true,
      });
      assert.equal(set.configOptions.find((option) => option.id === 'verbose')?.currentValue, true);
      await demo.agent.request('session/set_config_option', { sessionId: id, configId: 'pace', value: 'steady' });
      await demo.prompt(id, '/plan');
      assert.equal(demo.updatesOf('agent_thought_chunk').length, 1);
      assert.deepEqual(
        demo.updatesOf('agent_message_chunk').map(({ content }) => (content.type === 'text' ? content.text : '')),
        ['All ', 'steps ', 'of ', 'the ', 'plan ', 'are ', 'done.\n'],
      );
    });

    it('tells of a mode both ways', async () => {
      const [demo, id] = await demos.startSession();
      await demo.agent.request('session/set_mode', { sessionId: id, modeId: 'auto-edit' });
      assert.equal(demo.updatesOf('current_mode_update').at(-1)?.currentModeId, 'auto-edit');
      const mode = demo
        .updatesOf('config_option_update')
        .at(-1)
        ?.configOptions.find((option) => option.id === 'mode');
      assert.equal(mode?.currentValue, 'auto-edit');
    });

    it('and refuses values that it does not have', async () => {
      const [demo, sessionId] = await demos.startSession();
      const set = (configId: string, value: string) =>
        demo.agent.request('session/set_config_option', { sessionId, configId, value });
      await assert.rejects(set('pace', 'ludicrous'), codeIs(-32602));
      await assert.rejects(set('verbose', 'yes'), codeIs(-32602));
      await assert.rejects(demo.agent.request('session/set_mode', { sessionId, modeId: 'root' }), codeIs(-32602));
    });
  });

  describe('keeps sessions', () => {
    const replayed = (demo: DemoClient) =>
      demo.updates.map(({ sessionUpdate }) => sessionUpdate).filter((kind) => kind !== 'available_commands_update');

    async function converse(demo: DemoClient, id: string): Promise<void> {
      demo.files.set(join(demos.folder, 'k.md'), '# One\n');
      await demo.prompt(id, 'summarize k.md');
      await demo.prompt(id, '/plan');
    }

    it('and tells one again when it is loaded', async () => {
      const [demo, sessionId] = await demos.startSession();
      await converse(demo, sessionId);
      const { said } = demo;
      demo.forget();
      const loaded = await demo.agent.request('session/load', { sessionId, cwd: demos.folder, mcpServers: [] });
      assert.equal(loaded.modes?.currentModeId, 'ask');
      assert.deepEqual(replayed(demo), [
        'user_message_chunk',
        'agent_thought_chunk',
        'tool_call',
        'agent_message_chunk',
        'user_message_chunk',
        'plan',
        'agent_message_chunk',
      ]);
      assert.equal(demo.said, said);
    });

    it('but not when it is only resumed', async () => {
      const [demo, sessionId] = await demos.startSession();
      await converse(demo, sessionId);
      demo.forget();
      await demo.agent.request('session/resume', { sessionId, cwd: demos.folder });
      assert.deepEqual(replayed(demo), []);
      assert.equal(await demo.prompt(sessionId, 'hello'), 'end_turn');
    });

    it('in a folder for another process, terminals as text', async () => {
      const state = join(demos.folder, 'state');
      const [first, sessionId] = await demos.startSession(['--state', state]);
      await first.prompt(sessionId, `run "${process.execPath}" -e 'console.log("from afar")'`);
      await first.stop();
      const second = await demos.start(['--state', state]);
      const { sessions } = await second.agent.request('session/list', { cwd: demos.folder });
      assert.deepEqual(
        sessions.map((session) => session.sessionId),
        [sessionId],
      );
      assert.match(sessions[0]?.title ?? '', /^run /);
      await second.agent.request('session/load', { sessionId, cwd: demos.folder, mcpServers: [] });
      const [call] = second.updatesOf('tool_call');
      assert.deepEqual(call?.content, [{ type: 'content', content: { type: 'text', text: 'from afar\n' } }]);
      await second.agent.request('session/delete', { sessionId });
      assert.deepEqual((await second.agent.request('session/list', {})).sessions, []);
    });

    it('in memory where no folder can be made, also after it was closed', async () => {
      const state = join(demos.folder, 'a-file');
      await writeFile(state, '');
      const [demo, sessionId] = await demos.startSession(['--state', state]);
      assert.equal(await demo.prompt(sessionId, 'hello'), 'end_turn');
      await demo.agent.request('session/close', { sessionId });
      const { sessions } = await demo.agent.request('session/list', {});
      assert.deepEqual(
        sessions.map((session) => session.sessionId),
        [sessionId],
      );
      await demo.agent.request('session/load', { sessionId, cwd: demos.folder, mcpServers: [] });
      assert.equal(await demo.prompt(sessionId, 'hello again'), 'end_turn');
    });

    it('and continues with an answer that ended with its process', async () => {
      const state = join(demos.folder, 'cut-off');
      const [first, sessionId] = await demos.startSession(['--state', state]);
      const cutOff = first.prompt(sessionId, '/slow 30').catch(() => undefined);
      const said = (demo: DemoClient): string =>
        demo
          .updatesOf('agent_message_chunk')
          .map(({ content }) => (content.type === 'text' ? content.text : ''))
          .join('');
      await first.until(() => said(first).split(' ').length > 4);
      await first.stop();
      await cutOff;
      const second = await demos.start(['--state', state]);
      await second.agent.request('session/load', { sessionId, cwd: demos.folder, mcpServers: [] });
      const told = said(second);
      assert.ok(told.startsWith(said(first)), 'what was said is kept');
      await second.prompt(sessionId, 'Continue');
      assert.match(said(second), /Said 30 words/);
      assert.equal(
        said(second)
          .replace(/\s+Said 30 words\.\s*$/, '')
          .trim()
          .split(/\s+/).length,
        30,
      );
      assert.equal(second.updatesOf('session_info_update').length, 0, 'its title stays');
    });

    it('lists them newest first, by folder', async () => {
      const demo = await demos.start();
      const older = await demo.newSession();
      const newer = await demo.newSession();
      await demo.agent.request('session/new', { cwd: tmpdir(), mcpServers: [] });
      await demo.prompt(older, 'hello');
      const { sessions } = await demo.agent.request('session/list', { cwd: demos.folder });
      assert.deepEqual(
        sessions.map(({ sessionId }) => sessionId),
        [older, newer],
      );
    });

    it('ends the turn of one that is closed', async () => {
      const [demo, sessionId] = await demos.startSession();
      const turn = demo.prompt(sessionId, '/slow 500');
      await demo.until(() => demo.updatesOf('agent_message_chunk').length > 0);
      await demo.agent.request('session/close', { sessionId });
      assert.equal(await turn, 'cancelled');
    });

    it('and knows nothing of others', async () => {
      const demo = await demos.start(['--state', join(demos.folder, 'state')]);
      const load = (sessionId: string) =>
        demo.agent.request('session/load', { sessionId, cwd: demos.folder, mcpServers: [] });
      await assert.rejects(load('nobody'), codeIs(-32002));
      await assert.rejects(load('../state'), codeIs(-32002));
      await assert.rejects(demo.prompt('nobody', 'hello'), codeIs(-32002));
    });
  });

  describe('asks in tests to sign in', () => {
    it('with --auth, until the client has authenticated', async () => {
      const demo = await demos.startExtended(['--auth']);
      assert.deepEqual(
        demo.initialized?.authMethods?.map(({ id }) => id),
        ['demo-sign-in'],
      );
      await assert.rejects(demo.newSession(), codeIs(-32000));
      await assert.rejects(demo.agent.request('authenticate', { methodId: 'other' }), codeIs(-32602));
      await demo.agent.request('authenticate', { methodId: 'demo-sign-in' });
      assert.equal(await demo.prompt(await demo.newSession(), 'hello'), 'end_turn');
      await demo.agent.request('logout', {});
      await assert.rejects(demo.newSession(), codeIs(-32000));
    });

    it('or in a terminal, by the same command and one argument more', async () => {
      const args = ['--auth', '--state', join(demos.folder, 'signed')];
      const demo = await demos.startExtended(args);
      const method = demo.initialized?.authMethods?.find(({ id }) => id === 'demo-terminal');
      assert.ok(method && 'type' in method);
      assert.deepEqual(method.args, ['--sign-in']);
      await assert.rejects(demo.newSession(), codeIs(-32000));
      await assert.rejects(demos.startExtended([...args, ...method.args]));
      assert.ok(await (await demos.startExtended(args)).newSession());
    });
  });

  it('exits when its input ends, and reports what it does not understand', async () => {
    const [demo, id] = await demos.startSession();
    const turn = demo.prompt(id, '/slow 500');
    await demo.until(() => demo.updatesOf('agent_message_chunk').length > 0);
    await Promise.all([assert.rejects(turn), demo.stop()]);
    assert.equal(await demo.exit(), 0);
    await assert.rejects(demos.start(['--nonsense']));
    await assert.rejects(demos.start(['--auth']));
  });

  it('ships as one file that needs nothing beside it', async () => {
    assert.doesNotMatch(await readFile(demos.agentFile, 'utf8'), /require\("(?!node:)[^"]+"\)/);
  });
});
