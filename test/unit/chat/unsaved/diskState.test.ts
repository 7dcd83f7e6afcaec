import assert from 'node:assert/strict';
import type { FileChange } from '../../../../src/transcript/common/entries';
import {
  canResultFromChanges,
  nextDiskState,
  type DiskReading,
  type DiskState,
} from '../../../../src/chat/common/unsaved/diskState';
import { ActiveAgents } from '../../../../src/chat/common/unsaved/activeAgents';
import { FakeChats } from '../../../fake/fakeChats';
import { FakeClock } from '../../../fake/fakeClock';

const agent = 'Demo agent';
const unsaved = 'mine\n';

describe('nextDiskState of an unsaved document', () => {
  const after = (...readings: Partial<DiskReading>[]): DiskState | undefined =>
    readings.reduce<DiskState | undefined>(
      (state, reading) => nextDiskState(state, { disk: 'one\n', unsaved, agent: undefined, ...reading }),
      undefined,
    );

  it('is a conflict once an agent has written another text', () => {
    assert.deepEqual(after({}, { disk: 'two\n', agent }), { kind: 'conflict', base: 'one\n', disk: 'two\n', agent });
    assert.deepEqual(after({}, { disk: null, agent }), { kind: 'conflict', base: 'one\n', disk: null, agent });
    assert.deepEqual(after({ disk: null }, { agent }), { kind: 'conflict', base: null, disk: 'one\n', agent });
  });

  it('is no conflict if others have written the file, and their text becomes the base', () => {
    assert.deepEqual(after({}, { disk: 'checked out\n' }), { kind: 'unchanged', base: 'checked out\n' });
    assert.deepEqual(after({}, { disk: 'theirs\n' }, { disk: 'theirs\n', agent })?.kind, 'unchanged');
  });

  it('is no conflict if the file was only touched, or has the unsaved text, as after a save', () => {
    assert.deepEqual(after({}, { agent }), { kind: 'unchanged', base: 'one\n' });
    assert.deepEqual(after({}, { disk: unsaved, agent }), { kind: 'unchanged', base: unsaved });
  });

  it('stays a conflict until the file has its first text or the unsaved text again', () => {
    const twice = [{}, { disk: 'two\n', agent }, { disk: 'three\n' }];
    assert.deepEqual(after(...twice), { kind: 'conflict', base: 'one\n', disk: 'three\n', agent });
    assert.equal(after(...twice, {})?.kind, 'unchanged');
    assert.equal(after(...twice, { disk: unsaved })?.kind, 'unchanged');
  });

  it('is a conflict at the first read if the unsaved text has another base and an agent works', () => {
    assert.deepEqual(after({ isBehind: true, agent }), { kind: 'conflict', base: undefined, disk: 'one\n', agent });
    assert.equal(after({ isBehind: true })?.kind, 'unchanged');
    assert.equal(after({ agent })?.kind, 'unchanged');
  });
});

describe('isEditOf', () => {
  const change = (rangeOffset: number, rangeLength: number, text: string) => [{ rangeOffset, rangeLength, text }];

  it('is true if the rest of the text is the same', () => {
    assert.ok(canResultFromChanges('one\ntwo\n', 'one\nx\n', change(4, 3, 'x')));
    assert.ok(canResultFromChanges('one\r\ntwo\r\n', 'one\ntwo\nx', change(8, 0, 'x')), 'line endings do not matter');
    assert.ok(!canResultFromChanges('ONE\ntwo\n', 'one\nx\n', change(4, 3, 'x')));
    assert.ok(!canResultFromChanges('one\ntwo\nthree\n', 'one\ntwo\nx', change(8, 0, 'x')));
    assert.ok(!canResultFromChanges('aXa', 'axxa', change(1, 0, 'xx')), 'more was removed than the edit has removed');
  });

  it('is true if that cannot be known, as after several edits', () => {
    assert.ok(canResultFromChanges('other', 'axbx', [...change(1, 0, 'x'), ...change(3, 0, 'x')]));
  });
});

describe('TurnWriters.writerOf', () => {
  const setUp = () => {
    const [chats, clock] = [new FakeChats(), new FakeClock()];
    const chat = chats.add('one');
    const writers = new ActiveAgents(chats, clock);
    writers.start();
    return { chats, chat, clock, writers };
  };

  it('returns the agent whose turn runs, until shortly after its end', () => {
    const { chat, clock, writers } = setUp();
    assert.equal(writers.likelyWriterOf('/ws/a'), undefined);
    chat.change({ isBusy: true, status: 'starting' });
    assert.equal(writers.likelyWriterOf('/ws/a'), undefined, 'it does not have the prompt yet');
    chat.change({ isBusy: true, status: 'busy' });
    assert.deepEqual(writers.likelyWriterOf('/ws/a'), { title: agent, isCalling: false });
    chat.change({ isBusy: false, status: 'idle' });
    assert.equal(writers.likelyWriterOf('/ws/a')?.title, agent);
    clock.advance(2_000);
    assert.equal(writers.likelyWriterOf('/ws/a')?.title, agent);
    clock.advance(2_000);
    assert.equal(writers.likelyWriterOf('/ws/a'), undefined);
  });

  it('returns the agent of a turn that ends before it is seen working', () => {
    const { chat, writers } = setUp();
    chat.change({ isBusy: true, status: 'starting' });
    assert.equal(writers.likelyWriterOf('/ws/a'), undefined);
    chat.change({ isBusy: false, status: 'idle' });
    assert.equal(writers.likelyWriterOf('/ws/a')?.title, agent);
  });

  it('prefers the agent that has changed the file', () => {
    const { chat, chats, writers } = setUp();
    const other = chats.add('two');
    for (const one of [chat, other]) one.change({ isBusy: true, status: 'busy' });
    other.change({ backendTitle: 'Other agent' });
    assert.equal(writers.likelyWriterOf('/ws/a')?.title, 'An agent');
    const list: FileChange[] = [{ path: '/ws/a', change: 'modified', added: 1, removed: 0, state: 'applied' }];
    other.change({ changes: list });
    assert.equal(writers.likelyWriterOf('/ws/a')?.title, 'Other agent');
  });

  it('reports whether the agent runs a tool call', () => {
    const { chat, writers } = setUp();
    chat.change({ isBusy: true, status: 'busy' });
    const call = { kind: 'tool', id: 't', turn: 1, name: 'sh', title: 'sh', toolKind: 'execute' } as const;
    chat.say({ ...call, parts: [], state: 'running' });
    assert.equal(writers.likelyWriterOf('/ws/a')?.isCalling, true);
    chat.say({ ...call, parts: [], state: 'done' });
    assert.equal(writers.likelyWriterOf('/ws/a')?.isCalling, false);
  });
});
