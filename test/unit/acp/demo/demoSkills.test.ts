import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import { McpServer } from '../../../../src/tools/node/mcpServer';
import type { DemoClient } from '../../../fake/acp/demoClient';
import { codeIs, useDemoAgent } from '../../../fake/acp/demoHarness';

/** The official SDK's client, over a child process: an independent judge of what goes over the wire. */
describe('what the demo agent does', () => {
  const demos = useDemoAgent();

  describe('introduces itself', () => {
    it('as what it is, with what it can do', async () => {
      const demo = await demos.start();
      assert.equal(demo.initialized?.agentInfo?.title, 'Demo agent (no model)');
      assert.equal(demo.initialized.protocolVersion, 1);
      assert.equal(demo.initialized.agentCapabilities?.loadSession, true);
      assert.deepEqual(Object.keys(demo.initialized.agentCapabilities.sessionCapabilities ?? {}).sort(), [
        'additionalDirectories',
        'close',
        'delete',
        'fork',
        'list',
        'resume',
      ]);
    });

    it('explains itself in markdown when greeted', async () => {
      const [demo, id] = await demos.startSession();
      assert.equal(await demo.prompt(id, 'hello'), 'end_turn');
      for (const part of ['Demo agent (no model)', 'not an AI', '- `/run <command>`', '```text', '](https://']) {
        assert.ok(demo.said.includes(part), part);
      }
    });

    it('says so when no rule fits', async () => {
      const [demo, id] = await demos.startSession();
      await demo.prompt(id, 'Why is the sky blue?');
      assert.match(demo.said, /I have no model/);
    });

    it('announces its commands after the session, and its title and usage with the first turn', async () => {
      const [demo, id] = await demos.startSession();
      await demo.until(() => demo.updatesOf('available_commands_update').length > 0);
      const names = demo.updatesOf('available_commands_update')[0]?.availableCommands.map(({ name }) => name);
      assert.equal(names?.join(), 'help,summarize,rename,sort,uses,run,shell,write,slow,plan,fail');
      await demo.prompt(id, 'hello there');
      await demo.prompt(id, 'hello again');
      assert.deepEqual(
        demo.updatesOf('session_info_update').map(({ title }) => title),
        ['hello there'],
      );
      const [first, second] = demo.updatesOf('usage_update').map(({ used }) => used);
      assert.ok(first !== undefined && second !== undefined && first > 0 && second > first);
    });
  });

  describe('asks the editor who uses a symbol', () => {
    let server: McpServer;
    let answer: (input: unknown) => Promise<string>;

    beforeEach(async () => {
      answer = (input) => Promise.resolve(`2 references\n${JSON.stringify(input)}`);
      const tools = ['references', 'rename', 'read_file'].map((name) => ({
        definition: { name, description: '', inputSchema: { type: 'object' } },
        run: (input: unknown) => answer(input),
      }));
      const providers = [{ tools }];
      server = new McpServer({ name: 'x', version: '1', clock: systemClock, log: nullLogger, providers });
      await server.start();
    });
    afterEach(() => server.stop());

    async function ask(url?: string, text = 'who uses total in src/sum.ts?'): Promise<DemoClient> {
      const { headers, name, url: real } = server.createAddress();
      const given = Object.entries(headers).map(([key, value]) => ({ name: key, value }));
      const demo = await demos.start();
      const id = await demo.newSession([{ type: 'http', name, url: url ?? real, headers: given }]);
      await demo.prompt(id, text);
      return demo;
    }

    it('by the tool of the client, and shows the call', async () => {
      const demo = await ask();
      assert.match(demo.said, /^2 references\.\n\nI asked the language server/);
      assert.match(JSON.stringify(demo.updatesOf('tool_call')), /Find references of total.*"kind":"search"/);
      assert.match(JSON.stringify(demo.updatesOf('tool_call_update')), /completed.*src\/sum\.ts/);
    });

    it('and explains why there is no answer', async () => {
      answer = () => Promise.reject(new Error('There is no `total` there.'));
      const demo = await ask();
      assert.match(demo.said, /could not find the uses of `total`: There is no `total` there\./);
      assert.match(JSON.stringify(demo.updatesOf('tool_call_update')), /"status":"failed"/);
      assert.match((await ask('http://127.0.0.1:1/mcp')).said, /could not find the uses/);
    });

    it('to rename it everywhere, in one call', async () => {
      const calls: unknown[] = [];
      answer = (input) => {
        calls.push(input);
        return Promise.resolve('Renamed `total`: 401 places in 201 files\n  src/sum.ts (1)');
      };
      const demo = await ask(undefined, 'rename total to sum in src/sum.ts everywhere');
      assert.deepEqual(calls, [{ symbol: 'total', path: join(demos.folder, 'src/sum.ts'), new_name: 'sum' }]);
      assert.match(demo.said, /^Renamed `total`: 401 places in 201 files\.\n/);
      assert.match(JSON.stringify(demo.updatesOf('tool_call')), /Rename total to sum.*"kind":"edit"/);
      answer = () => Promise.reject(new Error('No.'));
      assert.match((await ask(undefined, 'rename a to b everywhere')).said, /did not rename `a`: No\./);
      assert.match((await ask('http://example.com/mcp', 'rename a to b everywhere')).said, /doesn’t provide any tools/);
    });

    it('to read a file as it is in the editor', async () => {
      answer = () => Promise.resolve('src/sum.ts, lines 1 to 1 of 1, version x, not saved\n1\ttyped');
      const demo = await ask(undefined, 'read src/sum.ts');
      assert.equal(demo.said, 'src/sum.ts, lines 1 to 1 of 1, version x, not saved\n\n```text\n1\ttyped\n```\n');
      answer = () => Promise.reject(new Error('It is gone.'));
      assert.match((await ask(undefined, 'read src/sum.ts')).said, /could not read `src\/sum\.ts`: It is gone\./);
      assert.match((await ask('http://example.com/mcp', 'read src/sum.ts')).said, /doesn’t provide any tools/);
    });

    it('and no other machine', async () => {
      assert.match((await ask('http://example.com/mcp')).said, /doesn’t provide any tools/);
    });
  });

  describe('summarizes', () => {
    const text = '# Title\nTODO: more\n';

    it('a file that the words name, through the client', async () => {
      const [demo, id] = await demos.startSession();
      demo.files.set(join(demos.folder, 'notes.md'), text);
      await demo.prompt(id, 'summarize notes.md');
      assert.match(demo.said, /\*\*notes\.md\*\*: 2 lines, 1 declaration, 0 imports, 1 TODO/);
      const [call] = demo.updatesOf('tool_call');
      assert.equal(call?.kind, 'read');
      assert.deepEqual(call.locations, [{ path: join(demos.folder, 'notes.md') }]);
      assert.deepEqual(
        demo.updatesOf('tool_call_update').map(({ status }) => status),
        ['completed'],
      );
      assert.equal(demo.updatesOf('agent_thought_chunk').length, 1);
    });

    it('a linked file', async () => {
      const [demo, id] = await demos.startSession();
      demo.files.set(join(demos.folder, 'a b.md'), text);
      await demo.prompt(id, 'look', {
        type: 'resource_link',
        name: 'x',
        uri: pathToFileURL(join(demos.folder, 'a b.md')).href,
      });
      assert.match(demo.said, /\*\*a b\.md\*\*/);
    });

    it('an embedded file without reading it', async () => {
      const [demo, id] = await demos.startSession();
      await demo.prompt(id, 'look', { type: 'resource', resource: { uri: 'file:///nowhere/e.md', text } });
      assert.match(demo.said, /\*\*e\.md\*\*: 2 lines/);
      assert.equal(demo.updatesOf('tool_call').length, 0);
    });

    it('and explains why when the client does not give the file', async () => {
      const [demo, id] = await demos.startSession();
      assert.equal(await demo.prompt(id, 'summarize missing.md'), 'end_turn');
      assert.match(demo.said, /I could not read/);
      assert.deepEqual(
        demo.updatesOf('tool_call_update').map(({ status }) => status),
        ['failed'],
      );
    });

    it('from disk when the client offers no files, but only inside the session', async () => {
      const [demo, id] = await demos.startSession([], {});
      await writeFile(join(demos.folder, 'disk.md'), text);
      await demo.prompt(id, 'summarize disk.md');
      assert.match(demo.said, /\*\*disk\.md\*\*: 2 lines/);
      await demo.prompt(id, `summarize ${demos.agentFile}`);
      assert.match(demo.said, /outside the folders of this session/);
    });
  });

  describe('edits', () => {
    const before = 'const colour = 1;\nuse(colour);\n';
    const after = 'const color = 1;\nuse(color);\n';
    let demo: DemoClient;
    let id: string;
    let path: string;

    beforeEach(async () => {
      [demo, id] = await demos.startSession();
      path = join(demos.folder, 'paint.ts');
      demo.files.set(path, before);
    });

    const ask = () => demo.prompt(id, 'rename colour to color in paint.ts');
    const edits = () => demo.updatesOf('tool_call').filter(({ kind }) => kind === 'edit');

    it('after showing the diff and hearing yes', async () => {
      await ask();
      const diff = { type: 'diff', path, oldText: before, newText: after };
      assert.deepEqual(edits()[0]?.content, [diff]);
      assert.deepEqual(demo.permissions[0]?.toolCall.content, [diff]);
      assert.equal(demo.permissions[0].toolCall.toolCallId, edits()[0]?.toolCallId);
      assert.deepEqual(
        demo.permissions[0].options.map(({ kind }) => kind),
        ['allow_once', 'allow_always', 'reject_once', 'reject_always'],
      );
      assert.equal(demo.files.get(path), after);
      assert.deepEqual(
        demo.updatesOf('tool_call_update').map(({ status }) => status),
        ['completed', 'in_progress', 'completed'],
      );
      assert.match(demo.said, /Done/);
    });

    it('not at all after hearing no', async () => {
      demo.answerPermission = () => Promise.resolve('reject');
      await ask();
      assert.equal(demo.files.get(path), before);
      assert.equal(demo.updatesOf('tool_call_update').at(-1)?.status, 'failed');
      assert.match(demo.said, /You denied the (change|command)/);
    });

    it('not at all when the question is cancelled', async () => {
      demo.answerPermission = () => Promise.resolve('cancelled');
      await ask();
      assert.equal(demo.files.get(path), before);
    });

    it('without asking again after an always', async () => {
      demo.answerPermission = () => Promise.resolve('allow-always');
      await ask();
      await demo.prompt(id, 'rename color to colour in paint.ts');
      assert.equal(demo.permissions.length, 1);
      assert.equal(demo.files.get(path), before);
    });

    it('nothing more after a never, until the mode is chosen anew', async () => {
      demo.answerPermission = () => Promise.resolve('reject-always');
      await ask();
      await ask();
      assert.equal(demo.permissions.length, 1);
      await demo.agent.request('session/set_mode', { sessionId: id, modeId: 'ask' });
      await ask();
      assert.equal(demo.permissions.length, 2);
    });

    it('without asking in the mode auto-edit', async () => {
      await demo.agent.request('session/set_config_option', { sessionId: id, configId: 'mode', value: 'auto-edit' });
      await ask();
      assert.equal(demo.permissions.length, 0);
      assert.equal(demo.files.get(path), after);
    });

    it('not over text that has changed since the diff was shown', async () => {
      demo.answerPermission = () => {
        demo.files.set(path, `// mine\n${before}`);
        return Promise.resolve('allow');
      };
      await ask();
      assert.equal(demo.files.get(path), `// mine\n${before}`);
      assert.match(demo.said, /has changed in the meantime/);
    });

    it('imports into order', async () => {
      demo.files.set(path, "import b from 'b';\nimport a from 'a';\n");
      await demo.prompt(id, '/sort paint.ts');
      assert.equal(demo.files.get(path), "import a from 'a';\nimport b from 'b';\n");
    });

    it('nothing when there is nothing to change', async () => {
      await demo.prompt(id, 'rename nowhere to somewhere in paint.ts');
      assert.match(demo.said, /no word `nowhere`/);
      assert.equal(edits().length, 0);
    });

    it('ends the turn at once when it is stopped while the question is open', async () => {
      demo.answerPermission = () => new Promise(() => undefined);
      const turn = ask();
      await demo.until(() => demo.permissions.length > 0);
      await demo.agent.notify('session/cancel', { sessionId: id });
      assert.equal(await turn, 'cancelled');
      assert.equal(demo.updatesOf('tool_call_update').at(-1)?.status, 'failed');
      assert.equal(demo.files.get(path), before);
    });
  });

  describe('runs commands', () => {
    it('in the client, without a shell, and tells how they ended', async () => {
      const [demo, id] = await demos.startSession();
      await demo.prompt(id, `run "${process.execPath}" -e 'console.log("a b"); process.exit(3)'`);
      assert.deepEqual(demo.terminals[0]?.args, ['-e', 'console.log("a b"); process.exit(3)']);
      assert.equal(demo.terminals[0].command, process.execPath);
      assert.equal(demo.terminals[0].cwd, demos.folder);
      const [progress, end] = demo.updatesOf('tool_call_update');
      assert.deepEqual(progress?.content, [{ type: 'terminal', terminalId: 'terminal-0' }]);
      assert.equal(end?.status, 'failed');
      assert.match(demo.said, /exit code 3/);
      await demo.until(() => demo.released.length === 1);
    });

    it('and releases one that runs when it is stopped', async () => {
      const [demo, id] = await demos.startSession();
      const turn = demo.prompt(id, `run "${process.execPath}" -e 'setInterval(() => {}, 1000)'`);
      await demo.until(() => demo.updatesOf('tool_call_update').length > 0);
      await demo.agent.notify('session/cancel', { sessionId: id });
      assert.equal(await turn, 'cancelled');
      await demo.until(() => demo.released.length === 1);
    });

    it('not when the client has no terminals', async () => {
      const [demo, id] = await demos.startSession([], { fs: { readTextFile: true } });
      await demo.prompt(id, 'run git status');
      assert.match(demo.said, /provide a terminal/);
    });

    it('and reports what is wrong with the quotes', async () => {
      const [demo, id] = await demos.startSession();
      await demo.prompt(id, `run echo "a`);
      assert.match(demo.said, /missing a closing/);
      assert.equal(demo.terminals.length, 0);
    });
  });

  describe('can be stopped', () => {
    it('while it speaks slowly, and sends nothing more then', async () => {
      const [demo, id] = await demos.startSession();
      const turn = demo.prompt(id, '/slow 500');
      await demo.until(() => demo.updatesOf('agent_message_chunk').length >= 3);
      await demo.agent.notify('session/cancel', { sessionId: id });
      assert.equal(await turn, 'cancelled');
      const { length } = demo.said;
      assert.equal(await demo.prompt(id, '/plan'), 'end_turn');
      assert.match(demo.said.slice(length), /^All steps/);
    });

    it('refuses a second prompt while it answers', async () => {
      const [demo, id] = await demos.startSession();
      const turn = demo.prompt(id, '/slow 500');
      await demo.until(() => demo.updatesOf('agent_message_chunk').length > 0);
      await assert.rejects(demo.prompt(id, 'hello'), codeIs(-32600));
      await demo.agent.notify('session/cancel', { sessionId: id });
      await turn;
    });
  });

  describe('takes a prompt into its turn', () => {
    const steer = (demo: DemoClient, sessionId: string, text: string): Promise<unknown> =>
      demo.agent.request('_session/steering', { sessionId, prompt: [{ type: 'text', text }] });
    const noTurn = { outcome: 'promptRequired', reason: 'noRunningTurn' };

    it('and answers it in the same turn, after what it was saying', async () => {
      const [demo, id] = await demos.startSession();
      assert.deepEqual(demo.initialized?._meta, { steering: { supported: true } });
      const turn = demo.prompt(id, '/slow 2000');
      await demo.until(() => demo.updatesOf('agent_message_chunk').length >= 3);
      assert.deepEqual(await steer(demo, id, '/plan'), { outcome: 'injected' });
      assert.deepEqual(await steer(demo, id, '/slow 1'), { outcome: 'injected' });
      assert.equal(await turn, 'end_turn');
      assert.match(demo.said, /^This answer comes .*All steps of the plan are done\.\nThis \n\nSaid 1 words\.\n$/s);
    });

    it('only while one runs that is not stopped', async () => {
      const [demo, id] = await demos.startSession();
      assert.deepEqual(await steer(demo, id, '/plan'), noTurn);
      const turn = demo.prompt(id, '/slow 2000');
      await demo.until(() => demo.updatesOf('agent_message_chunk').length >= 3);
      await demo.agent.notify('session/cancel', { sessionId: id });
      assert.deepEqual(await steer(demo, id, '/plan'), noTurn);
      assert.equal(await turn, 'cancelled');
      assert.deepEqual(await steer(demo, id, '/plan'), noTurn);
      assert.deepEqual(demo.updatesOf('plan'), []);
    });
  });

  it('shows a plan whose entries advance', async () => {
    const [demo, id] = await demos.startSession();
    await demo.prompt(id, '/plan');
    const states = demo.updatesOf('plan').map(({ entries }) => entries.map(({ status }) => status.charAt(0)).join(''));
    assert.deepEqual(states, ['ipp', 'cip', 'cci', 'ccc']);
  });

  describe('fails on purpose', () => {
    it('with an error', async () => {
      const [demo, id] = await demos.startSession();
      await assert.rejects(demo.prompt(id, '/fail error'), codeIs(-32603));
      assert.equal(await demo.prompt(id, 'hello'), 'end_turn');
    });

    it('by crashing, with last words', async () => {
      const [demo, id] = await demos.startSession();
      await assert.rejects(demo.prompt(id, '/fail crash'));
      assert.equal(await demo.exit(), 1);
      assert.match(demo.stderr, /crashed because you asked/);
    });

    it('by not hearing any more', async () => {
      const [demo, id] = await demos.startSession();
      let ended = false;
      void demo.prompt(id, '/fail hang').then(
        () => (ended = true),
        () => undefined,
      );
      await demo.agent.notify('session/cancel', { sessionId: id });
      await demo.newSession();
      assert.equal(ended, false);
    });
  });
});
