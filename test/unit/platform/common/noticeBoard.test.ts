import assert from 'node:assert/strict';
import { PageNotices } from '../../../../src/chat/common/marks/pageNotices';
import { NoticeBoard } from '../../../../src/platform/common/noticeBoard';

const throwIt = (error: unknown): never => {
  throw error;
};

describe('NoticeBoard', () => {
  it('shows a notice where the user works, and otherwise as a notification', () => {
    const [here, notified]: [string[], string[]] = [[], []];
    let isInUse = false;
    const board = new NoticeBoard(({ level, text }) => void notified.push(`${level} ${text}`));
    board.info('before');
    const place = board.setPlace({
      show: ({ text }) => {
        if (isInUse) here.push(text);
        return isInUse;
      },
    });
    board.warning('elsewhere');
    isInUse = true;
    board.error('here');
    place.dispose();
    board.info('after');
    assert.deepEqual([here, notified], [['here'], ['info before', 'warning elsewhere', 'info after']]);
  });
});

describe('PageNotices', () => {
  it('keeps a notice until it is answered, once, and runs the action that was chosen', async () => {
    const notices = new PageNotices(throwIt);
    const ran: string[] = [];
    const actions = ['Review', 'Later'].map((label) => ({ label, run: () => ran.push(label) }));
    notices.add({ level: 'info', text: 'One', actions });
    notices.add({ level: 'warning', text: 'Two', actions: [] });
    notices.add({ level: 'info', text: 'One', actions });
    assert.deepEqual(
      notices.views.map(({ actions: labels, id, text }) => [id, text, labels]),
      [
        ['2', 'Two', []],
        ['3', 'One', ['Review', 'Later']],
      ],
    );
    await notices.answer('3', 'Review');
    await notices.answer('3', 'Later');
    await notices.answer('2');
    assert.deepEqual([ran, notices.views], [['Review'], []]);
  });
});
