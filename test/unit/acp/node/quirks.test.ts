import assert from 'node:assert/strict';
import {
  RequestError,
  type AgentContext,
  type RequestPermissionRequest,
  type SessionNotification,
} from '@agentclientprotocol/sdk';
import { open, useBackends, type backendOf } from '../../../fake/backendHarness';
import { basics, type Script, type ScriptedAgent } from '../../../fake/acp/scriptedAgent';

type Turn = (client: AgentContext, sessionId: string, process: ScriptedAgent) => Promise<object | undefined>;

/** An agent that does this in each turn. */
const doing =
  (turn: Turn): Script =>
  (app, process) => {
    basics(app);
    app.onRequest('session/prompt', async ({ params, client }) => ({
      stopReason: 'end_turn',
      ...(await turn(client, params.sessionId, process)),
    }));
  };

const options = [
  { optionId: 'proceed_once', name: 'Allow', kind: 'allow_once' as const },
  { optionId: 'cancel', name: 'Reject', kind: 'reject_once' as const },
];

/** What real agents were seen doing; each of these has broken some client. */
describe('what real ACP agents do', () => {
  const make = useBackends();

  async function run(script: Script, settings: Parameters<typeof backendOf>[1] = {}) {
    const made = make(script, settings);
    return { ...made, ...(await open(made.backend)) };
  }

  it('gemini asks for permission about a call it never announced', async () => {
    const { session, follower } = await run(
      doing(async (client, sessionId) => {
        const toolCall = {
          toolCallId: 'w1',
          title: 'Writing',
          kind: 'edit' as const,
          locations: [{ path: '/ws/a.txt' }],
        };
        await client.request('session/request_permission', { sessionId, toolCall, options });
        const update = { sessionUpdate: 'tool_call_update' as const, toolCallId: 'w1', status: 'completed' as const };
        await client.notify('session/update', { sessionId, update });
        return undefined;
      }),
    );
    await session.sendPrompt({ text: 'go' });
    const asked = await follower.next('approval:required');
    assert.equal(follower.all('tool:pre')[0]?.call_id, 'w1');
    await session.answerApproval(asked.approval_id, 'Allow');
    await follower.next('prompt:complete');
    assert.equal(follower.all('tool:post')[0]?.title, 'Writing');
  });

  it('claude goes on by itself when a task in the background has finished, and tells why at the end', async () => {
    const origins: unknown[] = [{ kind: 'task-notification' }, { kind: 'task-notification', subkind: 'routine' }];
    origins.push({ kind: 'human' }, 'task-notification', { kind: 3 }, null);
    const { follower, session } = await run(
      doing(async (client, sessionId) => {
        const tell = async (update: SessionNotification['update']) =>
          await client.notify('session/update', { sessionId, update });
        for (const [index, origin] of origins.entries()) {
          await tell({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: `answer ${index}` } });
          await tell({ sessionUpdate: 'usage_update', used: 1, size: 2, _meta: { '_claude/origin': origin } });
        }
        return undefined;
      }),
    );
    await session.sendPrompt({ text: 'go' });
    await follower.next('prompt:complete');
    assert.equal(follower.all('usage:update').length, origins.length);
    assert.deepEqual(
      follower.all('notice').map(({ message }) => message),
      ['The agent wrote this without a prompt, because a task in the background has finished.'],
    );
    const told = follower.events.flatMap(({ data, event }) =>
      event === 'notice' ? [event] : 'delta' in data ? [data.delta] : [],
    );
    assert.deepEqual(told.slice(0, 3), ['answer 0', 'notice', 'answer 1']);
  });

  it('gemini reads a missing file before it creates it', async () => {
    const contents: string[] = [];
    const { editor, session, follower } = await run(
      doing(async (client, sessionId) => {
        contents.push((await client.request('fs/read_text_file', { sessionId, path: '/ws/new.txt' })).content);
        await client.request('fs/write_text_file', { sessionId, path: '/ws/new.txt', content: 'made' });
        return undefined;
      }),
      { missingFile: 'empty' },
    );
    await session.sendPrompt({ text: 'go' });
    await follower.next('prompt:complete');
    assert.deepEqual(contents, ['']);
    assert.equal(editor.diskText('/ws/new.txt'), 'made');
  });

  it('gemini is known by its own name, whatever command has started it', async () => {
    const contents: string[] = [];
    const { session, follower } = await run((app) => {
      basics(app, { agentInfo: { name: 'gemini-cli', version: '0.61.0' } });
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        contents.push((await client.request('fs/read_text_file', { sessionId, path: '/ws/new.txt' })).content);
        return { stopReason: 'end_turn' };
      });
    });
    await session.sendPrompt({ text: 'go' });
    await follower.next('prompt:complete');
    assert.deepEqual(contents, ['']);
  });

  it('copilot counts the tokens of all turns since its process took the session up', async () => {
    const { agents, session, follower } = await run((app) => {
      let turns = 0;
      app.onRequest('session/resume', () => ({}));
      basics(app, { agentInfo: { name: 'Copilot', version: '1.0.102' } });
      app.onRequest('session/prompt', () => {
        const inputTokens = ++turns * 100;
        return { stopReason: 'end_turn', usage: { inputTokens, outputTokens: turns * 7, totalTokens: inputTokens } };
      });
    });
    for (let nth = 1; nth <= 4; nth++) {
      // From the second turn on in another process, whose counts start at zero.
      if (nth === 2) agents.last.crash('');
      await session.sendPrompt({ text: 'go' });
      const { token_usage } = await follower.next('prompt:complete', nth);
      assert.deepEqual(token_usage, { input_tokens: 100, output_tokens: 7 }, `turn ${nth}`);
    }
    assert.equal(agents.started.length, 2);
  });

  it('other agents count each turn for itself, also when each is larger than the one before', async () => {
    const { session, follower } = await run((app) => {
      let turns = 0;
      basics(app, { agentInfo: { name: 'Claude' } });
      app.onRequest('session/prompt', () => {
        const inputTokens = ++turns * 100;
        return { stopReason: 'end_turn', usage: { inputTokens, outputTokens: turns, totalTokens: inputTokens } };
      });
    });
    for (const nth of [1, 2]) {
      await session.sendPrompt({ text: 'go' });
      const { token_usage } = await follower.next('prompt:complete', nth);
      assert.deepEqual(token_usage, { input_tokens: nth * 100, output_tokens: nth });
    }
  });

  it('opencode counts only its last request, which is not the turn', async () => {
    const { session, follower } = await run((app) => {
      basics(app, { agentInfo: { name: 'OpenCode' } });
      const usage = { inputTokens: 20, outputTokens: 10, totalTokens: 30 };
      app.onRequest('session/prompt', () => ({ stopReason: 'end_turn', usage }));
    });
    await session.sendPrompt({ text: 'go' });
    assert.equal((await follower.next('prompt:complete')).token_usage, undefined);
  });

  it('qwen tells a missing file by its code', async () => {
    const codes: number[] = [];
    const { session, follower } = await run(
      doing(async (client, sessionId) => {
        await client.request('fs/read_text_file', { sessionId, path: '/ws/new.txt' }).catch((error: unknown) => {
          if (error instanceof RequestError) codes.push(error.code);
        });
        return undefined;
      }),
    );
    await session.sendPrompt({ text: 'go' });
    await follower.next('prompt:complete');
    assert.deepEqual(codes, [-32002]);
  });

  it('qwen calls a method of its own without an underscore', async () => {
    const codes: number[] = [];
    const { session, follower } = await run(
      doing(async (client, sessionId) => {
        for (const method of ['craft/drainMidTurnQueue', '_vendor/thing']) {
          await client.request(method, { sessionId }).catch((error: unknown) => {
            if (error instanceof RequestError) codes.push(error.code);
          });
        }
        await client.notify('_auth/status_update', { kind: 'none' });
        return undefined;
      }),
    );
    await session.sendPrompt({ text: 'go' });
    await follower.next('prompt:complete');
    assert.deepEqual(codes, [-32601, -32601]);
  });

  it('qwen sends 560 kB of commands in one message', async () => {
    const availableCommands = Array.from({ length: 700 }, (_, index) => ({
      name: `command-${index}`,
      description: 'x'.repeat(800),
    }));
    const { session, follower } = await run(
      doing(async (client, sessionId) => {
        const update = { sessionUpdate: 'available_commands_update' as const, availableCommands };
        await client.notify('session/update', { sessionId, update });
        return undefined;
      }),
    );
    await session.sendPrompt({ text: 'go' });
    await follower.next('commands:update');
    assert.equal(session.commands.length, 700);
  });

  it('copilot speaks of a session before it has told its name', async () => {
    const { session, follower } = await run((app) => {
      app.onRequest('session/new', async ({ client }) => {
        const availableCommands = [{ name: 'early', description: 'bird' }];
        const update = { sessionUpdate: 'available_commands_update' as const, availableCommands };
        await client.notify('session/update', { sessionId: 's1', update });
        return { sessionId: 's1' };
      });
      basics(app);
    });
    await follower.next('commands:update');
    assert.equal(session.commands[0]?.name, 'early');
  });

  it('copilot sends what it changes as raw input only', async () => {
    const { session, follower } = await run(
      doing(async (client, sessionId) => {
        const toolCall = { toolCallId: 'c1', title: 'Edit', rawInput: { diff: '-a\n+b' } };
        await client.request('session/request_permission', { sessionId, toolCall, options });
        return undefined;
      }),
    );
    await session.sendPrompt({ text: 'go' });
    const { approval_id, context } = await follower.next('approval:required');
    assert.deepEqual(context?.['input'], { diff: '-a\n+b' });
    await session.answerApproval(approval_id, 'Reject');
    await follower.next('prompt:complete');
  });

  it('codex names a terminal that it runs itself', async () => {
    const { session, follower } = await run(
      doing(async (client, sessionId) => {
        const update = (more: object) =>
          client.notify('session/update', {
            sessionId,
            update: { sessionUpdate: 'tool_call_update', toolCallId: 'cmd-1', ...more },
          });
        await update({ kind: 'execute', content: [{ type: 'terminal', terminalId: 'cmd-1' }] });
        for (let line = 0; line < 50; line++) {
          await update({ _meta: { terminal_output_delta: { terminal_id: 'cmd-1', data: `${line}\n` } } });
        }
        await update({ status: 'completed', _meta: { terminal_exit: { terminal_id: 'cmd-1', exit_code: 0 } } });
        return undefined;
      }),
    );
    await session.sendPrompt({ text: 'go' });
    await follower.next('prompt:complete');
    const [shown] = follower.all('tool:post')[0]?.content ?? [];
    assert.equal(shown?.type, 'terminal');
    assert.ok(shown.output.startsWith('0\n') && shown.output.endsWith('49\n'));
    assert.ok(follower.all('tool:update').length < 10, 'output is told together, not piece by piece');
  });

  it('codex fails with a code of its own and several lines', async () => {
    const { session, follower } = await run(
      doing(() => {
        throw new RequestError(1001, 'stream error\nretry later', { status: 502 });
      }),
    );
    await session.sendPrompt({ text: 'go' });
    const failure = await follower.next('error');
    assert.equal(failure.error, 'Demo: stream error\nretry later');
    assert.deepEqual(
      [failure.code, failure.details],
      ['backend', 'Error 1001: stream error\nretry later {"status":502}'],
    );
  });

  it('some answer with errors that are no errors', async () => {
    const { agents, session, follower } = await run((app, process) => {
      basics(app);
      app.onRequest('session/prompt', () => new Promise(() => undefined));
      process.end.onMessage(({ id, method }) => {
        if (method === 'session/prompt') void process.end.send({ jsonrpc: '2.0', id, error: 'it broke' });
      });
    });
    await session.sendPrompt({ text: 'go' });
    const failure = await follower.next('error');
    assert.match(failure.error, /Demo/);
    assert.equal(agents.last.isGone, false);
  });

  it('claude, codex and qwen do things without asking', async () => {
    const { session, follower } = await run(
      doing(async (client, sessionId) => {
        const update = {
          sessionUpdate: 'tool_call' as const,
          toolCallId: 'c1',
          title: 'touch x',
          status: 'completed' as const,
        };
        await client.notify('session/update', { sessionId, update });
        return undefined;
      }),
    );
    await session.sendPrompt({ text: 'go' });
    await follower.next('prompt:complete');
    assert.deepEqual(
      follower.names.filter((name) => name.startsWith('tool') || name.startsWith('approval')),
      ['tool:pre', 'tool:post'],
    );
  });

  it('gemini waits for ever for the answer to a question when its turn is cancelled', async () => {
    const outcomes: unknown[] = [];
    const { session, follower } = await run(
      doing(async (client, sessionId) => {
        const toolCall = { toolCallId: 'c1', title: 'Edit' };
        const request: RequestPermissionRequest = { sessionId, toolCall: toolCall, options };
        outcomes.push((await client.request('session/request_permission', request)).outcome);
        return { stopReason: 'cancelled' };
      }),
    );
    await session.sendPrompt({ text: 'go' });
    await follower.next('approval:required');
    await session.cancel();
    assert.deepEqual(outcomes, [{ outcome: 'cancelled' }]);
    assert.equal(follower.all('prompt:complete')[0]?.stop_reason, 'cancelled');
    assert.equal(follower.all('approval:denied').length, 1);
  });

  it('updates of a kind that nobody knows do no harm', async () => {
    const { session, follower } = await run(
      doing(async (_client, sessionId, process) => {
        const send = (update: unknown) =>
          process.end.send({ jsonrpc: '2.0', method: 'session/update', params: { sessionId, update } });
        await send({ sessionUpdate: 'mood_update', mood: 'good' });
        await send('nonsense');
        await process.end.send({ jsonrpc: '2.0', method: 'session/update' });
        await process.end.send({ level: 'info', message: 'a log line' });
        return undefined;
      }),
    );
    await session.sendPrompt({ text: 'go' });
    assert.equal((await follower.next('prompt:complete')).stop_reason, 'end_turn');
  });

  it('requests for a session that is not there are answered', async () => {
    const codes: number[] = [];
    const { session, follower } = await run(
      doing(async (client) => {
        const toolCall = { toolCallId: 'c1' };
        for (const request of [
          client.request('fs/read_text_file', { sessionId: 'other', path: '/ws/a.txt' }),
          client.request('session/request_permission', { sessionId: 'other', toolCall, options }),
          client.request('terminal/output', { sessionId: 'other', terminalId: 't' }),
        ]) {
          await request.catch((error: unknown) => error instanceof RequestError && codes.push(error.code));
        }
        return undefined;
      }),
    );
    await session.sendPrompt({ text: 'go' });
    await follower.next('prompt:complete');
    assert.deepEqual(codes, [-32002, -32002, -32002]);
  });

  it('an option without a known kind is never taken for a way to allow', async () => {
    const { standing, session, follower } = await run(
      doing(async (client, sessionId) => {
        await client.request<unknown, object>('session/request_permission', {
          sessionId,
          toolCall: { toolCallId: 'c1', kind: 'edit', locations: [{ path: '/ws/a.txt' }] },
          options: [{ optionId: 'x', name: 'Go', kind: 'yolo' }],
        });
        return undefined;
      }),
    );
    await standing.rules.add({ effect: 'allow', kind: 'edit', pathGlob: '/ws/**', scope: 'always' });
    await session.sendPrompt({ text: 'go' });
    const asked = await follower.next('approval:required');
    assert.deepEqual(asked.option_kinds, ['reject_once', 'reject_always']);
    await session.answerApproval(asked.approval_id, 'Go (denies once)');
    await follower.next('approval:denied');
    await follower.next('prompt:complete');
  });
});
