import assert from 'node:assert/strict';
import { MarkedChats } from '../../../../src/chat/common/marks/markedChats';
import { FakeChats } from '../../../fake/fakeChats';

describe('MarkedChats', () => {
  let chats: FakeChats;
  let told: string[];
  let marked: MarkedChats;
  let focused: string | undefined;

  beforeEach(() => {
    chats = new FakeChats();
    told = [];
    focused = undefined;
    marked = new MarkedChats({
      chats,
      goToWindow: (id) => Promise.resolve(void told.push(`goes to ${id}`)),
      reveal: ({ id }) => Promise.resolve(void told.push(`shows ${id}`)),
      focusedChat: () => focused,
      messages: { info: (text) => told.push(text), error: (text) => told.push(text) },
      onDidChange: () => told.push(`badge ${marked.marks.badge?.value ?? 0}`),
    });
    chats.add('good', 'unread');
    chats.add('damaged', 'unread');
    chats.opened.delete('damaged');
  });

  it('go on to the next conversation if one cannot be opened, which they no longer count', async () => {
    for (let count = 0; count < 2; count++) await marked.showNext();
    assert.deepEqual(told, ['It is no longer there.', 'badge 1', 'shows good']);
    chats.add('good', 'idle');
    await marked.showNext();
    assert.equal(told.at(-1), 'No conversation needs attention.');
    assert.equal(marked.marks.statusBar, undefined);
  });

  it('go on to the next one from the one that the user sees, the one that waits longest first', async () => {
    chats = new FakeChats();
    marked = new MarkedChats({
      chats,
      goToWindow: (id) => Promise.resolve(void told.push(`goes to ${id}`)),
      reveal: ({ id }) => Promise.resolve(void (focused = id)),
      focusedChat: () => focused,
      messages: { info: () => undefined, error: () => undefined },
      onDidChange: () => undefined,
    });
    chats.add('done', 'unread');
    chats.add('young', 'waiting');
    chats.add('old', 'waiting');
    const since = { young: 2, old: 1 };
    chats.rows = chats.rows.map((row) =>
      row.state === 'waiting' ? { ...row, need: { kind: 'approval', text: '', since: since[row.id as 'old'] } } : row,
    );
    const seen: (string | undefined)[] = [];
    for (let count = 0; count < 4; count++) {
      await marked.showNext();
      seen.push(focused);
    }
    assert.deepEqual(seen, ['old', 'young', 'done', 'old']);
  });

  it('lead to the other window where only that can be answered', async () => {
    chats.add('good', 'idle');
    chats.add('there', 'waiting');
    const need = { kind: 'signIn' as const, text: '' };
    chats.rows = chats.rows.map((row) => (row.id === 'there' ? { ...row, need, isInOtherWindow: true } : row));
    await marked.showNext();
    chats.rows = chats.rows.map((row) => ({ ...row, isInOtherWindow: false }));
    await marked.showNext();
    assert.deepEqual(told, ['goes to there', 'shows there']);
  });

  it('count a conversation again once something new has happened in it', async () => {
    await marked.showNext();
    chats.rows = chats.rows.map((row) => ({ ...row, updatedAt: 1 }));
    assert.equal(marked.marks.calling[0], 'damaged');
  });
});
