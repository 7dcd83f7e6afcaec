import assert from 'node:assert/strict';
import type { ApprovalView } from '../../../../src/chat/common/chatView';
import { ApprovalWatch } from '../../../../src/chat/common/page/approvalWatch';
import { ShownChats } from '../../../../src/chat/common/page/shownChats';
import { ApprovalNotices } from '../../../../src/chat/vscode/approvalNotices';
import { FakeChats } from '../../../fake/fakeChats';

const question: ApprovalView = { id: 'q', prompt: 'May I?', asks: 'Agent', parts: [], options: [], state: 'pending' };

describe('the message about a question', () => {
  let chats: FakeChats;
  let shown: ShownChats;
  let said: string[];
  let badge: number;
  let waits: boolean[];
  let notices: ApprovalNotices;
  let approvals: ApprovalWatch;
  const throwIt = (error: unknown): never => {
    throw error;
  };

  beforeEach(async () => {
    chats = new FakeChats();
    shown = new ShownChats();
    said = [];
    waits = [];
    approvals = new ApprovalWatch(chats, throwIt);
    notices = new ApprovalNotices({
      approvals,
      shownChats: shown,
      setBadge: (value) => (badge = value),
      setWaiting: (isWaiting) => void waits.push(isWaiting),
      messages: { info: (text) => void said.push(text) },
      showApproval: () => Promise.resolve(),
    });
    const chat = chats.add('one', 'waiting');
    chat.change({ approvals: [question] });
    shown.setShown(notices, chat);
    approvals.start();
    notices.start();
    await new Promise((resolve) => setImmediate(resolve));
  });
  afterEach(() => {
    notices.dispose();
    approvals.dispose();
  });

  it('is not needed while the question is on the screen', () => {
    assert.deepEqual([said, badge], [[], 1]);
  });

  it('comes once when the question goes out of sight without an answer', () => {
    shown.setShown(notices, undefined);
    notices.update();
    notices.update();
    assert.deepEqual(said, ['Demo agent asks: May I?']);
  });

  it('does not come for a question that was answered in sight', () => {
    chats.opened.get('one')?.change({ approvals: [] });
    shown.setShown(notices, undefined);
    notices.update();
    assert.deepEqual([said, badge], [[], 0]);
  });

  it('goes with a word for shortcuts, once when a question waits and once when none does', () => {
    notices.update();
    assert.deepEqual(waits, [true]);
    chats.opened.get('one')?.change({ approvals: [] });
    assert.deepEqual(waits, [true, false]);
  });

  it('leaves no shortcut behind', () => {
    notices.dispose();
    assert.deepEqual(waits, [true, false]);
  });
});
