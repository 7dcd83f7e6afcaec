import assert from 'node:assert/strict';
import type { SessionEvent } from '../../../../../src/session/common/sessionEvents';
import { replayThreadAsEvents } from '../../../../../src/acp/common/draft/draftHistory';
import type { Message, ThreadEntry } from '../../../../../src/acp/common/draft/draftSchema';
import { MemoryThreads, type MemoryThreadsOptions } from '../../../../../src/acp/common/draft/draftThreads';
import { FileVersions } from '../../../../../src/acp/common/draft/fileVersions';
import { normalized } from '../../../../support/normalized';

const says = (role: Message['role'], text: string): Message => ({ role, chunks: [{ type: 'text', chunk: text }] });
const entry = (role: Message['role'], text: string): ThreadEntry => ({ type: 'message', ...says(role, text) });

describe('threads in memory', () => {
  function open(options: Partial<MemoryThreadsOptions> = {}) {
    let ids = 0;
    let nowMs = Date.UTC(2025, 5, 25);
    return new MemoryThreads({ now: () => (nowMs += 1000), createId: () => `t${++ids}`, ...options });
  }

  it('are listed newest first, with the first words of the user as title', async () => {
    const threads = open();
    await threads.createThread();
    await threads.createThread();
    await threads.sendMessage('t1', says('user', 'Fix it\nplease'));
    assert.deepEqual(await threads.getThreads(), [
      { id: 't1', title: 'Fix it', modifiedAt: '2025-06-25T00:00:03.000Z' },
      { id: 't2', title: 'New thread', modifiedAt: '2025-06-25T00:00:02.000Z' },
    ]);
  });

  it('make room for others, but not while a session works on them', async () => {
    const threads = open({ maxThreads: 2, isThreadOpen: (id) => id === 't1' });
    for (let count = 0; count < 3; count++) await threads.createThread();
    assert.deepEqual(
      ['t1', 't2', 't3'].filter((id) => threads.has(id)),
      ['t1', 't3'],
    );
  });

  it('gather what is streamed into one message, and files between messages', async () => {
    const threads = open();
    const id = await threads.createThread();
    await threads.sendMessage(id, says('user', 'hi'));
    await threads.streamMessageChunk(id, { type: 'text', chunk: 'He' });
    await threads.streamMessageChunk(id, { type: 'text', chunk: 'llo' });
    threads.didReadFile(id, '/a', 'text');
    threads.didReadFile('elsewhere', '/a', 'text');
    await threads.streamMessageChunk(id, { type: 'text', chunk: 'Done' });
    assert.deepEqual(await threads.getThreadEntries(id), [
      entry('user', 'hi'),
      entry('assistant', 'Hello'),
      { type: 'readFile', path: '/a', content: 'text' },
      entry('assistant', 'Done'),
    ]);
  });

  it('are unknown by any other name', async () => {
    const threads = open();
    for (const attempt of [
      threads.openThread('x'),
      threads.getThreadEntries('x'),
      threads.sendMessage('x', says('user', '')),
      threads.streamMessageChunk('x', { type: 'text', chunk: '' }),
    ]) {
      await assert.rejects(attempt, /no thread 'x'/);
    }
  });

  it('stay bounded: the oldest entries and the least recent threads go', async () => {
    const threads = open({ maxUnitsPerThread: 10, maxThreads: 2 });
    const id = await threads.createThread();
    for (const text of ['123456', 'abcdef', '!']) await threads.sendMessage(id, says('user', text));
    assert.deepEqual(await threads.getThreadEntries(id), [entry('user', 'abcdef'), entry('user', '!')]);
    await threads.createThread();
    await threads.sendMessage(id, says('user', '?'));
    await threads.createThread();
    assert.deepEqual(
      (await threads.getThreads()).map((thread) => thread.id),
      ['t3', 't1'],
    );
  });

  it('are listed and shown although another source fails, which is told', async () => {
    const gone = new Error('gone');
    const broken = { getThreads: () => Promise.reject(gone), getThreadEntries: () => Promise.reject(gone) };
    const good = {
      getThreads: () => Promise.resolve([]),
      getThreadEntries: () => Promise.resolve([entry('user', 'x')]),
    };
    const errors: unknown[] = [];
    const threads = open({ sources: [broken, good], onError: (error) => errors.push(error) });
    await threads.createThread();
    assert.deepEqual(
      (await threads.getThreads()).map(({ id }) => id),
      ['t1'],
    );
    assert.deepEqual(await threads.getThreadEntries('elsewhere'), [entry('user', 'x')]);
    assert.deepEqual(errors, [gone, gone]);
  });

  it('show those of other sources, which cannot be written to', async () => {
    const old = { id: 'amp', title: 'Old', modifiedAt: '2024-01-01T00:00:00Z' };
    const threads = open({
      sources: [
        {
          getThreads: () => Promise.resolve([old]),
          getThreadEntries: (id) => Promise.resolve(id === 'amp' ? [entry('user', 'once')] : undefined),
        },
      ],
    });
    await threads.createThread();
    assert.deepEqual(
      (await threads.getThreads()).map(({ id }) => id),
      ['t1', 'amp'],
    );
    assert.deepEqual(await threads.getThreadEntries('amp'), [entry('user', 'once')]);
    await assert.rejects(threads.sendMessage('amp', says('user', 'more')));
    await assert.rejects(threads.openThread('none'));
  });
});

describe('file versions', () => {
  it('increase when the text changes, and stay the same otherwise', () => {
    const versions = new FileVersions();
    const first = versions.versionNumberOf('/a', 'v1');
    assert.equal(versions.versionNumberOf('/a', 'v1'), first);
    const second = versions.versionNumberOf('/a', 'v2');
    assert.ok(second > first);
    assert.ok(versions.versionNumberOf('/a', 'v1') > second);
    assert.notEqual(versions.versionNumberOf('/b', 'v1'), versions.versionNumberOf('/c', 'v1'));
  });

  it('never decrease, even for an evicted file', () => {
    const versions = new FileVersions(2);
    const before = versions.versionNumberOf('/a', 'v1');
    const b = versions.versionNumberOf('/b', 'v1');
    assert.equal(versions.versionNumberOf('/a', 'v1'), before, 'asked for again, so the other one is the oldest');
    versions.versionNumberOf('/c', 'v1');
    assert.ok(versions.versionNumberOf('/b', 'v1') > b);
  });
});

describe('a thread told again', () => {
  const start: SessionEvent = { event: 'session:start', data: { session_id: 's' } };
  const told = (...entries: ThreadEntry[]): string[] =>
    normalized([start, ...replayThreadAsEvents('s', entries)])
      .slice(1)
      .map((event) => {
        if (event.event === 'prompt:submit')
          return `submit ${event.data.prompt} ${event.data.replayed === true ? 'again' : ''}`;
        if (event.event === 'prompt:complete') return `complete ${event.data.response}`;
        if (event.event === 'content_block:delta') return `${event.data.block_index} ${event.data.delta}`;
        return event.event;
      });

  it('ends each turn, also one without an answer', () => {
    const read: ThreadEntry = { type: 'readFile', path: '/a', content: 'x' };
    assert.deepEqual(
      told(entry('user', 'one'), entry('assistant', 'A'), read, entry('assistant', 'B'), entry('user', 'two')),
      [
        'submit one again',
        'content_block:start',
        '0 A',
        'content_block:end',
        'tool:pre',
        'tool:post',
        'content_block:start',
        '1 B',
        'content_block:end',
        'complete A\n\nB',
        'submit two again',
        'complete ',
      ],
    );
  });

  it('may begin with the assistant', () => {
    assert.deepEqual(told(entry('assistant', 'Hi')), [
      'content_block:start',
      '0 Hi',
      'content_block:end',
      'complete Hi',
    ]);
    assert.deepEqual(told(), []);
  });
});
