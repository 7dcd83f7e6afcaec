import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { Emitter } from '../../../../src/base/common/event';
import { nullLogger } from '../../../../src/base/common/log';
import type { AgentExit } from '../../../../src/acp/node/agentProcess';
import { DraftBackend } from '../../../../src/acp/node/draftBackend';
import type { DraftSession } from '../../../../src/acp/node/draftSession';
import { BackendError } from '../../../../src/amplifier/common/sessionBackend';
import { TrafficLog } from '../../../../src/wire/common/traffic';
import { duplexPair } from '../../../fake/duplex';
import { FakeClock } from '../../../fake/fakeClock';
import { Follower, noRules } from '../../../fake/backendHarness';
import { FakeEditor } from '../../../fake/fakeEditor';
import { RawPeer } from '../../../fake/rawPeer';

const options = { cwd: '/ws' };
const says = (role: string, text: string) => ({ role, chunks: [{ type: 'text', chunk: text }] });
const text = (chunk: string) => ({ type: 'text', chunk });

const isBackendError = (code: string) => (error: unknown) => error instanceof BackendError && error.code === code;

describe('the draft backend', () => {
  const tap = new TrafficLog(
    () => 0,
    1000,
    () => undefined,
  );
  let agents: RawPeer[];
  let stops: number;
  /** Settles when an agent that is being stopped is gone. */
  let stopping: Promise<void>;
  let kills: number;
  let backend: DraftBackend;
  let clock: FakeClock;
  let editor: FakeEditor;
  /** What each agent can do as soon as it is started. */
  let prepare: (agent: RawPeer) => void;

  beforeEach(() => {
    agents = [];
    stops = 0;
    stopping = Promise.resolve();
    kills = 0;
    clock = new FakeClock();
    editor = new FakeEditor({ '/ws/a.ts': 'a' });
    let ids = 0;
    backend = new DraftBackend({
      id: 'old',
      title: 'Old agent',
      startAgent: () => {
        const [ours, theirs] = duplexPair();
        const agent = new RawPeer(theirs);
        agents.push(agent);
        prepare(agent);
        const exits = new Emitter<AgentExit>(() => undefined);
        theirs.onDidClose(() => exits.fire({ code: 139, signal: null, lastWords: '' }));
        return Promise.resolve({
          stream: ours,
          onDidExit: exits.event,
          lastWords: () => 'Segmentation fault',
          stop: () => {
            stops++;
            return stopping;
          },
          killNow: () => {
            kills++;
          },
        });
      },
      editor,
      rules: noRules,
      clock,
      createId: () => `id-${++ids}`,
      breathe: () => setImmediate(),
      tap,
      log: nullLogger,
    });
  });

  afterEach(() => backend.stop());

  function agentAt(index: number): RawPeer {
    const agent = agents[index];
    assert.ok(agent);
    return agent;
  }

  async function open(): Promise<{ agent: RawPeer; session: DraftSession; follower: Follower }> {
    const session = await backend.createSession(options);
    return { agent: agentAt(agents.length - 1), session, follower: new Follower(session) };
  }

  describe('with an agent of the original code', () => {
    /** Ends the running turn. */
    let endTurn: (answer: Record<string, unknown>) => void;

    beforeEach(() => {
      prepare = (agent) => {
        agent.answers.set('createThread', () => ({ result: { threadId: 'theirs' } }));
        agent.answers.set('sendMessage', () => new Promise((resolve) => (endTurn = resolve)));
      };
    });

    const chunk = (words: string) => ({ threadId: 'theirs', chunk: text(words) });

    it('streams its answer, which ends with the result', async () => {
      const { agent, session, follower } = await open();
      assert.equal(session.id, 'theirs');
      await session.prompt({ text: 'hi' });
      assert.equal(session.isBusy, true);
      assert.deepEqual(await agent.take('sendMessage'), { threadId: 'theirs', message: says('user', 'hi') });
      assert.deepEqual((await agent.ask('streamMessageChunk', chunk('Hel')))['result'], null);
      await agent.ask('streamMessageChunk', chunk('lo'));
      endTurn({ result: null });
      const done = await follower.next('prompt:complete');
      assert.equal(done.response, 'Hello');
      assert.equal(done.stop_reason, 'end_turn');
      assert.equal(session.isBusy, false);
      assert.deepEqual(follower.names, [
        'session:start',
        'prompt:submit',
        'content_block:start',
        'content_block:delta',
        'content_block:delta',
        'content_block:end',
        'prompt:complete',
      ]);
    });

    it('shows what it reads as the call of a tool', async () => {
      const { agent, session, follower } = await open();
      await session.prompt({ text: 'read' });
      await agent.take('sendMessage');
      await agent.ask('streamMessageChunk', chunk('I look'));
      await agent.ask('readTextFile', { threadId: 'theirs', path: '/ws/a.ts' });
      await agent.ask('streamMessageChunk', chunk('It is a'));
      endTurn({ result: null });
      await follower.next('prompt:complete');
      assert.deepEqual(follower.all('tool:pre')[0]?.locations, [{ path: '/ws/a.ts' }]);
      assert.deepEqual(follower.all('tool:post')[0]?.result, { success: true, output: 'a' });
      assert.deepEqual(
        follower.all('content_block:start').map(({ block_index }) => block_index),
        [0, 1],
      );
    });

    it('is stopped here at once; what it still says is dropped, and the next prompt waits for its end', async () => {
      const { agent, session, follower } = await open();
      await session.prompt({ text: 'long' });
      await agent.take('sendMessage');
      await agent.ask('streamMessageChunk', chunk('I beg'));
      await session.cancel();
      assert.equal((await follower.next('prompt:complete')).stop_reason, 'cancelled');

      await session.prompt({ text: 'next' });
      assert.deepEqual((await agent.ask('streamMessageChunk', chunk('in with')))['result'], null);
      assert.ok(!agent.requests.some(({ method }) => method === 'sendMessage'), 'the second prompt waits');
      endTurn({ result: null });
      await agent.take('sendMessage');
      await agent.ask('streamMessageChunk', chunk('Yes'));
      endTurn({ result: null });
      assert.equal((await follower.next('prompt:complete', 2)).response, 'Yes');
      assert.ok(!JSON.stringify(follower.events).includes('in with'));
      const kept = await agent.ask('getThreadEntries', { threadId: 'theirs' });
      assert.ok(!JSON.stringify(kept).includes('in with'));
    });

    it('that never finishes a stopped turn gives an error with the way out', async () => {
      const { agent, session, follower } = await open();
      await session.prompt({ text: 'long' });
      await agent.take('sendMessage');
      await session.cancel();
      await session.prompt({ text: 'next' });
      clock.advance(30_000);
      assert.match((await follower.next('error')).error, /Restart it/);
      assert.equal(session.isBusy, false);
    });

    it('can be stopped before it was given the prompt', async () => {
      const { agent, session, follower } = await open();
      await session.prompt({ text: 'long' });
      await agent.take('sendMessage');
      await session.cancel();
      await session.prompt({ text: 'never sent' });
      await session.cancel();
      endTurn({ result: null });
      await session.prompt({ text: 'third' });
      assert.deepEqual(await agent.take('sendMessage'), { threadId: 'theirs', message: says('user', 'third') });
      endTurn({ result: null });
      await follower.next('prompt:complete', 3);
    });

    it('takes one prompt at a time, text only, with files by name', async () => {
      const { agent, session } = await open();
      const image = { type: 'image' as const, mimeType: 'image/png', data: '' };
      await assert.rejects(session.prompt({ text: '', attachments: [image] }), isBackendError('unsupported'));
      await session.prompt({
        text: 'look',
        attachments: [
          { type: 'file', path: '/ws/a.ts', lines: { first: 2, last: 3 } },
          { type: 'text', uri: 'x:1', title: 'Note', text: 'noted' },
        ],
      });
      const message = says('user', 'look\n\nFile: /ws/a.ts (lines 2 to 3)\n\nNote (x:1):\nnoted');
      assert.deepEqual(await agent.take('sendMessage'), { threadId: 'theirs', message });
      await assert.rejects(session.prompt({ text: 'more' }), isBackendError('busy'));
      endTurn({ result: null });
    });

    it('ends a turn with its error', async () => {
      const { agent, session, follower } = await open();
      await session.prompt({ text: 'hi' });
      await agent.take('sendMessage');
      endTurn({ error: { code: -32603, message: 'Quota exceeded' } });
      assert.equal((await follower.next('error')).error, 'Quota exceeded');
      assert.equal(session.isBusy, false);
    });

    it('offers the diff in its answer before the turn ends; stopping withdraws the question', async () => {
      const { agent, session, follower } = await open();
      const diff = '```diff\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-a\n+b\n```\n';
      for (const apply of [true, false]) {
        await session.prompt({ text: 'change' });
        await agent.take('sendMessage');
        await agent.ask('streamMessageChunk', chunk(diff));
        endTurn({ result: null });
        const { approval_id } = await follower.next('approval:required', apply ? 1 : 2);
        assert.equal(session.isBusy, true);
        if (!apply) await editor.writeText('/ws/a.ts', 'a');
        await (apply ? session.approve(approval_id, 'Apply') : session.cancel());
        const done = await follower.next('prompt:complete', apply ? 1 : 2);
        assert.equal(done.stop_reason, apply ? 'end_turn' : 'cancelled');
        assert.equal(follower.names.at(-1), 'prompt:complete');
        assert.equal((await editor.readText('/ws/a.ts')).text, apply ? 'b' : 'a');
        await assert.rejects(session.approve(approval_id, 'Apply'), isBackendError('approvalResolved'));
        await editor.writeText('/ws/a.ts', 'a');
      }
    });

    it('lists and loads its threads', async () => {
      const modifiedAt = '2025-06-25T00:00:00Z';
      prepare = (agent) => {
        agent.answers.set('getThreads', () => ({ result: { threads: [{ id: 'past', title: 'Past', modifiedAt }] } }));
        agent.answers.set('openThread', () => ({ result: null }));
        const entries = [
          { type: 'message', ...says('user', 'q') },
          { type: 'readFile', path: '/a', content: 'c' },
          { type: 'message', ...says('assistant', 'a') },
        ];
        agent.answers.set('getThreadEntries', () => ({ result: { entries } }));
      };
      assert.deepEqual(await backend.listSessions(), [{ id: 'past', title: 'Past', updatedAt: modifiedAt }]);
      const session = await backend.loadSession('past', options);
      const follower = new Follower(session);
      assert.equal((await follower.next('prompt:complete')).response, 'a');
      assert.equal(follower.all('prompt:submit')[0]?.replayed, true);
      assert.equal(follower.all('tool:post').length, 1);
      assert.equal(await backend.loadSession('past', options), session, 'a thread that is open is the same session');
      await assert.rejects(backend.deleteSession(), isBackendError('unsupported'));
    });

    it('that dies ends its turn and session, and is started again', async () => {
      const { agent, session, follower } = await open();
      await session.prompt({ text: 'hi' });
      await agent.take('sendMessage');
      agent.close();
      await follower.ended;
      assert.deepEqual(follower.names.slice(-2), ['error', 'session:end']);
      assert.equal(follower.all('error')[0]?.details, 'Segmentation fault');
      assert.equal(backend.state.kind, 'failed');
      assert.equal(stops, 1);
      await assert.rejects(session.prompt({ text: 'more' }), isBackendError('closed'));
      await open();
      assert.equal(agents.length, 2);
      assert.equal(backend.state.kind, 'ready');
    });

    it('is killed when it is disposed while it is still being stopped', async () => {
      await open();
      let sayGone = (): void => undefined;
      stopping = new Promise((resolve) => (sayGone = resolve));
      const stopped = backend.stop();
      while (stops === 0) await setImmediate();
      backend.dispose();
      assert.equal(kills, 1);
      sayGone();
      await stopped;
    });

    it('is killed at once when it is disposed', async () => {
      const { follower } = await open();
      backend.dispose();
      await follower.ended;
      assert.equal(kills, 1);
    });

    it('shows in the traffic by names, sizes and times, not by what is said', async () => {
      const watching = tap.open();
      const { agent, session, follower } = await open();
      await session.prompt({ text: 'secret' });
      await agent.take('sendMessage');
      await agent.ask('streamMessageChunk', chunk('secret'));
      endTurn({ error: { code: -32603, message: 'secret' } });
      await follower.next('error');
      const seen = tap.recorded.map(({ direction, method, error }) => [direction, method, error]);
      assert.deepEqual(seen, [
        ['out', 'createThread', undefined],
        ['in', 'createThread', undefined],
        ['out', 'sendMessage', undefined],
        ['in', 'streamMessageChunk', undefined],
        ['out', 'streamMessageChunk', undefined],
        ['in', 'sendMessage', -32603],
      ]);
      assert.ok(!JSON.stringify(tap.recorded).includes('secret'));
      watching.dispose();
    });

    it('that never answers is not waited for beyond its start', async () => {
      prepare = () => undefined;
      const created = backend.createSession(options);
      while (agents.length === 0) await setImmediate();
      await agentAt(0).take('createThread');
      clock.advance(120_000);
      await assert.rejects(created, isBackendError('timeout'));
      assert.equal(clock.pending, 0);
    });
  });

  describe('with an agent of the document’s reading', () => {
    beforeEach(() => {
      prepare = (agent) => {
        agent.answers.set('createThread', () => ({
          error: { code: -32601, message: "Method not found - 'createThread'" },
        }));
        agent.answers.set('streamMessageChunk', () => ({ result: null }));
      };
    });

    it('keeps the thread, streams the prompt, and takes a message as the answer', async () => {
      const { agent, session, follower } = await open();
      await session.prompt({ text: 'hi' });
      const threadId = session.id;
      assert.deepEqual(await agent.take('streamMessageChunk'), { threadId, chunk: text('hi') });
      await agent.ask('openThread', { threadId });
      assert.deepEqual((await agent.ask('getThreadEntries', { threadId }))['result'], {
        entries: [{ type: 'message', ...says('user', 'hi') }],
      });
      await agent.ask('sendMessage', { threadId, message: says('assistant', 'Hello') });
      assert.equal((await follower.next('prompt:complete')).response, 'Hello');
      assert.deepEqual(
        (await backend.listSessions()).map(({ id, title }) => [id, title]),
        [[threadId, 'hi']],
      );
      await session.close();
      const again = new Follower(await backend.loadSession(threadId, options));
      assert.equal((await again.next('prompt:complete')).response, 'Hello');
    });

    it('is known by its asking for threads', async () => {
      prepare = (agent) => void agent.ask('getThreads', null);
      await backend.capabilities();
      await setImmediate();
      const { agent, session } = await open();
      assert.equal(agent.requests.length, 0, 'it was not asked for a thread');
      assert.deepEqual((await agent.ask('getThreads', null))['result'], {
        threads: [{ id: session.id, title: 'New thread', modifiedAt: '1970-01-01T00:00:00.000Z' }],
      });
    });

    it('may speak without being asked, but not to a prompt that was stopped', async () => {
      const { agent, session, follower } = await open();
      const say = (words: string) =>
        agent.ask('sendMessage', { threadId: session.id, message: says('assistant', words) });
      await say('By the way');
      await follower.next('content_block:end');
      await session.prompt({ text: 'hi' });
      await agent.take('streamMessageChunk');
      await session.cancel();
      await say('too late');
      await say('But');
      await follower.next('content_block:end', 2);
      assert.deepEqual(
        follower.all('content_block:delta').map(({ delta }) => delta),
        ['By the way', 'But'],
      );
    });

    it('opens no thread that is not kept', async () => {
      await open();
      await assert.rejects(backend.loadSession('none', options), isBackendError('notFound'));
    });

    it('leaves nothing pending when it is stopped', async () => {
      const { session, follower } = await open();
      await session.prompt({ text: 'hi' });
      await backend.stop();
      await follower.ended;
      assert.deepEqual(follower.names.slice(-2), ['error', 'session:end']);
      assert.equal(backend.state.kind, 'stopped');
      assert.equal(clock.pending, 0);
    });
  });
});
