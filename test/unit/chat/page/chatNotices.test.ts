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
import { FakeClock } from '../../../fake/fakeClock';

const question: ApprovalView = { id: 'q', prompt: 'May I?', asks: 'Agent', parts: [], options: [], state: 'pending' };
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('ChatNotices', () => {
  let chats: FakeChats;
  let shown: ShownChats;
  let said: string[];
  let shownIds: string[];
  let sounds: number;
  let waits: boolean[];
  let levels: { notifications: ChatAlertLevel; system: ChatAlertLevel; sound: ChatAlertLevel };
  let toldSystem: string[];
  let notices: ChatNotices;
  let approvals: ApprovalWatch;
  let last: Notice | undefined;
  let clock: FakeClock;
  const throwIt = (error: unknown): never => {
    throw error;
  };
  const change = (state: ConversationRow['state'], isUnseen = false, turnMs = 60_000): void => {
    chats.add('one', state);
    const turnStartedAt = state === 'busy' ? { turnStartedAt: -turnMs } : {};
    chats.rows = chats.rows.map((row) => ({ ...row, ...turnStartedAt, isUnseen }));
    notices.update();
  };
  /** All that is due has been told. */
  const pass = async (ms = 5_000): Promise<void> => {
    clock.advance(ms);
    await settled();
  };

  beforeEach(async () => {
    chats = new FakeChats();
    clock = new FakeClock();
    shown = new ShownChats();
    said = [];
    last = undefined;
    shownIds = [];
    waits = [];
    sounds = 0;
    levels = { notifications: 'all', system: 'all', sound: 'all' };
    toldSystem = [];
    approvals = new ApprovalWatch(chats, throwIt);
    notices = new ChatNotices({
      clock,
      approvals,
      chats,
      shownChats: shown,
      settings: {
        chatNotifications: () => levels.notifications,
        chatSystemNotifications: () => levels.system,
        chatSound: () => levels.sound,
      },
      notifySystem: (text) => void toldSystem.push(text),
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
    await pass();
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
    await pass();
    notices.update();
    await pass();
    assert.deepEqual([said, sounds], [['Request from Demo agent: May I?'], 1]);
    await last?.actions[0]?.run();
    assert.deepEqual(shownIds, ['one']);
  });

  it('says nothing of an approval that was seen before the window lost the focus, but of the next one', async () => {
    shown.isWindowFocused = false;
    notices.update();
    await pass();
    assert.deepEqual(said, []);
    chats.opened.get('one')?.change({ approvals: [{ ...question, id: 'next', prompt: 'And this?' }] });
    await pass();
    assert.deepEqual(said, ['Request from Demo agent: And this?']);
  });

  it('says nothing of an approval that was answered in view', async () => {
    chats.opened.get('one')?.change({ approvals: [] });
    chats.add('one', 'busy');
    shown.setShown(notices, undefined);
    notices.update();
    await pass();
    assert.deepEqual(said, []);
  });

  it('does not take an answer on its way for another question', async () => {
    shown.setShown(notices, undefined);
    notices.update();
    await pass();
    chats.opened.get('one')?.change({ approvals: [{ ...question, state: 'answering' }] });
    notices.update();
    await pass();
    assert.equal(said.length, 1);
  });

  it('says that a hidden turn is done or failed, and what else needs the user', async () => {
    change('idle');
    change('busy');
    shown.setShown(notices, undefined);
    change('unread');
    await pass();
    change('busy');
    change('failed', true);
    await pass();
    chats.opened.get('one')?.change({ approvals: [] });
    change('waiting');
    await settled();
    await pass();
    assert.deepEqual(said, ['“Chat one” is done.', '“Chat one” failed.', '“Chat one” needs your input.']);
  });

  it('takes back that an approval waits once it is answered, or in view', async () => {
    shown.setShown(notices, undefined);
    notices.update();
    await pass();
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

  it('takes back that a turn is done once the conversation was seen, or goes on', async () => {
    shown.setShown(notices, undefined);
    for (const next of ['idle', 'busy', 'failed'] as const) {
      change('busy');
      change('unread');
      await pass();
      const done = last;
      assert.deepEqual([done?.text, done?.isCurrent?.()], ['“Chat one” is done.', true]);
      change(next);
      assert.equal(done?.isCurrent?.(), false);
    }
  });

  it('takes back what it said of a conversation that was deleted', async () => {
    shown.setShown(notices, undefined);
    notices.update();
    await pass();
    chats.rows = [];
    notices.update();
    assert.equal(last?.isCurrent?.(), false);
  });

  it('says only what the settings ask for', async () => {
    levels = { notifications: 'off', system: 'off', sound: 'needsInput' };
    shown.setShown(notices, undefined);
    notices.update();
    await pass();
    change('busy');
    change('unread');
    await pass();
    assert.deepEqual([said, sounds], [[], 1]);
  });

  it('has the system say only titles, while the window does not have the focus', async () => {
    levels = { notifications: 'off', system: 'needsInput', sound: 'off' };
    shown.setShown(notices, undefined);
    notices.update();
    await pass();
    assert.deepEqual(toldSystem, []);
    shown.isWindowFocused = false;
    const chat = chats.opened.get('one');
    chat?.change({ approvals: [{ ...question, id: 'next', prompt: 'May I read secret.txt?' }] });
    await pass();
    change('busy');
    change('unread');
    await pass();
    assert.deepEqual(toldSystem, ['“Chat one” needs your input.']);
    levels = { ...levels, system: 'all' };
    change('busy');
    change('unread');
    await pass();
    assert.deepEqual([said, toldSystem.slice(1), sounds], [[], ['“Chat one” is done.'], 0]);
  });

  it('says nothing of a turn that goes on within two seconds, or that was short while the window has the focus', async () => {
    chats.opened.get('one')?.change({ approvals: [] });
    shown.setShown(notices, undefined);
    change('busy');
    change('unread');
    await pass(1_900);
    change('busy');
    await pass();
    change('busy', false, 29_000);
    change('unread');
    await pass();
    assert.deepEqual([said, sounds], [[], 0]);
    shown.isWindowFocused = false;
    change('busy', false, 5_000);
    change('unread');
    await pass();
    assert.deepEqual(said, ['“Chat one” is done.']);
  });

  it('says once what several conversations have ended meanwhile, as long as one of them was not seen', async () => {
    chats.opened.get('one')?.change({ approvals: [] });
    shown.setShown(notices, undefined);
    for (const state of ['busy', 'unread'] as const) {
      for (const id of ['two', 'three']) chats.add(id, state);
      change(state);
    }
    await pass();
    assert.deepEqual([said, sounds], [['3 conversations are done.'], 1]);
    change('idle');
    assert.equal(last?.isCurrent?.(), true);
    for (const id of ['two', 'three']) chats.add(id, 'idle');
    notices.update();
    assert.equal(last.isCurrent(), false);
  });

  it('says of another window what it has not said, while this one has the focus', async () => {
    chats.opened.get('one')?.change({ approvals: [] });
    shown.setShown(notices, undefined);
    change('busy');
    const waits = (since: number): void => {
      chats.add('one', 'waiting');
      const need = { kind: 'signIn' as const, text: 'Sign in to Agent', since };
      chats.rows = chats.rows.map((row) => ({ ...row, need, isInOtherWindow: true }));
      notices.update();
    };
    shown.isWindowFocused = false;
    waits(1);
    await pass();
    assert.deepEqual(said, [], 'its own window says it');
    chats.toldElsewhere.add('one needsInput 1');
    shown.isWindowFocused = true;
    notices.update();
    await pass();
    assert.deepEqual(said, []);
    waits(2);
    await pass();
    assert.equal(said.length, 1);
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
      now: 0,
    });

  it('leaves out what had ended before', () => {
    const { events, known } = look('unread');
    assert.deepEqual(events, []);
    assert.deepEqual(look('unread', look('idle', known).known).events, []);
  });

  it('tells each event at most once, none in view, none that goes on, and no short turn of a focused window, in any order', () => {
    const step = fc.record({
      state: fc.constantFrom('idle', 'busy', 'waiting', 'unread'),
      question: fc.option(fc.constantFrom('a', 'b'), { nil: undefined }),
      isShown: fc.boolean(),
      isWindowFocused: fc.boolean(),
      isInOtherWindow: fc.constantFrom(false, false, true),
      afterMs: fc.constantFrom(0, 500, 1_500, 4_000, 40_000),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        let known: KnownConversations = new Map();
        let now = 1_000_000;
        let lastState = '';
        let changedAt = now;
        let startedAt = now;
        let told = '';
        for (const { afterMs, isInOtherWindow, isShown, isWindowFocused, question: asked, state } of steps) {
          now += afterMs;
          const isUnknown = state === 'waiting' && asked === undefined && !isInOtherWindow;
          const event = `${state} ${state === 'waiting' ? (isInOtherWindow ? 'x' : (asked ?? '')) : ''}`;
          if (!isUnknown && event !== lastState) {
            if (state === 'busy') startedAt = now;
            lastState = event;
            changedAt = now;
            told = '';
          }
          const isLive = state === 'busy' || state === 'waiting';
          const result = unseenEvents(known, {
            rows: [
              {
                ...base,
                state,
                updatedAt: changedAt,
                ...(isLive && { turnStartedAt: startedAt }),
                ...(isLive && isInOtherWindow && { isInOtherWindow }),
              },
            ],
            questionKey: () => asked,
            isShown: () => isShown,
            isWindowFocused,
            now,
          });
          known = result.known;
          if (result.nextAt !== undefined) assert.ok(result.nextAt > now && result.nextAt <= now + 3_000);
          for (const one of result.events) {
            if (one.isSilent) continue;
            assert.notEqual(event, told, 'told twice');
            told = event;
            assert.ok(!isShown || !isWindowFocused, 'it is in view');
            assert.ok(now - changedAt >= (one.kind === 'done' ? 2_000 : 1_000), 'it may go on');
            assert.ok(one.kind !== 'done' || !isWindowFocused || changedAt - startedAt >= 30_000, 'it was short');
            assert.ok(isWindowFocused || !isInOtherWindow || !isLive, 'its own window tells it');
          }
        }
      }),
    );
  });
});
