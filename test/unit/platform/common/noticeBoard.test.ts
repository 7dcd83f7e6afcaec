import assert from 'node:assert/strict';
import { PageNotices } from '../../../../src/chat/common/marks/pageNotices';
import { NoticeBoard, type Notice } from '../../../../src/platform/common/noticeBoard';

const throwIt = (error: unknown): never => {
  throw error;
};

describe('NoticeBoard', () => {
  it('shows a notice where the user works, and as a notification before, after and while they work elsewhere', () => {
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
    isInUse = false;
    board.info('left');
    isInUse = true;
    place.dispose();
    board.info('after');
    assert.deepEqual([here, notified], [['here'], ['info before', 'warning elsewhere', 'info left', 'info after']]);
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

  const say = (notices: PageNotices, text: string, more: Partial<Notice> = {}): void =>
    void notices.add({ level: 'info', text, actions: [{ label: 'Show', run: () => undefined }], ...more });
  const textsOf = ({ views }: PageNotices): readonly string[] => views.map(({ text }) => text);

  it('shows the newest three, and one line for the older ones, which shows or dismisses them', async () => {
    const notices = new PageNotices(throwIt);
    for (const text of ['One', 'Two', 'Three', 'Four', 'Five']) say(notices, text);
    assert.deepEqual(textsOf(notices), ['There are 2 older notices.', 'Three', 'Four', 'Five']);
    await notices.answer('older', 'Show All');
    assert.deepEqual(textsOf(notices), ['One', 'Two', 'Three', 'Four', 'Five']);
    await notices.answer('1');
    await notices.answer('2');
    say(notices, 'Six');
    assert.deepEqual(textsOf(notices), ['There is 1 older notice.', 'Four', 'Five', 'Six']);
    await notices.answer('older');
    assert.deepEqual(textsOf(notices), ['Four', 'Five', 'Six']);
    say(notices, 'Seven');
    await notices.answer('6');
    assert.deepEqual(
      textsOf(notices),
      ['Four', 'Five', 'Seven'],
      'an older one takes the place of one that was answered',
    );
  });

  it('removes what is no longer so, and nothing else while the chat is visible', () => {
    const notices = new PageNotices(throwIt);
    let [isCurrent, changes] = [true, 0];
    notices.onDidChange(() => changes++);
    say(notices, '“One” is done.', { isCurrent: () => isCurrent });
    say(notices, 'Restoring files was interrupted.');
    const passOn = (): void => assert.fail('they can still see it');
    notices.update(true, passOn);
    assert.deepEqual([textsOf(notices).length, changes], [2, 2]);
    isCurrent = false;
    notices.update(true, passOn);
    assert.deepEqual([textsOf(notices), changes], [['Restoring files was interrupted.'], 3]);
  });

  it('passes on once what has no answer when the chat is no longer visible', () => {
    const notified: string[] = [];
    const board = new NoticeBoard(({ text }) => void notified.push(text));
    const notices = new PageNotices(throwIt);
    let isVisible = true;
    board.setPlace({ show: (notice) => isVisible && notices.add(notice) });
    const update = (): void => notices.update(isVisible, (notice) => board.show(notice));
    const action = { label: 'Finish', run: () => undefined };
    board.show({ level: 'info', text: '“One” is done.', actions: [action], isCurrent: () => isVisible });
    board.info('Restoring files was interrupted.', action);
    board.warning('Your file was changed.', action);
    board.info('The settings have changed.');
    update();
    assert.deepEqual(notified, []);
    isVisible = false;
    update();
    update();
    assert.deepEqual(notified, ['Restoring files was interrupted.', 'Your file was changed.']);
    assert.deepEqual(textsOf(notices), ['The settings have changed.']);
  });
});
