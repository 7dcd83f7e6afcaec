import assert from 'node:assert/strict';
import { imagePart } from '../../../../../src/threads/common/mapping/parts/images';
import type { MappedThread } from '../../../../../src/threads/common/mapping/mapThread';
import { answer, call, live, old, prompt, read, result, toolIn } from '../../support/mappedThreads';

describe('a call of a tool in a thread', () => {
  const bash = call('Bash', { cmd: 'make' });

  it('that is queued waits while the thread runs, and did not end when nobody writes any more', () => {
    const messages = [prompt('Go', 0), bash, result({ status: 'queued' })];
    assert.equal(toolIn(read(messages)).state, 'pending');
    assert.equal(toolIn(read(messages, old)).state, 'stale');
  });

  it('that was in progress in an earlier turn does not run, however new the file is', () => {
    const before = [prompt('Go', 0), bash, result({ status: 'in-progress', progress: { output: 'x' } })];
    assert.equal(toolIn(read(before)).state, 'running');
    assert.equal(toolIn(read([...before, prompt('Never mind', 3)])).state, 'stale');
  });

  it('that waits for the user waits however long that takes, but not in a turn that is over', () => {
    const asked = result({ status: 'blocked-on-user', reason: 'rm', toAllow: ['rm'] });
    const stopped = { ...bash, state: { type: 'cancelled' } };
    assert.equal(toolIn(read([prompt('Go', 0), bash, asked], old)).state, 'waiting');
    assert.equal(toolIn(read([prompt('Go', 0), stopped, asked])).state, 'cancelled');
    const lost = toolIn(read([prompt('Go', 0), bash, asked, prompt('Next', 3)]));
    assert.equal(lost.state, 'stale');
    assert.ok(lost.parts.some((part) => part.type === 'text' && part.text.startsWith('Waited')));
  });

  it('that waits for the user has made no plan yet', () => {
    const todos = call('todo_write', { todos: [{ content: 'x', status: 'todo' }] });
    assert.equal(toolIn(read([prompt('Go', 0), todos, result({ status: 'blocked-on-user' })])).state, 'waiting');
  });

  it('that reads the plan does not show it as a plan once more', () => {
    const items = [
      { id: '1', content: 'Read the code', status: 'completed' },
      { id: '2', content: 'Fix it', status: 'in-progress' },
      { id: '3', content: 'Test it', status: 'todo' },
    ];
    for (const name of ['todo_read', 'functions.todo_read']) {
      const reading = call(name, {});
      const { entries } = read([prompt('Go', 0), reading, result({ status: 'done', result: items })]);
      assert.deepEqual(
        entries.filter(({ kind }) => kind === 'todos'),
        [],
      );
      const { parts, state } = toolIn({ entries });
      assert.equal(state, 'done');
      assert.deepEqual(parts, [{ type: 'list', items: ['Read the code (done)', 'Fix it (in progress)', 'Test it'] }]);
    }
    const writing = call('todo_write', { todos: items });
    const { entries } = read([prompt('Go', 0), writing, result({ status: 'done', result: items })]);
    assert.equal(entries.filter(({ kind }) => kind === 'todos').length, 1);
  });

  it('has the last of its results, and the JSON of all of them', () => {
    const first = result({ status: 'in-progress' }, 2);
    const last = result({ status: 'done', result: { output: 'all built', exitCode: 0 } }, 3);
    const thread = read([prompt('Go', 0), bash, first, last]);
    const { id, parts, state } = toolIn(thread);
    assert.equal(state, 'done');
    assert.ok(parts[0]?.type === 'terminal' && parts[0].output === 'all built');
    const json = thread.rawJsonOf(id) ?? '';
    assert.ok(json.includes('in-progress') && json.includes('all built'));
  });

  it('names the files that were touched, each once', () => {
    const run = { status: 'done', result: 'ok', trackFiles: ['file:///a/b.ts', 'file:///a/c%20d.ts'] };
    const { locations } = toolIn(read([prompt('Go', 0), call('format_file', { path: '/a/b.ts' }), result(run)]));
    assert.deepEqual(locations, [{ path: '/a/b.ts' }, { path: '/a/c d.ts' }]);
  });

  it('that made a file shows it as a new one, also when its diff is in a fence', () => {
    const diff = '```diff\n--- a.ts\n+++ a.ts\n@@ -0,0 +1,2 @@\n+one\n+two\n```';
    for (const text of [diff, diff.slice('```diff\n'.length, -'\n```'.length)]) {
      const run = { status: 'done', result: { diff: text } };
      const input = { path: '/a.ts', content: 'one\ntwo\n' };
      const [part] = toolIn(read([prompt('Go', 0), call('create_file', input), result(run)])).parts;
      assert.ok(part?.type === 'diff');
      assert.deepEqual([part.change, part.added, part.hunks.length], ['created', 2, 1]);
    }
    const edit = { status: 'done', result: { diff } };
    const [part] = toolIn(read([prompt('Go', 0), call('edit_file', { path: '/a.ts' }), result(edit)])).parts;
    assert.ok(part?.type === 'diff' && part.hunks.length === 1);
  });

  it('of a subagent that the user refused was rejected', () => {
    const progress = [{ message: 'I try.', tool_uses: [{ tool_name: 'Bash', status: 'rejected-by-user', input: {} }] }];
    const run = { status: 'done', result: 'no', progress };
    assert.equal(toolIn(read([prompt('Go', 0), call('Task', { prompt: 'x' }), result(run)]), 1).state, 'rejected');
  });

  it('of a subagent does not run any more when the call of the subagent has ended, or its turn', () => {
    const task = call('Task', { prompt: 'x' });
    const nested = { ...call('Bash', { cmd: 'x' }, 2), parentToolUseId: 'c1', state: { type: 'streaming' } };
    const before = [prompt('Go', 0), task, nested];
    const states = (messages: readonly unknown[]): string => toolIn(read(messages), 1).state;
    assert.equal(states(before), 'running');
    assert.equal(states([...before, result({ status: 'in-progress' }, 3)]), 'running');
    assert.equal(states([...before, result({ status: 'done', result: 'x' }, 3)]), 'cancelled');
    assert.equal(states([prompt('Go', 0), { ...task, state: { type: 'cancelled' } }, nested]), 'cancelled');
    const deeper = { ...nested, messageId: 3, parentToolUseId: 'c2', content: call('Bash', {}, 3).content };
    const over = result({ status: 'done', result: 'x' }, 4);
    assert.equal(toolIn(read([...before, deeper]), 2).state, 'running');
    assert.equal(toolIn(read([...before, deeper, over]), 2).state, 'cancelled');
    const inProgress = { ...result({ status: 'in-progress' }, 5, 'c2'), parentToolUseId: 'c1' };
    assert.equal(states([...before, inProgress]), 'running');
    assert.equal(states([...before, inProgress, over]), 'stale');
    const again = { ...task, messageId: 5 };
    const thread = read([
      prompt('Go', 0),
      task,
      result({ status: 'done', result: 'x' }),
      again,
      { ...nested, messageId: 6 },
    ]);
    assert.deepEqual([toolIn(thread, 2).state, toolIn(thread, 2).parent], ['running', toolIn(thread, 1).id]);
  });
});

describe('what is hardly there in a thread', () => {
  it('is nothing when a text is empty, unless it is just being written', () => {
    const kinds = (messages: readonly unknown[]): readonly string[] => read(messages).entries.map(({ kind }) => kind);
    assert.deepEqual(kinds([prompt('Go', 0), answer('', 1)]), ['prompt', 'end']);
    assert.deepEqual(kinds([prompt('Go', 0), answer('', 1, 'streaming')]), ['prompt', 'answer']);
  });

  it('is no draft and no queued prompt when nothing is in it', () => {
    const more = { draft: [], queuedMessages: [{ id: 'q', queuedMessage: { content: [] } }, { queuedMessage: '' }] };
    assert.deepEqual(
      read([prompt('Go', 0)], live, more).entries.map(({ kind }) => kind),
      ['prompt'],
    );
  });

  it('is said of an image without data; a data URI says itself what it is', () => {
    const empty = imagePart({ data: '', mediaType: 'image/png' });
    assert.ok(empty?.type === 'text' && empty.text.includes('not in the file'));
    const gif = imagePart({ data: 'data:image/gif;base64,R0lG', mediaType: 'image/png' });
    assert.deepEqual(gif, { type: 'image', mimeType: 'image/gif', data: 'R0lG' });
  });

  it('is a stub only on this machine: an export of the account is whole', () => {
    const meta = { meta: { usesDtw: true } };
    assert.match(read([prompt('Go', 0)], live, meta).notes.join(), /ran on Amp’s server/);
    assert.deepEqual(read([prompt('Go', 0)], { ...live, source: 'cli' }, meta).notes, []);
    assert.deepEqual(read([prompt('Go', 0)], { ...live, source: 'file' }, meta).notes, []);
  });
});

describe('the last entries of a thread', () => {
  const turns = Array.from({ length: 20 }, (_, n) => [prompt(`Q${n}`, 2 * n), answer(`A${n}`, 2 * n + 1)]).flat();
  const more = { draft: [{ type: 'text', text: 'Next' }], queuedMessages: [{ queuedMessage: 'Then' }] };
  const ids = (thread: MappedThread, count: number): readonly string[] => thread.lastEntries(count).map(({ id }) => id);

  it('are made without the others, whole messages of them, in reading order', () => {
    const all = read(turns).entries.map(({ id }) => id);
    assert.deepEqual(ids(read(turns), 2), all.slice(-2));
    assert.deepEqual(ids(read(turns), 3), all.slice(-3));
    assert.deepEqual(ids(read(turns), 5), all.slice(-5));
    assert.deepEqual(ids(read(turns), 1_000), all);
  });

  it('are those that were not sent first, and count among them', () => {
    assert.deepEqual(ids(read(turns, live, more), 2), ['draft', 'queued.0']);
    assert.deepEqual(ids(read(turns, live, more), 3), ['m39.0', 'm39.end', 'draft', 'queued.0']);
  });

  it('are the same objects as in the whole', () => {
    const thread = read(turns, live, more);
    const last = thread.lastEntries(10);
    assert.ok(last.length >= 10);
    for (const entry of last) assert.ok(thread.entries.includes(entry), entry.id);
  });
});
