import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { ToolCaller } from '../../../../src/session/common/toolCaller';
import type { AcpBackendDeps } from '../../../../src/acp/node/session/acpBackend';
import { Follower, useBackends } from '../../../fake/backendHarness';
import { FakeEditor } from '../../../fake/fakeEditor';
import { standingOf } from '../../../fake/fakePermissions';
import { basics, says } from '../../../fake/acp/scriptedAgent';

const line = 'echo one && echo two | tr a-z A-Z';
const output = 'one\nTWO\n';

interface Client {
  readonly request: (method: string, params: object) => Promise<unknown>;
  readonly update: (update: object) => Promise<void>;
  /** Answers the `nth` approval of the user, from 1. */
  readonly answer: (nth: number, option: string) => Promise<void>;
}

describe('what Backline does for an agent', () => {
  const make = useBackends();
  let cwd = '';

  before(async () => {
    cwd = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-actions-')));
  });
  after(() => rm(cwd, { recursive: true, force: true }));

  /** Runs one turn of an agent that does this, and returns the calls that the user sees. */
  async function callsOf(work: (client: Client) => Promise<unknown>, options: Partial<AcpBackendDeps> = {}) {
    const { backend } = make(
      (app, { end }) => {
        app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
          const request = (method: string, params: object) =>
            client.request<object, object>(method, { sessionId, ...params });
          const update = (about: object) =>
            end.send({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update: about } });
          const answer = async (nth: number, option: string) => {
            const { approval_id: id } = await follower.next('approval:required', nth);
            await session.answerApproval(id, option);
          };
          await work({ request, update, answer });
          await client.notify('session/update', says(sessionId, 'done'));
          return { stopReason: 'end_turn' };
        });
        basics(app);
      },
      {
        editor: new FakeEditor({ [path.join(cwd, 'a.txt')]: 'old' }, [cwd]),
        standing: standingOf([], () => ({ demo: { run: 'allow', edit: 'allow' } })),
        ...options,
      },
    );
    const session = await backend.createSession({ cwd });
    const follower = new Follower(session);
    await session.sendPrompt({ text: 'go' });
    await follower.next('prompt:complete');
    const failed = follower.all('tool:error').map(({ call_id, error }) => ({ call_id, error }));
    const asked = follower.all('approval:required');
    return { asked, begun: follower.all('tool:pre'), ended: follower.all('tool:post'), failed, names: follower.names };
  }

  async function runLine({ request }: Client, command = line): Promise<string> {
    const { terminalId } = (await request('terminal/create', { command })) as { terminalId: string };
    await request('terminal/wait_for_exit', { terminalId });
    await request('terminal/release', { terminalId });
    return terminalId;
  }

  it('a command that the agent does not report is an entry with its output', async () => {
    const { begun, ended, names } = await callsOf(runLine);
    assert.deepEqual(
      begun.map(({ kind, title }) => [kind, title]),
      [['execute', line]],
    );
    const [shown] = ended[0]?.content ?? [];
    assert.ok(shown?.type === 'terminal');
    assert.deepEqual([shown.output, shown.exit_code], [output, 0]);
    assert.ok(names.indexOf('tool:post') < names.indexOf('content_block:delta'), 'before what follows');
  });

  /** The agent asks about a tool call with the command, and the user allows it. */
  async function askForLine({ answer, request, update }: Client): Promise<void> {
    const options = [
      { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
      { optionId: 'no', name: 'Deny', kind: 'reject_once' },
    ];
    const toolCall = { toolCallId: 'c1', title: 'Run', kind: 'execute', rawInput: { command: line } };
    await update({ sessionUpdate: 'tool_call', ...toolCall, status: 'pending' });
    const allowed = request('session/request_permission', { toolCall, options });
    await answer(1, 'Allow');
    await allowed;
  }

  it('a command that the user has just allowed as a tool call is started without a second question', async () => {
    const { asked, ended } = await callsOf(
      async (client) => {
        const { answer, request, update } = client;
        await askForLine(client);
        await runLine(client);
        const again = request('terminal/create', { command: line });
        await answer(2, 'Deny');
        await again.catch(() => undefined);
        await update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' });
      },
      { standing: standingOf() },
    );
    assert.equal(asked.length, 2, 'the call, and the command once more');
    assert.equal(ended.length, 1);
  });

  for (const [what, change] of [
    ['ended', { status: 'completed' }],
    ['changed', { rawInput: { command: 'ls' } }],
  ] as const) {
    it(`a command is asked about again if its call has ${what} before it is started`, async () => {
      const { asked } = await callsOf(
        async (client) => {
          const { answer, request, update } = client;
          await askForLine(client);
          await update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', ...change });
          const started = request('terminal/create', { command: line });
          await answer(2, 'Deny');
          await assert.rejects(started);
        },
        { standing: standingOf() },
      );
      assert.equal(asked.length, 2);
    });
  }

  it('a command that fails says so', async () => {
    const { failed } = await callsOf((client) => runLine(client, 'echo no; exit 3'));
    assert.deepEqual(
      failed.map(({ error }) => error),
      ['The command ended with exit code 3.'],
    );
  });

  it('the same command twice is two entries', async () => {
    const { ended } = await callsOf(async (client) => [await runLine(client), await runLine(client)]);
    assert.equal(ended.length, 2);
  });

  const call = { sessionUpdate: 'tool_call', toolCallId: 'c1', title: 'Run', kind: 'execute' };
  const reports: Record<string, (client: Client) => Promise<unknown>> = {
    'before it runs, by its input': async (client) => {
      await client.update({ ...call, status: 'pending', rawInput: { command: line } });
      await runLine(client);
      await client.update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' });
    },
    'before it runs, and only its end says which it was': async (client) => {
      await client.update({ ...call, status: 'in_progress' });
      const terminalId = await runLine(client);
      const content = [{ type: 'terminal', terminalId }];
      await client.update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed', content });
    },
    'while it runs, by its terminal': async (client) => {
      const { terminalId } = (await client.request('terminal/create', { command: line })) as { terminalId: string };
      await client.update({ ...call, status: 'in_progress', content: [{ type: 'terminal', terminalId }] });
      await client.request('terminal/wait_for_exit', { terminalId });
      await client.request('terminal/release', { terminalId });
      await client.update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' });
    },
    'only after its end, by its title': async (client) => {
      await runLine(client);
      const content = [{ type: 'content', content: { type: 'text', text: output } }];
      await client.update({ ...call, title: `\`${line}\``, status: 'completed', content });
    },
  };
  for (const [when, work] of Object.entries(reports)) {
    it(`a command that the agent reports ${when} is shown once`, async () => {
      const { begun, ended } = await callsOf(work);
      assert.deepEqual([begun.length, ended.length], [1, 1]);
    });
  }

  it('a write that the agent does not report is an entry, and one that it reports is shown once', async () => {
    const file = path.join(cwd, 'a.txt');
    const write = ({ request }: Client) => request('fs/write_text_file', { path: file, content: 'new' });
    const alone = await callsOf(write);
    assert.deepEqual(
      alone.begun.map(({ kind, locations, title }) => [kind, title, locations]),
      [['edit', 'Write a.txt', [{ path: file }]]],
    );
    const edit = { ...call, title: 'Edit a.txt', kind: 'edit' };
    const content = [{ type: 'diff', path: file, oldText: 'old', newText: 'new' }];
    const reported = await callsOf(async (client) => {
      await client.update({ ...edit, status: 'pending' });
      await write(client);
      await client.update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed', content });
    });
    assert.deepEqual(
      reported.begun.map(({ call_id }) => call_id),
      ['c1'],
    );
    const late = await callsOf(async (client) => {
      await write(client);
      await client.update({ ...edit, status: 'completed', content });
    });
    assert.equal(late.begun.length, 1);
  });

  it('a call of a tool of the window is an entry with its result, unless the agent reports it', async () => {
    for (const isReported of [false, true]) {
      const callers: ToolCaller[] = [];
      const mcpServers: AcpBackendDeps['mcpServers'] = ({ toolCaller }) => {
        callers.push(toolCaller);
        return Promise.resolve([]);
      };
      const { begun, ended } = await callsOf(
        async (client) => {
          const input = { query: 'x' };
          if (isReported)
            await client.update({ ...call, kind: 'other', title: 'mcp__backline__symbols', status: 'pending' });
          // What the agent has sent first has arrived first.
          await new Promise((resolve) => setImmediate(resolve));
          const end = callers[0]?.recordCall({ server: 'backline', tool: 'symbols', title: 'Find Symbols', input });
          end?.({ text: 'a.ts:1', isError: false });
          if (isReported)
            await client.update({ sessionUpdate: 'tool_call_update', toolCallId: 'c1', status: 'completed' });
        },
        { mcpServers },
      );
      assert.deepEqual(
        begun.map(({ title }) => title),
        [isReported ? 'mcp__backline__symbols' : 'Find Symbols'],
      );
      if (!isReported) assert.deepEqual(ended[0]?.content, [{ type: 'text', text: 'a.ts:1' }]);
    }
  });

  const options = [
    { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
    { optionId: 'no', name: 'Reject', kind: 'reject_once' },
  ];
  const requests: Record<string, { reports: object[]; toolCall: object; command: string }> = {
    'with another command': {
      reports: [{}],
      toolCall: { rawInput: { command: 'rm -rf /' } },
      command: 'rm -rf /',
    },
    'that has become another command since': {
      reports: [{}, { sessionUpdate: 'tool_call_update', rawInput: { command: 'rm -rf /' } }],
      toolCall: {},
      command: 'rm -rf /',
    },
    'that is about the command': { reports: [{}], toolCall: { rawInput: { command: line } }, command: line },
    'that is new': { reports: [], toolCall: { kind: 'execute', rawInput: { command: line } }, command: line },
  };
  for (const [which, { command, reports, toolCall }] of Object.entries(requests)) {
    it(`asks about a call ${which} as it is, although the call was shown as something that Backline has done`, async () => {
      const { asked, begun } = await callsOf(
        async (client) => {
          await Promise.all([runLine(client), client.answer(1, 'Allow once')]);
          for (const report of reports)
            await client.update({
              ...call,
              title: line,
              status: 'in_progress',
              rawInput: { command: line },
              ...report,
            });
          const request = { toolCall: { toolCallId: 'c1', ...toolCall }, options };
          await Promise.all([client.request('session/request_permission', request), client.answer(2, 'Reject')]);
        },
        { standing: standingOf() },
      );
      assert.deepEqual(
        asked
          .slice(1)
          .map(({ call_id, context, prompt }) => [call_id, context?.['command'], context?.['input'], prompt]),
        [['c1', command, { command }, `Demo wants to run ${command}`]],
      );
      const row = begun.find(({ call_id }) => call_id === 'c1');
      assert.deepEqual([row?.kind, row?.input], ['execute', { command }]);
    });
  }

  it('what cannot start is refused before the user is asked', async () => {
    const asked: string[] = [];
    const { names } = await callsOf(
      async ({ request }) => {
        for (const params of [
          { command: 'nothing-like-this' },
          { command: line, args: ['x'] },
          { command: line, cwd: path.join(cwd, 'gone') },
        ])
          await request('terminal/create', params).catch((error: unknown) => asked.push(String(error)));
      },
      { standing: standingOf(), isFolder: (folder) => Promise.resolve(folder === cwd) },
    );
    assert.equal(asked.length, 3);
    assert.equal(names.includes('approval:required'), false);
  });
});
