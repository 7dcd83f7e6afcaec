import assert from 'node:assert/strict';
import { chatMarks, markOf, type ConversationMark } from '../../../../src/chat/common/marks/chatMarks';
import type { ConversationRow } from '../../../../src/chat/common/chatView';

type Row = Pick<ConversationRow, 'id' | 'title' | 'state' | 'isUnseen' | 'isArchived' | 'elsewhere'>;

/** Every state of a conversation, and its mark. */
const states: readonly (readonly [ConversationMark, Pick<Row, 'state' | 'isUnseen'>])[] = [
  ['needsInput', { state: 'waiting' }],
  ['failed', { state: 'failed', isUnseen: true }],
  ['done', { state: 'unread' }],
  ['working', { state: 'busy' }],
  ['none', { state: 'failed' }],
  ['none', { state: 'idle' }],
];
const rank = states.map(([mark]) => mark);

const shownAs = {
  needsInput: {
    icon: 'bell-dot',
    text: '1 needs you',
    isUrgent: true,
    command: 'backline.conversations.nextNeedsInput',
  },
  failed: { icon: 'error', text: '1 failed', isUrgent: false, command: 'backline.conversations.nextNeedsInput' },
  done: { icon: 'pass', text: '1 done', isUrgent: false, command: 'backline.conversations.nextNeedsInput' },
  working: { icon: 'loading~spin', text: undefined, isUrgent: false, command: undefined },
  none: undefined,
} as const;

describe('chatMarks', () => {
  it('marks tab, badge and status bar the same for each state', () => {
    for (const [mark, state] of states) {
      assert.equal(markOf(state), mark);
      const { badge, calling: ids, statusBar, tabs } = chatMarks([{ id: 'one', title: 'Fix it', ...state }]);
      assert.equal(tabs.get('one') ?? 'none', mark);
      const { command, icon, isUrgent, text } = statusBar ?? {};
      assert.deepEqual(statusBar && { command, icon, isUrgent, text }, shownAs[mark]);
      const isCalling = mark !== 'working' && mark !== 'none';
      assert.equal(badge?.value, isCalling ? 1 : undefined);
      assert.equal(badge?.tooltip, isCalling ? statusBar?.lines.join('\n') : undefined);
      assert.deepEqual(ids, isCalling ? ['one'] : []);
    }
  });

  it('marks conversations that are archived or of another folder only while they run or need the user', () => {
    for (const [mark, state] of states) {
      const shown = mark === 'needsInput' || mark === 'working' ? mark : 'none';
      assert.equal(markOf({ ...state, isArchived: true }), shown);
      assert.equal(markOf({ ...state, elsewhere: { isGone: false } }), shown);
    }
  });

  it('agrees in all three places for every three conversations', () => {
    for (const one of states) {
      for (const two of states) {
        for (const three of states) {
          const all = [one, two, three];
          const rows = all.map(([, state], index): Row => ({ id: `${index}`, title: `Chat ${index}`, ...state }));
          const { badge, calling: ids, statusBar, tabs } = chatMarks(rows);
          const marks = rows.map(({ id }) => tabs.get(id) ?? 'none');
          assert.deepEqual(
            marks,
            all.map(([mark]) => mark),
          );
          const calling = marks.filter((mark) => mark !== 'working' && mark !== 'none');
          assert.equal(badge?.value ?? 0, calling.length);
          const [worst = 'none'] = marks.toSorted((a, b) => rank.indexOf(a) - rank.indexOf(b));
          assert.equal(statusBar?.icon, shownAs[worst]?.icon);
          assert.equal(ids[0] === undefined ? undefined : tabs.get(ids[0]), calling.length > 0 ? worst : undefined);
          assert.equal(ids.length, calling.length);
          assert.equal(statusBar?.lines.length ?? 0, marks.filter((mark) => mark !== 'none').length);
        }
      }
    }
  });

  it('says which, the most urgent first', () => {
    const { badge, statusBar } = chatMarks([
      { id: 'a', title: 'Write tests', state: 'busy' },
      { id: 'b', title: 'Find the bug', state: 'unread' },
      { id: 'c', title: 'Fix it', state: 'waiting' },
      { id: 'd', title: 'Release', state: 'waiting' },
      { id: 'e', title: 'Build', state: 'failed', isUnseen: true },
    ]);
    const calls = [
      '“Fix it” needs your input',
      '“Release” needs your input',
      '“Build” failed',
      '“Find the bug” is done',
    ];
    assert.deepEqual(badge, { value: 4, tooltip: calls.join('\n') });
    assert.equal(statusBar?.text, '2 need you · 1 working');
    assert.deepEqual(statusBar.lines, [...calls, '“Write tests” is working']);
  });

  it('names at most ten', () => {
    const rows = Array.from({ length: 12 }, (_, index): Row => ({ id: `${index}`, title: 'Chat', state: 'unread' }));
    const { badge } = chatMarks(rows);
    assert.equal(badge?.value, 12);
    assert.match(badge.tooltip, /\nand 2 more conversations$/);
  });

  it('leaves out what has ended in other workspaces, but not what needs the user there', () => {
    const row: Row = { id: 'a', title: 'Other', state: 'unread', elsewhere: { isGone: false } };
    const { badge, calling: ids, statusBar, tabs } = chatMarks([row]);
    assert.deepEqual([badge, ids, statusBar, tabs.size], [undefined, [], undefined, 0]);
    assert.deepEqual(chatMarks([{ ...row, state: 'waiting' }]).calling, ['a']);
    assert.equal(chatMarks([{ ...row, state: 'busy' }]).statusBar?.icon, 'loading~spin');
  });
});
