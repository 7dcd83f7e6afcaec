import assert from 'node:assert/strict';
import type { RequestPermissionRequest } from '@agentclientprotocol/sdk';
import { Follower, open, useBackends } from '../../../fake/backendHarness';
import { eventually } from '../../../support/eventually';
import { basics } from '../../../fake/acp/scriptedAgent';

describe('what an ACP agent must ask the user for', () => {
  const make = useBackends();

  it('asks for permission with all the user must see, and answers with the chosen option', async () => {
    let outcome: unknown;
    const { backend } = make((app) => {
      basics(app, {}, { modes: { currentModeId: 'ask', availableModes: [{ id: 'ask', name: 'Ask first' }] } });
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        const answer = await client.request('session/request_permission', {
          sessionId,
          toolCall: {
            toolCallId: 'c1',
            kind: 'edit',
            title: 'Make it better',
            rawInput: { file_path: '/ws/a.txt' },
            content: [{ type: 'diff', path: '/ws/a.txt', oldText: 'one', newText: 'two' }],
          },
          options: [
            { optionId: 'yes', name: 'Allow', kind: 'allow_once' },
            { optionId: 'no', name: 'Reject', kind: 'reject_once' },
          ],
        });
        outcome = answer.outcome;
        return { stopReason: 'end_turn' };
      });
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    const asked = await follower.next('approval:required');
    assert.equal(asked.prompt, 'Demo wants to edit a.txt');
    assert.equal(asked.call_id, 'c1');
    assert.equal(asked.timeout, undefined, 'a question waits as long as its asker does');
    assert.deepEqual(asked.context, {
      agent: 'Demo',
      kind: 'edit',
      title: 'Make it better',
      mode: 'Ask first',
      paths: ['/ws/a.txt'],
      content: [{ type: 'diff', path: '/ws/a.txt', old_text: 'one', new_text: 'two' }],
      input: { file_path: '/ws/a.txt' },
      folder: '/ws',
      scopes: {
        'Always allow in this conversation': 'editing a.txt, this conversation',
        'Always allow': 'editing a.txt, every conversation with Demo',
        'Always deny': 'editing a.txt, every conversation with Demo',
      },
    });
    await session.answerApproval(asked.approval_id, 'Allow');
    await follower.next('prompt:complete');
    assert.deepEqual(outcome, { outcome: 'selected', optionId: 'yes' });
    await assert.rejects(session.answerApproval(asked.approval_id, 'Allow'), { code: 'approvalResolved' });
  });

  it('asks in the order of the requests, however long it takes to find out what each is about', async () => {
    const ids = ['slow', 'quick', 'last'];
    const { backend, editor } = make((app) => {
      basics(app);
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        const requests = ids.map((id) => {
          const toolCall = { toolCallId: id, kind: 'delete' as const, rawInput: { file_path: `/ws/${id}.txt` } };
          const options = [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' as const }];
          return client.request('session/request_permission', { sessionId, toolCall, options });
        });
        await Promise.all(requests);
        return { stopReason: 'end_turn' };
      });
    });
    const realPathOf = editor.realPathOf.bind(editor);
    const others = Promise.withResolvers<undefined>();
    editor.realPathOf = async (path) => {
      if (path.endsWith('last.txt')) others.resolve(undefined);
      if (path.endsWith('slow.txt')) await others.promise;
      return await realPathOf(path);
    };
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await eventually('all requests', () => assert.equal(follower.all('approval:required').length, ids.length));
    assert.deepEqual(
      follower.all('approval:required').map(({ call_id: id }) => id),
      ids,
    );
  });

  it('replaces an approval when the agent changes the call that waits for it, and counts no answer to the earlier one', async () => {
    const outcomes: unknown[] = [];
    const shown = Promise.withResolvers<undefined>();
    const { backend } = make((app) => {
      basics(app);
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        const options = [
          { optionId: 'yes', name: 'Allow', kind: 'allow_once' as const },
          { optionId: 'no', name: 'Reject', kind: 'reject_once' as const },
        ];
        const toolCall = { toolCallId: 'c1', kind: 'execute' as const, title: 'Bash' };
        const request: RequestPermissionRequest = { sessionId, toolCall, options };
        const answer = client.request('session/request_permission', request);
        await shown.promise;
        for (const command of ['ls -la', 'rm -rf *']) {
          const update = { sessionUpdate: 'tool_call_update' as const, toolCallId: 'c1', rawInput: { command } };
          await client.notify('session/update', { sessionId, update });
        }
        const { outcome } = await answer;
        outcomes.push(outcome);
        return { stopReason: 'end_turn' };
      });
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await follower.next('approval:required');
    shown.resolve(undefined);
    const changed = ['Demo has changed this request while it waited for your answer.'];
    await eventually('the approval of the last change', () => {
      const { context } = follower.all('approval:required').at(-1) ?? {};
      assert.deepEqual([context?.['command'], context?.['warnings']], ['rm -rf *', changed]);
    });
    const asked = follower.all('approval:required');
    const last = asked.at(-1);
    assert.equal(asked[0]?.context?.['command'], undefined);
    assert.equal(asked[0]?.context?.['warnings'], undefined);
    for (const { approval_id: id } of asked.slice(0, -1)) {
      await assert.rejects(session.answerApproval(id, 'Allow'), {
        code: 'approvalResolved',
        message: /has changed since it was shown, so this answer does not count/,
      });
    }
    const reasons = follower.all('approval:denied').map(({ reason }) => reason);
    assert.deepEqual(
      reasons,
      asked.slice(1).map(() => 'The request has changed.'),
    );
    assert.deepEqual(outcomes, []);
    await session.answerApproval(last?.approval_id ?? '', 'Reject');
    await follower.next('prompt:complete');
    assert.deepEqual(outcomes, [{ outcome: 'selected', optionId: 'no' }]);
  });

  it('tells the user if the agent changes a call after it was allowed', async () => {
    const { backend } = make((app) => {
      basics(app);
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        const options = [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' as const }];
        const toolCall = { toolCallId: 'c1', kind: 'execute' as const, title: 'Bash', rawInput: { command: 'ls' } };
        await client.request('session/request_permission', { sessionId, toolCall, options });
        const inputs = [{ command: 'ls', description: 'Lists files' }, { command: 'rm -rf *' }, { command: 'ls' }];
        for (const rawInput of inputs) {
          const update = { sessionUpdate: 'tool_call_update' as const, toolCallId: 'c1', rawInput };
          await client.notify('session/update', { sessionId, update });
        }
        return { stopReason: 'end_turn' };
      });
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    const asked = await follower.next('approval:required');
    await session.answerApproval(asked.approval_id, 'Allow');
    await follower.next('prompt:complete');
    assert.deepEqual(
      follower.all('notice').map(({ message }) => message),
      ['Demo has changed a tool call after it was allowed. Allowed: ls. Now: rm -rf *.'],
    );
  });

  it('judges a call by rules again when it has changed, and denies one that changes without end', async () => {
    const outcomes: unknown[] = [];
    const { backend } = make((app) => {
      basics(app);
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        const options = [
          { optionId: 'yes', name: 'Allow', kind: 'allow_once' as const },
          { optionId: 'no', name: 'Reject', kind: 'reject_once' as const },
        ];
        const toolCall = { toolCallId: 'c1', kind: 'execute' as const, title: 'Bash' };
        const request: RequestPermissionRequest = { sessionId, toolCall, options };
        const answer = client.request('session/request_permission', request);
        for (let nth = 0; nth < 40; nth++) {
          const rawInput = { command: `run ${nth}` };
          const update = { sessionUpdate: 'tool_call_update' as const, toolCallId: 'c1', rawInput };
          await client.notify('session/update', { sessionId, update });
          await new Promise(setImmediate);
        }
        const { outcome } = await answer;
        outcomes.push(outcome);
        return { stopReason: 'end_turn' };
      });
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'go' });
    await follower.next('prompt:complete');
    assert.deepEqual(outcomes, [{ outcome: 'selected', optionId: 'no' }]);
    assert.match(follower.all('notice')[0]?.message ?? '', /changed a request again and again/);
  });

  it('runs a command in a terminal when the user agrees, and remembers that for the session', async () => {
    // The command really runs, so the workspace must be a folder of this machine.
    const folder = process.cwd();
    const { backend, editor, standing } = make((app) => {
      basics(app);
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        const terminal = await client.createTerminal({ sessionId, command: 'node', args: ['-p', '6*7'] });
        const content = [{ type: 'terminal' as const, terminalId: terminal.id }];
        const update = { sessionUpdate: 'tool_call' as const, toolCallId: 'c1', title: 'Compute', content };
        await client.notify('session/update', { sessionId, update });
        await terminal.waitForExit();
        await terminal.release();
        return { stopReason: 'end_turn' };
      });
    });
    editor.setFolders(folder);
    const session = await backend.createSession({ cwd: folder });
    const follower = new Follower(session);
    await session.sendPrompt({ text: 'compute' });
    const asked = await follower.next('approval:required');
    assert.equal(asked.prompt, "Demo wants to run node -p '6*7'");
    assert.deepEqual(asked.option_kinds, ['allow_once', 'allow_always', 'allow_always', 'reject_once']);
    await session.answerApproval(asked.approval_id, asked.options[1] ?? '');
    await follower.next('prompt:complete');
    const told = [...follower.all('tool:pre'), ...follower.all('tool:update')];
    const shown = told.findLast(({ content }) => content)?.content ?? [];
    assert.deepEqual(shown, [
      { type: 'terminal', terminal_id: 'terminal-1', output: '42\n', exit_code: 0, signal: null },
    ]);
    await session.sendPrompt({ text: 'again' });
    await follower.next('prompt:complete', 2);
    assert.equal(follower.all('approval:required').length, 1);
    assert.deepEqual(standing.rules.rules, []);
  });

  it('asks what it can of thousands of questions at once, and answers each', async () => {
    const outcomes: unknown[] = [];
    const { backend } = make((app) => {
      basics(app);
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        const options = [
          { optionId: 'yes', name: 'Allow', kind: 'allow_once' as const },
          { optionId: 'no', name: 'Reject', kind: 'reject_once' as const },
        ];
        const ask = async (nth: number): Promise<void> => {
          const toolCall = { toolCallId: `c${nth}`, kind: 'execute' as const, rawInput: { command: `run ${nth}` } };
          const answer = await client.request('session/request_permission', { sessionId, toolCall, options });
          outcomes.push(answer);
        };
        // Beyond the requests that may be open at once, an error is the answer.
        await Promise.all(
          Array.from({ length: 3_000 }, (_, nth) => ask(nth).catch((refusal: unknown) => outcomes.push(refusal))),
        );
        return { stopReason: 'end_turn' };
      });
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'flood' });
    await follower.next('approval:required', 32);
    await follower.next('notice');
    await eventually('the answers to all but 32', () => assert.equal(outcomes.length, 3_000 - 32));
    for (const { approval_id: id } of follower.all('approval:required')) await session.answerApproval(id, 'Allow');
    await follower.next('prompt:complete');
    assert.equal(follower.all('approval:required').length, 32);
    assert.equal(outcomes.length, 3_000);
    assert.equal(outcomes.filter((outcome) => JSON.stringify(outcome).includes('"yes"')).length, 32);
  });

  it('withdraws what is still asked before it tells of the end of the turn, and of the next prompt', async () => {
    const outcomes: string[] = [];
    const { backend } = make((app) => {
      basics(app);
      let prompts = 0;
      app.onRequest('session/prompt', ({ params: { sessionId }, client }) => {
        const ask = async (toolCallId: string): Promise<void> => {
          const options = [{ optionId: 'yes', name: 'Allow', kind: 'allow_once' as const }];
          const toolCall = { toolCallId, title: toolCallId };
          const request: RequestPermissionRequest = { sessionId, toolCall: toolCall, options };
          const { outcome } = await client.request('session/request_permission', request);
          outcomes.push(`${toolCallId} ${outcome.outcome}`);
        };
        const isFirst = ++prompts === 1;
        if (!isFirst) return { stopReason: 'end_turn' };
        void ask('during').then(() => ask('between'));
        return follower.next('approval:required').then(() => ({ stopReason: 'end_turn' as const }));
      });
    });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'one' });
    await follower.next('approval:required', 2);
    await session.sendPrompt({ text: 'two' });
    await follower.next('prompt:complete', 2);
    const order = follower.names.filter((name) => /^prompt|^approval/u.test(name));
    const asked = ['approval:required', 'approval:denied'];
    assert.deepEqual(order, [
      'prompt:submit',
      ...asked,
      'prompt:complete',
      ...asked,
      'prompt:submit',
      'prompt:complete',
    ]);
    await eventually('both answers', () => assert.deepEqual(outcomes, ['during cancelled', 'between cancelled']));
  });

  it('answers with the time that the session was made with, where it was', async () => {
    const { backend } = make((app) => {
      basics(app);
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        await client.createTerminal({ sessionId, command: 'node' }).catch(() => undefined);
        return { stopReason: 'end_turn' };
      });
    });
    const session = await backend.createSession({ cwd: '/ws', approvalTimeoutMs: 300_000 });
    const follower = new Follower(session);
    await session.sendPrompt({ text: 'go' });
    assert.equal((await follower.next('approval:required')).timeout, 300);
    await session.close();
  });

  it('asks about a command with an environment of its own, whatever the rules say, and not any more once cancelled', async () => {
    const errors: string[] = [];
    const { backend, standing } = make((app) => {
      basics(app);
      app.onRequest('session/prompt', async ({ params: { sessionId }, client }) => {
        const env = [{ name: 'NODE_OPTIONS', value: '--require evil' }];
        const created = client.request('terminal/create', { sessionId, command: 'node', args: ['-v'], env });
        await created.catch((error: unknown) => errors.push(error instanceof Error ? error.message : ''));
        return { stopReason: 'cancelled' };
      });
    });
    await standing.rules.add({ effect: 'allow', command: ['node', '-v'], cwd: '/ws', scope: 'always' });
    const { session, follower } = await open(backend);
    await session.sendPrompt({ text: 'run it' });
    const asked = await follower.next('approval:required');
    assert.deepEqual(asked.context?.['env'], { NODE_OPTIONS: '--require evil' });
    assert.equal(asked.prompt, 'Demo wants to run node -v with NODE_OPTIONS set');
    assert.deepEqual(asked.options, ['Allow once', 'Always allow in this conversation', 'Always allow', 'Deny']);
    await session.cancel();
    assert.match(errors.join(), /was not run/);
    assert.equal(follower.all('approval:denied').length, 1);
  });
});
