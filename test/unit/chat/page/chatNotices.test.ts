import assert from 'node:assert/strict';
import * as fc from 'fast-check';
import type { ApprovalView, ConversationRow } from '../../../../src/chat/common/chatView';
import { ApprovalWatch } from '../../../../src/chat/common/marks/approvalWatch';
import { ChatNotices } from '../../../../src/chat/common/marks/chatNotices';
import { ShownChats } from '../../../../src/chat/common/marks/shownChats';
import { unseenEvents, type KnownConversations } from '../../../../src/chat/common/marks/unseenEvents';
import type { Notice } from '../../../../src/platform/common/noticeBoard';
import type { ChatAlertLevel } from '../../../../src/platform/common/settings';
import { FakeChats } from '../../../fake/fakeChats';

const question: ApprovalView = { id: 'q', prompt: 'May I?', asks: 'Agent', parts: [], options: [], state: 'pending' };
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('ChatNotices', () => {
  let chats: FakeChats;
  let shown: ShownChats;
  let said: string[];
  let shownIds: string[];
  let sounds: number;
  let waits: boolean[];
  let levels: { notifications: ChatAlertLevel; sound: ChatAlertLevel };
  let notices: ChatNotices;
  let approvals: ApprovalWatch;
  let last: Notice | undefined;
  const throwIt = (error: unknown): never => {
    throw error;
  };
  const change = (state: ConversationRow['state'], isUnseen = false): void => {
    chats.add('one', state);
    if (isUnseen) chats.rows = chats.rows.map((row) => ({ ...row, isUnseen }));
    notices.update();
  };

  beforeEach(async () => {
    chats = new FakeChats();
    shown = new ShownChats();
    said = [];
    last = undefined;
    shownIds = [];
    waits = [];
    sounds = 0;
    levels = { notifications: 'all', sound: 'all' };
    approvals = new ApprovalWatch(chats, throwIt);
    notices = new ChatNotices({
      approvals,
      chats,
      shownChats: shown,
      settings: { chatNotifications: () => levels.notifications, chatSound: () => levels.sound },
      setWaiting: (isWaiting) => void waits.push(isWaiting),
      notices: {
        show: (notice) => {
          said.push(notice.text);
          last = notice;
        },
      },
      show: (id) => Promise.resolve(void shownIds.push(id)),
      playSound: () => sounds++,
    });
    const chat = chats.add('one', 'waiting');
    chat.change({ approvals: [question] });
    shown.setShown(notices, chat);
    approvals.start();
    notices.start();
    await settled();
  });
  afterEach(() => {
    notices.dispose();
    approvals.dispose();
  });

  it('says nothing while the approval is in view', () => assert.deepEqual([said, sounds], [[], 0]));

  it('says once that an approval waits that was hidden without an answer, and leads to it', async () => {
    shown.setShown(notices, undefined);
    notices.update();
    notices.update();
    assert.deepEqual([said, sounds], [['Request from Demo agent: May I?'], 1]);
    await last?.actions[0]?.run();
    assert.deepEqual(shownIds, ['one']);
  });

  it('says nothing of an approval that was seen before the window lost the focus, but of the next one', () => {
    shown.isWindowFocused = false;
    notices.update();
    assert.deepEqual(said, []);
    chats.opened.get('one')?.change({ approvals: [{ ...question, id: 'next', prompt: 'And this?' }] });
    assert.deepEqual(said, ['Request from Demo agent: And this?']);
  });

  it('says nothing of an approval that was answered in view', () => {
    chats.opened.get('one')?.change({ approvals: [] });
    chats.add('one', 'busy');
    shown.setShown(notices, undefined);
    notices.update();
    assert.deepEqual(said, []);
  });

  it('does not take an answer on its way for another question', () => {
    shown.setShown(notices, undefined);
    notices.update();
    chats.opened.get('one')?.change({ approvals: [{ ...question, state: 'answering' }] });
    notices.update();
    assert.equal(said.length, 1);
  });

  it('says that a hidden turn is done or failed, and what else needs the user', async () => {
    change('idle');
    change('busy');
    shown.setShown(notices, undefined);
    change('unread');
    change('busy');
    change('failed', true);
    chats.opened.get('one')?.change({ approvals: [] });
    change('waiting');
    await settled();
    assert.deepEqual(said, ['“Chat one” is done.', '“Chat one” failed.', '“Chat one” needs your input.']);
  });

  it('takes back that an approval waits once it is answered, or in view', () => {
    shown.setShown(notices, undefined);
    notices.update();
    const isCurrent = (): unknown => last?.isCurrent?.();
    assert.equal(isCurrent(), true);
    shown.setShown(notices, chats.opened.get('one'));
    assert.equal(isCurrent(), false);
    shown.isWindowFocused = false;
    assert.equal(isCurrent(), true);
    chats.opened.get('one')?.change({ approvals: [{ ...question, id: 'next' }] });
    change('busy');
    assert.equal(isCurrent(), false);
  });

  it('takes back that a turn is done once the conversation was seen, or goes on', () => {
    shown.setShown(notices, undefined);
    for (const next of ['idle', 'busy', 'failed'] as const) {
      change('busy');
      change('unread');
      const done = last;
      assert.deepEqual([done?.text, done?.isCurrent?.()], ['“Chat one” is done.', true]);
      change(next);
      assert.equal(done?.isCurrent?.(), false);
    }
  });

  it('takes back what it said of a conversation that was deleted', () => {
    shown.setShown(notices, undefined);
    notices.update();
    chats.rows = [];
    notices.update();
    assert.equal(last?.isCurrent?.(), false);
  });

  it('says only what the settings ask for', () => {
    levels = { notifications: 'off', sound: 'needsInput' };
    shown.setShown(notices, undefined);
    notices.update();
    change('busy');
    change('unread');
    assert.deepEqual([said, sounds], [[], 1]);
  });

  it('reports once that an approval is pending, and once that none is, for keyboard shortcuts', () => {
    notices.update();
    assert.deepEqual(waits, [true]);
    chats.opened.get('one')?.change({ approvals: [] });
    assert.deepEqual(waits, [true, false]);
  });

  it('clears the state for keyboard shortcuts when disposed', () => {
    notices.dispose();
    assert.deepEqual(waits, [true, false]);
  });
});

describe('unseenEvents', () => {
  const base = { id: 'one', title: 'One', backendId: 'acp:agent', backendTitle: 'Agent', updatedAt: 0 };
  const look = (state: ConversationRow['state'], known: KnownConversations = new Map()) =>
    unseenEvents(known, {
      rows: [{ ...base, state }],
      questionKey: () => 'q',
      isShown: () => false,
      isWindowFocused: true,
    });

  it('leaves out what had ended before, and what ended in another window', () => {
    const { events, known } = look('unread');
    assert.deepEqual(events, []);
    assert.deepEqual(look('unread', look('idle', known).known).events, []);
  });

  it('tells each event at most once, and none that was in view from its begin to its end, in any order', () => {
    const step = fc.record({
      state: fc.constantFrom('idle', 'busy', 'waiting', 'unread'),
      question: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
      isShown: fc.boolean(),
      isWindowFocused: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), (steps) => {
        let known: KnownConversations = new Map();
        let lastEvent = '';
        for (const { isShown, isWindowFocused, question: asked, state } of steps) {
          const event = `${state} ${state === 'waiting' ? (asked ?? '') : ''}`;
          const isUnknown = state === 'waiting' && asked === undefined;
          if (lastEvent !== event && !isUnknown) lastEvent = '';
          const result = unseenEvents(known, {
            rows: [{ ...base, state }],
            questionKey: () => asked,
            isShown: () => isShown,
            isWindowFocused,
          });
          known = result.known;
          if (result.events.length === 0) continue;
          assert.notEqual(event, lastEvent, 'told twice');
          assert.ok(!isShown || !isWindowFocused, 'it is in view');
          lastEvent = event;
        }
      }),
    );
  });
});
