import assert from 'node:assert/strict';
import type { Entry } from '../../../src/transcript/common/entries';
import { TranscriptPatch } from '../../../src/transcript/common/patch';
import { TranscriptDocument } from '../../../src/transcript/common/transcriptDocument';

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
