import assert from 'node:assert/strict';
import { createAnnouncements } from '../../../src/transcript/browser/list/announcer';
import { TranscriptModel, type TranscriptChange } from '../../../src/transcript/browser/list/transcriptModel';
import type { Entry } from '../../../src/transcript/common/entries';
import { toolEntry } from './sample';

const prompt = (id: string, turn: number): Entry => ({ kind: 'prompt', id, turn, text: id });
const answer = (id: string, turn: number, text: string, streaming?: boolean): Entry => ({
  kind: 'answer',
  id,
  turn,
  text,
  ...(streaming === undefined ? {} : { streaming }),
});

function modelOf(...put: Entry[]): TranscriptModel {
  const model = new TranscriptModel();
  model.apply({ reset: true, put, before: 0 });
  return model;
}

const idsOf = (model: TranscriptModel): string[] => model.entries().map(({ id }) => id);

describe('TranscriptModel', () => {
  it('groups the entries of the top level by turn', () => {
    const model = modelOf(prompt('a', 1), answer('b', 1, ''), prompt('c', 2));
    assert.deepEqual(
      model.turns.map(({ turnNumber, entryIds }) => [turnNumber, ...entryIds]),
      [
        [1, 'a', 'b'],
        [2, 'c'],
      ],
    );
  });

  it('keeps the turns that a patch does not touch as the same objects', () => {
    const model = modelOf(prompt('a', 1), prompt('b', 2));
    const [first] = model.turns;
    model.apply({ put: [answer('c', 2, '')], before: 0 });
    assert.equal(model.turns[0], first);
    assert.deepEqual(model.turns[1]?.entryIds, ['b', 'c']);
  });

  it('puts what a subagent did below its call, and at the top level while the call is not here', () => {
    const step = toolEntry({ id: 'step', parent: 'call' });
    const model = modelOf(step);
    assert.deepEqual(model.turns[0]?.entryIds, ['step']);
    model.apply({ older: [toolEntry({ id: 'call' })], before: 0 });
    assert.deepEqual(model.turns.at(0)?.entryIds, ['call']);
    assert.deepEqual(model.childIdsOf('call'), ['step']);
  });

  it('replaces an entry in the place it has', () => {
    const model = modelOf(prompt('a', 1), answer('b', 1, 'x'), prompt('c', 2));
    model.apply({ put: [answer('b', 1, 'y')], before: 0 });
    assert.deepEqual(idsOf(model), ['a', 'b', 'c']);
    assert.deepEqual(model.get('b'), answer('b', 1, 'y'));
  });

  it('appends text to answers and thinking only', () => {
    const model = modelOf(answer('a', 1, 'x'), prompt('p', 1));
    model.apply({
      append: [
        { id: 'a', text: 'y' },
        { id: 'p', text: 'y' },
        { id: 'gone', text: 'y' },
      ],
      before: 0,
    });
    assert.deepEqual(model.entries(), [answer('a', 1, 'xy'), prompt('p', 1)]);
  });

  it('removes, puts, appends and takes older ones in one patch', () => {
    const model = modelOf(prompt('a', 1), prompt('b', 2));
    model.apply({
      remove: ['a'],
      put: [answer('c', 2, 'x')],
      append: [{ id: 'c', text: 'y' }],
      older: [prompt('z', 0), prompt('b', 2)],
      before: 7,
    });
    assert.deepEqual(idsOf(model), ['z', 'b', 'c']);
    assert.deepEqual(model.get('c'), answer('c', 2, 'xy'));
    assert.equal(model.unloadedOlderCount, 7);
  });

  it('forgets everything at a reset', () => {
    const model = modelOf(prompt('a', 1));
    model.apply({ reset: true, put: [prompt('b', 1)], before: 3 });
    assert.deepEqual(idsOf(model), ['b']);
  });

  it('tells only those who follow the entry that changed', () => {
    const model = modelOf(answer('a', 1, ''), answer('b', 1, ''));
    const heard: string[] = [];
    for (const id of ['a', 'b']) model.onDidChangeEntry(id, () => heard.push(id));
    model.apply({ append: [{ id: 'b', text: 'x' }], before: 0 });
    assert.deepEqual(heard, ['b']);
  });

  it('tells who follows a call of a new step', () => {
    const model = modelOf(toolEntry({ id: 'call' }));
    let count = 0;
    const subscription = model.onDidChangeEntry('call', () => count++);
    model.apply({ put: [toolEntry({ id: 'step', parent: 'call' })], before: 0 });
    subscription.dispose();
    model.apply({ put: [toolEntry({ id: 'other', parent: 'call' })], before: 0 });
    assert.equal(count, 1);
  });
});

describe('announcementsOf', () => {
  function heardOf(model: TranscriptModel): string[] {
    const heard: string[] = [];
    const read = (markdown: string): string => markdown.replace(/[*#]/g, '');
    model.onDidChange((change: TranscriptChange) => heard.push(...createAnnouncements(change, read)));
    return heard;
  }

  it('says an answer once, when it has ended, as it is read', () => {
    const model = modelOf(answer('a', 1, '', true));
    const heard = heardOf(model);
    model.apply({ append: [{ id: 'a', text: '# All **good**:' }], before: 0 });
    assert.deepEqual(heard, []);
    model.apply({ put: [answer('a', 1, '# All **good**:\n\nsee')], before: 0 });
    model.apply({ put: [answer('a', 1, '# All **good**:\n\nsee')], before: 0 });
    assert.deepEqual(heard, ['All good: see']);
  });

  it('shows what state a call has come to, once', () => {
    const model = modelOf(toolEntry({ id: 't', title: 'Edit a', state: 'running' }));
    const heard = heardOf(model);
    model.apply({ put: [toolEntry({ id: 't', title: 'Edit a', state: 'waiting' })], before: 0 });
    model.apply({ put: [toolEntry({ id: 't', title: 'Edit a', state: 'waiting', durationMs: 1 })], before: 0 });
    model.apply({ put: [toolEntry({ id: 't', title: 'Edit a', state: 'failed' })], before: 0 });
    assert.deepEqual(heard, ['Edit a: Needs approval', 'Edit a: Failed']);
  });

  it('does not mention what was there before', () => {
    const model = new TranscriptModel();
    const heard = heardOf(model);
    model.apply({ reset: true, put: [answer('a', 1, 'old')], before: 0 });
    model.apply({ older: [answer('b', 0, 'older')], before: 0 });
    assert.deepEqual(heard, []);
  });

  it('says how a turn ended', () => {
    const model = modelOf();
    const heard = heardOf(model);
    model.apply({ put: [{ kind: 'end', id: 'e', turn: 1, outcome: 'failed', text: 'Start it anew.' }], before: 0 });
    assert.deepEqual(heard, ['Failed. Start it anew.']);
  });
});
