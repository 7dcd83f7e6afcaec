import assert from 'node:assert/strict';
import type { ApprovalView } from '../../../../src/chat/common/chatView';
import { ApprovalWatch } from '../../../../src/chat/common/page/approvalWatch';
import { ShownChats } from '../../../../src/chat/common/page/shownChats';
import { ApprovalNotices } from '../../../../src/chat/vscode/approvalNotices';
import { FakeChats } from '../../../fake/fakeChats';

const question: ApprovalView = { id: 'q', prompt: 'May I?', asks: 'Agent', parts: [], options: [], state: 'pending' };

describe('ApprovalNotices', () => {
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

  it('shows no message while the approval is visible', () => {
    assert.deepEqual([said, badge], [[], 1]);
  });

  it('shows one message when the approval is hidden without an answer', () => {
    shown.setShown(notices, undefined);
    notices.update();
    notices.update();
    assert.deepEqual(said, ['Request from Demo agent: May I?']);
  });

  it('shows no message for an approval that was answered while visible', () => {
    chats.opened.get('one')?.change({ approvals: [] });
    shown.setShown(notices, undefined);
    notices.update();
    assert.deepEqual([said, badge], [[], 0]);
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
