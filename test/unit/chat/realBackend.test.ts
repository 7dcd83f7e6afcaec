import assert from 'node:assert/strict';
import { RequestError } from '@agentclientprotocol/sdk';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackendRegistry } from '../../../src/session/common/backendRegistry';
import type { AcpBackend } from '../../../src/acp/node/session/acpBackend';
import { toDisposable } from '../../../src/base/common/disposable';
import * as z from 'zod';
import { backendOf } from '../../fake/backendHarness';
import { basics, type Script } from '../../fake/acp/scriptedAgent';
import { onV2Prompt, v2BackendOf, v2Basics, v2Capabilities } from '../../fake/acp/scriptedV2Agent';
import { printsText, writesByItself } from '../../fake/acp/workingAgents';
import { until } from '../../support/eventually';
import { draft, outline, Window, rowsFound } from './support/window';

/** Answers with the words it got; "wait" waits until it is cancelled. */
const echo: Script = (app) => {
  basics(app);
  let cancelled: () => void = () => undefined;
  app.onNotification('session/cancel', () => cancelled());
  app.onRequest('session/prompt', async ({ params, client }) => {
    const text = params.prompt.map((block) => (block.type === 'text' ? block.text : block.type)).join(' ');
    const update = { sessionUpdate: 'agent_message_chunk' as const, content: { type: 'text' as const, text } };
    await client.notify('session/update', { sessionId: params.sessionId, update });
    if (text !== 'wait') return { stopReason: 'end_turn' };
    await new Promise<void>((resolve) => (cancelled = resolve));
    return { stopReason: 'cancelled' };
  });
};

function registryOf(backend: AcpBackend): BackendRegistry {
  const { id, title } = backend;
  return {
    onDidChange: () => toDisposable(() => undefined),
    list: () => Promise.resolve([{ id, title, source: 'demo' as const, description: '' }]),
    open: () => Promise.resolve(backend),
  };
}

describe('A conversation with an ACP agent', () => {
  it('sends prompts, is stopped and continues', async () => {
    const { backend } = backendOf(echo);
    const window = await Window.open({ backends: registryOf(backend) });
    const chat = await window.chats.create(backend.id);
    await chat.send(draft('wait'));
    await chat.send(draft('queued'));
    await until('the text', () => outline(chat).includes('answer: wait'));
    await chat.stop();
    assert.equal(chat.view.queue.length, 1);
    await chat.send(draft('two'));
    await until(
      'the queued one, after the second',
      () => outline(chat).at(-1) === 'end: completed' && chat.sentPromptTexts.length === 3,
    );
    assert.deepEqual(outline(chat), [
      'prompt: wait',
      'answer: wait',
      'end: cancelled',
      'prompt: two',
      'answer: two',
      'end: completed',
      'prompt: queued',
      'answer: queued',
      'end: completed',
    ]);
    await window.remove();
    backend.dispose();
  });

  it('shows command output sent as text as a terminal', async () => {
    const output = '\u001b[32mok\u001b[0m\n  two\n';
    const { backend } = backendOf(printsText('npm test', 'Run the tests', output));
    const window = await Window.open({ backends: registryOf(backend) });
    const chat = await window.chats.create(backend.id);
    await chat.send(draft('go'));
    await until('the end', () => outline(chat).includes('end: completed'));
    const entry = [...chat.transcript.entries()].find(({ kind }) => kind === 'tool');
    assert.ok(entry?.kind === 'tool');
    assert.deepEqual([entry.title, entry.state], ['npm test (Run the tests)', 'done']);
    assert.deepEqual(entry.parts, [{ type: 'terminal', command: 'npm test', output }]);
    await window.remove();
    backend.dispose();
  });

  it('shows a change that the agent has written itself', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'backline-own-'));
    const path = join(folder, 'a.txt');
    await writeFile(path, 'one\n');
    const { backend } = backendOf(writesByItself(path, 'one\n', 'two\n'));
    const window = await Window.open({ backends: registryOf(backend) });
    const chat = await window.chats.create(backend.id);
    await chat.send(draft('go'));
    await until('the end', () => outline(chat).includes('end: completed'));
    const entry = [...chat.transcript.entries()].find(({ kind }) => kind === 'tool');
    assert.ok(entry?.kind === 'tool');
    const [diff] = entry.parts;
    assert.deepEqual([entry.state, diff?.type === 'diff' && diff.path], ['done', path]);
    assert.equal(await readFile(path, 'utf8'), 'two\n');
    await window.remove();
    backend.dispose();
    await rm(folder, { recursive: true });
  });

  it('sends a summary after the agent crashed, and continues in its new session', async () => {
    const prompts: string[] = [];
    const { backend } = backendOf((app, process, nth) => {
      app.onRequest('session/new', () => ({ sessionId: `start-${nth}` }));
      app.onRequest('session/list', () => ({ sessions: [{ sessionId: `start-${nth}`, cwd: '/ws', title: 'Hello' }] }));
      basics(app, { agentCapabilities: { sessionCapabilities: { list: {} } } });
      app.onRequest('session/prompt', ({ params }) => {
        const text = params.prompt.map((block) => (block.type === 'text' ? block.text : block.type)).join('|');
        prompts.push(text);
        if (text !== 'crash') return { stopReason: 'end_turn' };
        process.crash('');
        return new Promise(() => undefined);
      });
    });
    const window = await Window.open({ backends: registryOf(backend) });
    const chat = await window.chats.create(backend.id);
    for (const [index, words] of ['My name is Ada', 'crash', 'Who am I?'].entries()) {
      await chat.send(draft(words));
      await until(words, () => outline(chat).filter((line) => line.startsWith('end: ')).length === index + 1);
    }
    assert.equal(prompts.length, 3);
    assert.match(prompts[2] ?? '', /User: My name is Ada[^]*User: crash[^]*\|Who am I\?$/);
    assert.ok(!prompts[2]?.includes('User: Who am I?'));
    const notices = outline(chat).filter((line) => line.startsWith('notice: '));
    assert.equal(notices.filter((line) => line.includes('doesn’t remember')).length, 1);
    assert.ok(notices.some((line) => line.includes('A summary of the conversation was sent with your prompt')));
    await until('the new name', () => window.store.heads[0]?.remoteId === 'start-2');
    assert.equal((await rowsFound(window.chats, '')).length, 1, 'it is not listed again as one that the agent keeps');
    await window.remove();
    backend.dispose();
  });

  /** As agents answer that offer `session/fork` and cannot do it. */
  const failsToFork = (): never => {
    throw new RequestError(-32603, 'Internal error');
  };
  const agentsThatFailToFork: Readonly<Record<string, (forks: string[], prompts: string[]) => AcpBackend>> = {
    '1': (forks, prompts) =>
      backendOf((app) => {
        app.onRequest('session/fork', z.looseObject({ sessionId: z.string() }), ({ params }) => {
          forks.push(params.sessionId);
          return failsToFork();
        });
        app.onRequest('session/prompt', ({ params }) => {
          prompts.push(`${params.sessionId} ${JSON.stringify(params.prompt)}`);
          return { stopReason: 'end_turn' };
        });
        basics(app, { agentCapabilities: { loadSession: true, sessionCapabilities: { fork: {} } } });
      }).backend,
    '2': (forks, prompts) =>
      v2BackendOf((app) => {
        app.onRequest('session/fork', z.looseObject({ sessionId: z.string() }), ({ params }) => {
          forks.push(params.sessionId);
          return failsToFork();
        });
        onV2Prompt(app, async (teller, prompt) => {
          prompts.push(`${teller.sessionId} ${JSON.stringify(prompt)}`);
          await teller.idle('end_turn');
        });
        v2Basics(app, { capabilities: { session: { ...v2Capabilities.session, fork: {} } } });
      }).backend,
  };
  for (const [version, start] of Object.entries(agentsThatFailToFork)) {
    it(`is forked with a new session and a summary if the agent fails to fork it, with version ${version}`, async () => {
      const [forks, prompts]: [string[], string[]] = [[], []];
      const backend = start(forks, prompts);
      const window = await Window.open({ backends: registryOf(backend) });
      const chat = await window.chats.create(backend.id);
      await chat.send(draft('My name is Ada'));
      await until('the end', () => outline(chat).includes('end: completed'));
      const fork = await window.chats.fork(chat.id);
      assert.deepEqual(forks, ['s1']);
      assert.match(
        outline(fork).at(-1) ?? '',
        /^notice: .*starts a new session and gets a summary with your next prompt\.$/,
      );
      await fork.send(draft('Who am I?'));
      await until(
        'the answer in the fork',
        () => outline(fork).filter((line) => line === 'end: completed').length === 2,
      );
      assert.equal(prompts.length, 2);
      assert.match(prompts[1] ?? '', /^s2 .*User: My name is Ada.*Who am I\?/);
      assert.ok(outline(fork).some((line) => line.includes('doesn’t remember this conversation. A summary was sent')));
      await window.remove();
      backend.dispose();
    });
  }
});
