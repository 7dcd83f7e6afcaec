import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import * as path from 'node:path';
import { mapThreadJson } from '../../../../../src/threads/common/mapping/mapThreadJson';
import { ThreadError, type ThreadWithEntries } from '../../../../../src/threads/common/threadPorts';
import { addSubthreadSteps } from '../../../../../src/threads/common/subthreads/withSubthreads';
import { exportMetadata } from '../../../../../src/threads/common/heads/exportedHead';
import { exportTranscript } from '../../../../../src/transcript/common/export/exportTranscript';
import type { Entry } from '../../../../../src/transcript/common/entries';
import { answer, call, live, prompt, read, result, toolIn } from '../../support/mappedThreads';

const idOf = (n: number): string => `T-019be0a1-0000-7000-8000-${n.toString().padStart(12, '0')}`;

function fixture(name: string): ThreadWithEntries {
  const file = path.join(process.cwd(), 'test/fixtures/threads', `${name}.thread.json`);
  return mapThreadJson(JSON.parse(readFileSync(file, 'utf8')), live);
}

/** A thread whose only call started the thread `inner`. */
function starting(id: string, inner: string): ThreadWithEntries {
  const messages = [
    prompt('Go', 0),
    call('Task', { prompt: 'Go' }),
    result({ status: 'done', progress: { threadID: inner } }),
  ];
  return read(messages, live, { id });
}

const reads: string[] = [];
function reader(threads: readonly ThreadWithEntries[]): (threadId: string) => Promise<ThreadWithEntries> {
  reads.length = 0;
  return (threadId) => {
    reads.push(threadId);
    const found = threads.find(({ head }) => head.id === threadId);
    return found
      ? Promise.resolve(found)
      : Promise.reject(new ThreadError('notFound', `There is no thread ${threadId}.`));
  };
}

const notes = (entries: readonly Entry[]): readonly string[] =>
  entries.flatMap((entry) => (entry.kind === 'notice' ? [entry.text] : []));

describe('a subagent with a thread of its own', () => {
  it('is linked from its call, also while it runs', () => {
    for (const status of ['in-progress', 'done']) {
      const progress = { threadID: idOf(2) };
      const tool = toolIn(read([prompt('Go', 0), call('Task', {}), result({ status, progress })]));
      assert.equal(tool.subthread, idOf(2));
      assert.deepEqual(tool.parts, [
        { type: 'link', uri: `https://ampcode.com/threads/${idOf(2)}`, title: `Subagent thread ${idOf(2)}` },
      ]);
    }
  });

  it('has no link for an invalid thread id', () => {
    for (const threadID of [7, '', 'T-1', `${idOf(2)}0`, `../${idOf(2)}`]) {
      const tool = toolIn(
        read([prompt('Go', 0), call('Task', {}), result({ status: 'done', progress: { threadID } })]),
      );
      assert.equal(tool.subthread, undefined, String(threadID));
      assert.equal(tool.parts[0]?.type, 'json');
    }
  });

  it('names the thread that it is a part of', () => {
    const { facts, notes: said } = fixture('18-subthread');
    const parent = fixture('18-subthread-parent').head.id;
    assert.deepEqual(facts.at(-1), { label: 'Subthread of', value: parent });
    assert.ok(said.some((note) => note.includes(parent)));
  });

  it('is exported as steps of its call; one that is missing or the thread itself is said in words', async () => {
    const parent = fixture('18-subthread-parent');
    const { entries } = await addSubthreadSteps(parent, reader([fixture('18-subthread'), parent]));
    const steps = entries.filter((entry) => entry.parent === 'm1.0');
    assert.deepEqual(
      steps.map(({ id, kind, turn }) => ({ id, kind, turn })),
      ['thinking', 'answer', 'tool', 'answer'].map((kind, index) => ({
        id: index < 3 ? `m1.0>m1.${index}` : 'm1.0>m3.0',
        kind,
        turn: 1,
      })),
    );
    assert.deepEqual(notes(entries), [
      `This subagent’s thread can’t be read. There is no thread ${idOf(19)}.`,
      'This subagent’s thread contains itself.',
    ]);
    for (const format of ['markdown', 'html', 'json'] as const) {
      const text = exportTranscript({ title: 'T', agentName: 'Amp' }, entries, format);
      for (const said of ['I search for it.', 'There is no thread', `threads/${idOf(19)}`])
        assert.ok(text.includes(said), `${format}: ${said}`);
    }
  });

  it('stays in the JSON export when that is opened, and is not read again', async () => {
    const parent = fixture('18-subthread-parent');
    const whole = await addSubthreadSteps(parent, reader([fixture('18-subthread')]));
    const about = { title: 'T', agentName: 'Amp', thread: exportMetadata(whole) };
    const opened = mapThreadJson(JSON.parse(exportTranscript(about, whole.entries, 'json')), live);
    assert.deepEqual(opened.entries, whole.entries);
    assert.deepEqual((await addSubthreadSteps(opened, reader([]))).entries, opened.entries);
    assert.deepEqual(reads, []);
  });

  it('ends in every loop and at some depth', async () => {
    const ring = [starting(idOf(1), idOf(2)), starting(idOf(2), idOf(1))];
    const [first] = ring;
    assert.ok(first);
    assert.deepEqual(notes((await addSubthreadSteps(first, reader(ring))).entries), [
      'This subagent’s thread contains itself.',
    ]);
    const chain = Array.from({ length: 20 }, (_, n) => starting(idOf(n), idOf(n + 1)));
    const { entries } = await addSubthreadSteps(starting(idOf(0), idOf(1)), reader(chain));
    assert.equal(reads.length, 3);
    assert.deepEqual(notes(entries), ['This subagent is nested too deeply to show here. Open its thread.']);
  });

  it('is replaced by a notice if there are too many or too large subthreads', async () => {
    const calls = Array.from({ length: 3_000 }, (_, n) => [
      call('Task', {}, 2 * n + 1),
      result({ status: 'done', progress: { threadID: idOf(n + 1) } }, 2 * n + 2, `c${2 * n + 1}`),
    ]);
    const parent = read([prompt('Go', 0), ...calls.flat()], live, { id: idOf(0) });
    const said = (n: number): ThreadWithEntries => read([answer('x'.repeat(1_000), 0)], live, { id: idOf(n) });
    const all = reader(Array.from({ length: 200 }, (_, n) => said(n + 1)));
    const many = (await addSubthreadSteps(parent, all)).entries;
    assert.equal(reads.length, 100);
    assert.equal(notes(many).length, 2_900);
    const long = (await addSubthreadSteps(parent, all, { threads: 10, units: 5_000, failures: 5 })).entries;
    assert.equal(notes(long).length, 3_000 - 4);
    let tries = 0;
    const offline = (): Promise<ThreadWithEntries> => {
      tries++;
      return Promise.reject(new ThreadError('offline', 'There is no network.'));
    };
    assert.equal(notes((await addSubthreadSteps(parent, offline)).entries).length, 3_000);
    assert.equal(tries, 5);
  });

  it('shows the last of its steps when there are very many, with parents that are there', async () => {
    const turns = Array.from({ length: 2_500 }, (_, n) => answer(`Answer ${n}`, n));
    const parent = starting(idOf(1), idOf(2));
    const { entries } = await addSubthreadSteps(parent, reader([read(turns, live, { id: idOf(2) })]));
    const [left] = notes(entries);
    assert.match(left ?? '', /^The first \d+ steps are not shown here\. Open the subagent’s thread to see them\.$/);
    assert.ok(entries.length < 2_010);
    const ids = new Set(entries.map(({ id }) => id));
    assert.equal(ids.size, entries.length);
    for (const { parent: of } of entries) assert.ok(of === undefined || ids.has(of));
  });
});
