import assert from 'node:assert/strict';
import type { Entry } from '../../../src/transcript/common/entries';
import { TranscriptPatch } from '../../../src/transcript/common/patch';
import { TranscriptDocument } from '../../../src/transcript/common/transcriptDocument';
import { trimEntry } from '../../../src/transcript/common/trim';

const answer = (id: string, text = id): Entry => ({ kind: 'answer', id, turn: 1, text });

describe('a transcript', () => {
  let document: TranscriptDocument;
  beforeEach(() => {
    document = new TranscriptDocument((error) => {
      throw error;
    });
    for (const id of ['a', 'b', 'c']) document.put(answer(id));
  });

  it('tells a new page its end, and then only what is new', () => {
    const feed = document.feed(2);
    assert.deepEqual(feed.take(), { reset: true, put: [answer('b'), answer('c')], before: 1 });
    assert.equal(feed.hasNews, false);
    document.append('c', '!');
    document.append('c', '?');
    assert.ok(feed.hasNews);
    assert.deepEqual(feed.take(), { append: [{ id: 'c', text: '!?' }], before: 1 });
  });

  it('does not append what it puts', () => {
    const feed = document.feed(9);
    feed.take();
    document.append('c', '!');
    document.put(answer('c', 'whole'));
    document.append('c', '?');
    assert.deepEqual(feed.take(), { put: [answer('c', 'whole?')], before: 0 });
  });

  it('shows older entries on demand', () => {
    const feed = document.feed(1);
    feed.take();
    feed.showOlder(1);
    assert.deepEqual(feed.take(), { older: [answer('b')], before: 1 });
  });

  it('takes entries away, and says how many are before', () => {
    const feed = document.feed(2);
    feed.take();
    document.remove('c');
    document.remove('a');
    assert.deepEqual(feed.take(), { remove: ['c'], before: 0 });
  });

  it('keeps what a page has when what came before it is found', () => {
    const feed = document.feed(2);
    feed.take();
    const known = ['a', 'b', 'c'].flatMap((id) => document.get(id) ?? []);
    document.replaceAll([answer('x'), answer('y'), ...known]);
    assert.ok(feed.hasNews);
    assert.deepEqual(feed.take(), { before: 3 });
    feed.showOlder(2);
    assert.deepEqual(feed.take(), { older: [answer('y'), known[0]], before: 1 });
    assert.deepEqual(
      [...document.entries()].map(({ id }) => id),
      ['x', 'y', 'a', 'b', 'c'],
    );
  });

  it('sends what is another one now together with what came before', () => {
    const feed = document.feed(1);
    feed.take();
    document.replaceAll([answer('x'), answer('a'), answer('b'), answer('c', 'changed')]);
    assert.deepEqual(feed.take(), { put: [answer('c', 'changed')], before: 3 });
  });

  it('tells each page in patches that the page understands', () => {
    const feed = document.feed(1);
    assert.doesNotThrow(() => TranscriptPatch.parse(feed.take()));
    feed.dispose();
    document.put(answer('d'));
    assert.equal(feed.hasNews, false);
  });
});

describe('a long part', () => {
  const tool = (parts: Extract<Entry, { kind: 'tool' }>['parts']): Entry => ({
    kind: 'tool',
    id: 't',
    turn: 1,
    name: 'n',
    title: 'n',
    toolKind: 'other',
    state: 'done',
    parts,
  });

  it('is cut, and says by how much', () => {
    const text = 'x'.repeat(50_000);
    const trimmed = trimEntry(tool([{ type: 'text', text }]));
    assert.ok(trimmed.kind === 'tool' && trimmed.parts[0]?.type === 'text');
    assert.equal(trimmed.parts[0].text.length + (trimmed.parts[0].omitted ?? 0), text.length);
  });

  it('of a command keeps its end, from the start of a line', () => {
    const output = Array.from({ length: 20_000 }, (_, index) => `line ${index}`).join('\n');
    const trimmed = trimEntry(tool([{ type: 'terminal', output }]));
    assert.ok(trimmed.kind === 'tool' && trimmed.parts[0]?.type === 'terminal');
    assert.match(trimmed.parts[0].output, /^line \d+\n/);
    assert.ok(trimmed.parts[0].output.endsWith('line 19999'));
  });

  it('is not cut in the middle of a character', () => {
    const trimmed = trimEntry(tool([{ type: 'text', text: `x${'😀'.repeat(20_000)}` }]));
    assert.ok(trimmed.kind === 'tool' && trimmed.parts[0]?.type === 'text');
    assert.ok(trimmed.parts[0].text.isWellFormed());
  });

  it('that is short enough stays the same object', () => {
    const entry = tool([{ type: 'text', text: 'short' }]);
    assert.equal(trimEntry(entry), entry);
  });
});
