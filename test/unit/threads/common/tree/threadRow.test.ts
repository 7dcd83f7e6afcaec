import assert from 'node:assert/strict';
import type { ThreadHead } from '../../../../../src/threads/common/threadPorts';
import { escapeMarkdown, threadRow, titleOf } from '../../../../../src/threads/common/tree/threadRow';
import { ReadMarks } from '../../../../../src/threads/common/tree/readMarks';
import { head } from '../../support/threadHead';

const nowMs = new Date(2026, 10, 21, 12).getTime();

function rowOf(part: Partial<ThreadHead>, isUnread = false) {
  const one = head('T-1', part);
  return threadRow(
    { kind: 'thread', id: one.id, parent: undefined, children: [], head: one, relation: undefined, isUnread },
    nowMs,
  );
}

describe('the row of a thread', () => {
  it('has a title for every thread', () => {
    assert.equal(titleOf(head('T-1', { title: 'Fix\n the  tax' })), 'Fix the tax');
    const untitled = head('T-1', { title: '' });
    assert.equal(titleOf(untitled), 'Untitled');
    assert.equal(titleOf({ ...untitled, firstPrompt: 'Please' }), 'Please');
    assert.equal(titleOf({ ...untitled, problem: 'It is empty.' }), 'T-1');
  });

  it('names characters that would hide or reverse a part of what it says', () => {
    const reversed = '\u202egnp.exe';
    const row = rowOf({ title: `Fix${reversed}`, branch: reversed, repository: reversed, folders: [reversed] });
    for (const text of [row.label, row.description, row.tooltip, row.accessibleLabel]) {
      assert.doesNotMatch(text, /\u202e/);
      assert.match(text, /U\\?\+202E/);
    }
    assert.equal(titleOf(head('T-1', { title: `Fix${reversed}` })), `Fix${reversed}`);
  });

  it('says a state that matters, when it was, and where', () => {
    const at = new Date(2026, 10, 21, 9, 5).getTime();
    assert.equal(rowOf({ lastPromptAt: at, branch: 'main' }).description, '09:05 · main');
    assert.equal(rowOf({ lastPromptAt: at, state: 'running' }).description, 'running · 09:05 · shop');
    assert.equal(rowOf({ lastPromptAt: new Date(2025, 0, 2).getTime() }).description, 'Jan 2, 2025 · shop');
    assert.equal(rowOf({ lastPromptAt: at }, true).description, 'new · 09:05 · shop');
    assert.equal(rowOf({ lastPromptAt: 0, folders: [] }).description, '');
    assert.equal(rowOf({ lastPromptAt: Number.MAX_SAFE_INTEGER, createdAt: -1, folders: [] }).description, '');
  });

  it('looks different for every state', () => {
    const states = ['idle', 'running', 'waiting', 'stale', 'cancelled', 'error'] as const;
    const icons = states.map((state) => rowOf({ state }).icon);
    assert.equal(new Set([...icons, rowOf({ problem: 'x' }).icon, rowOf({}, true).icon]).size, 8);
  });

  it('asks for the user who is waited for', () => {
    const row = rowOf({ state: 'waiting', lastPromptAt: 0 }, true);
    assert.equal(row.description, 'waiting for you · shop');
    assert.equal(row.state, 'waiting');
    assert.equal(rowOf({ state: 'waiting', problem: 'It is empty.' }).state, 'attention');
  });

  it('shows the problem of a file in the row', () => {
    assert.equal(rowOf({ problem: 'It is empty.' }).description, 'It is empty.');
  });

  it('tells repository, branch, counts and usage when pointed at, and takes no markdown from threads', () => {
    const { tooltip } = rowOf({
      title: '[click](command:evil) $(bug) <b>',
      repository: 'https://example.com/kim/shop',
      branch: 'main',
      promptCount: 2,
      messageCount: 9,
      usage: { input: 1_500, output: 20 },
    });
    assert.ok(!tooltip.includes('](command:'));
    assert.ok(!tooltip.includes('$(bug)') && !tooltip.includes('<b>'));
    for (const text of ['2 prompts', '9 messages', 'main', '1\\.5K input tokens', '20 output tokens']) {
      assert.ok(tooltip.replaceAll('\\,', ',').includes(text), `${text} in ${tooltip}`);
    }
  });

  it('takes no markdown from the id of a file either', () => {
    const { tooltip } = rowOf({ id: '/tmp/`x`\n\n[click](command:evil) $(bug)' });
    assert.ok(!/\]\(command:|\$\(bug\)|(?<!\\)`/.test(tooltip), tooltip);
  });

  it('escapes what markdown would take for its own', () => {
    assert.equal(escapeMarkdown('a_b*c'), 'a\\_b\\*c');
    assert.equal(escapeMarkdown('one\ntwo'), 'one two');
  });
});

describe('what was read', () => {
  function marks() {
    const kept = new Map<string, unknown>();
    const memento = {
      get: (name: string) => kept.get(name),
      update: (name: string, value: unknown) => Promise.resolve(void kept.set(name, structuredClone(value))),
    };
    const open = () =>
      new ReadMarks(memento, (error) => {
        throw error;
      });
    return { open, kept };
  }

  it('begins with everything read', () => {
    const read = marks().open();
    assert.equal(read.isUnread(head('a')), false);
    read.startTracking(5_000);
    assert.equal(read.isUnread(head('a', { lastPromptAt: 4_000 })), false);
    assert.equal(read.isUnread(head('a', { lastPromptAt: 6_000 })), true);
  });

  it('knows after a restart what was seen, and where the reader had come to', () => {
    const { open } = marks();
    const first = open();
    first.startTracking(5_000);
    first.markRead(head('a', { messageCount: 4 }), 'm3');
    const second = open();
    assert.equal(second.isUnread(head('a', { messageCount: 4, lastPromptAt: 6_000 })), false);
    assert.equal(second.isUnread(head('a', { messageCount: 5 })), true);
    assert.equal(second.lastSeenEntryId('a'), 'm3');
  });

  it('does not mark running or unreadable threads as unread', () => {
    const read = marks().open();
    read.startTracking(0);
    assert.equal(read.isUnread(head('a', { state: 'running' })), false);
    assert.equal(read.isUnread(head('a', { problem: 'x' })), false);
  });

  it('keeps what another window has read meanwhile, and of a thread that both read, who saw more', () => {
    const { open } = marks();
    const [one, other] = [open(), open()];
    one.startTracking(5_000);
    other.startTracking(7_000);
    other.markRead(head('a', { messageCount: 8 }), 'm7');
    other.markRead(head('b', { messageCount: 2 }), 'm1');
    one.markRead(head('a', { messageCount: 4 }), 'm3');
    one.markRead(head('c', { messageCount: 2 }), 'm1');
    for (const read of [one, open()]) {
      assert.deepEqual(['a', 'b', 'c'].map(read.lastSeenEntryId.bind(read)), ['m7', 'm1', 'm1']);
      assert.equal(read.isUnread(head('a', { messageCount: 8 })), false);
      assert.equal(read.isUnread(head('d', { lastPromptAt: 6_000 })), true);
    }
  });

  it('takes a thread that was set back as it is now', () => {
    const read = marks().open();
    read.startTracking(0);
    read.markRead(head('a', { messageCount: 9 }), 'm8');
    read.markRead(head('a', { messageCount: 4 }), 'm3');
    assert.equal(read.isUnread(head('a', { messageCount: 5 })), true);
  });

  it('keeps a bounded number of marks, and starts anew from what it does not understand', () => {
    const { open, kept } = marks();
    const read = open();
    for (let at = 0; at < 1_200; at++) read.markRead(head(`${at}`), undefined);
    assert.equal(read.lastSeenEntryId('0'), undefined);
    kept.set('threads.read', 'nonsense');
    assert.equal(open().isUnread(head('a')), false);
  });
});
