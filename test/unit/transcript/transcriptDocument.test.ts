import assert from 'node:assert/strict';
import type { Entry } from '../../../src/transcript/common/entries';
import { TranscriptPatch } from '../../../src/transcript/common/patch';
import { TranscriptDocument } from '../../../src/transcript/common/transcriptDocument';

const answer = (id: string, text = id): Entry => ({ kind: 'answer', id, turn: 1, text });

describe('TranscriptDocument', () => {
  let document: TranscriptDocument;
  beforeEach(() => {
    document = new TranscriptDocument((error) => {
      throw error;
    });
    for (const id of ['a', 'b', 'c']) document.put(answer(id));
  });

  it('sends a new page the last entries, and then only changes', () => {
    const feed = document.createFeed(2);
    assert.deepEqual(feed.takePatch(), { reset: true, put: [answer('b'), answer('c')], before: 1 });
    assert.equal(feed.hasChanges, false);
    document.append('c', '!');
    document.append('c', '?');
    assert.ok(feed.hasChanges);
    assert.deepEqual(feed.takePatch(), { append: [{ id: 'c', text: '!?' }], before: 1 });
  });

  it('does not append what it puts', () => {
    const feed = document.createFeed(9);
    feed.takePatch();
    document.append('c', '!');
    document.put(answer('c', 'whole'));
    document.append('c', '?');
    assert.deepEqual(feed.takePatch(), { put: [answer('c', 'whole?')], before: 0 });
  });

  it('sends older entries on request', () => {
    const feed = document.createFeed(1);
    feed.takePatch();
    feed.showOlder(1);
    assert.deepEqual(feed.takePatch(), { older: [answer('b')], before: 1 });
  });

  it('starts a page with the prompt of a turn, unless the turn is too long', () => {
    const long = new TranscriptDocument((error) => {
      throw error;
    });
    // Turns of 2, 4, 6 and 30 entries.
    for (const [turn, length] of [2, 4, 6, 30].entries()) {
      long.put({ kind: 'prompt', id: `prompt${turn}`, turn, text: 'Do it' });
      for (let at = 1; at < length; at++) long.put(answer(`${turn}.${at}`));
    }
    const feed = long.createFeed(10);
    const firstOf = (entries: readonly Entry[] = []) => ({ id: entries[0]?.id, count: entries.length });
    assert.deepEqual(
      firstOf(feed.takePatch().put),
      { id: '3.20', count: 10 },
      'cut, as the turn has more than 20 entries',
    );
    const older = () => {
      feed.showOlder(10);
      return firstOf(feed.takePatch().older);
    };
    assert.deepEqual(older(), { id: 'prompt3', count: 20 });
    assert.deepEqual(older(), { id: 'prompt1', count: 10 });
    assert.deepEqual(older(), { id: 'prompt0', count: 2 });
    assert.deepEqual(older(), { id: undefined, count: 0 });
    feed.restart(3);
    assert.deepEqual(firstOf(feed.takePatch().put), { id: '3.27', count: 3 });
    feed.showOlder(16);
    assert.deepEqual(firstOf(feed.takePatch().older), { id: 'prompt3', count: 27 });
  });

  it('does not take the prompt of a subagent for the start of a turn', () => {
    document.put({ kind: 'prompt', id: 'asked', turn: 1, text: 'Look' });
    document.put({ kind: 'prompt', id: 'inside', turn: 1, text: 'Look here', parent: 'call' });
    document.put(answer('d'));
    const { put } = document.createFeed(2).takePatch();
    assert.deepEqual(
      put?.map(({ id }) => id),
      ['asked', 'inside', 'd'],
    );
  });

  it('removes entries, and counts the entries before', () => {
    const feed = document.createFeed(2);
    feed.takePatch();
    document.remove('c');
    document.remove('a');
    assert.deepEqual(feed.takePatch(), { remove: ['c'], before: 0 });
  });

  it('keeps the entries of a page when older ones are found', () => {
    const feed = document.createFeed(2);
    feed.takePatch();
    const known = ['a', 'b', 'c'].flatMap((id) => document.get(id) ?? []);
    document.replaceAll([answer('x'), answer('y'), ...known]);
    assert.ok(feed.hasChanges);
    assert.deepEqual(feed.takePatch(), { before: 3 });
    feed.showOlder(2);
    assert.deepEqual(feed.takePatch(), { older: [answer('y'), known[0]], before: 1 });
    assert.deepEqual(
      [...document.entries()].map(({ id }) => id),
      ['x', 'y', 'a', 'b', 'c'],
    );
  });

  it('sends changed entries together with older ones', () => {
    const feed = document.createFeed(1);
    feed.takePatch();
    document.replaceAll([answer('x'), answer('a'), answer('b'), answer('c', 'changed')]);
    assert.deepEqual(feed.takePatch(), { put: [answer('c', 'changed')], before: 3 });
  });

  it('sends each page patches that the page can parse', () => {
    const feed = document.createFeed(1);
    assert.doesNotThrow(() => TranscriptPatch.parse(feed.takePatch()));
    feed.dispose();
    document.put(answer('d'));
    assert.equal(feed.hasChanges, false);
  });
});
