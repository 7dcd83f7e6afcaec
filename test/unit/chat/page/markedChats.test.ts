import assert from 'node:assert/strict';
import { MarkedChats } from '../../../../src/chat/common/marks/markedChats';
import { FakeChats } from '../../../fake/fakeChats';

describe('MarkedChats', () => {
  let chats: FakeChats;
  let told: string[];
  let marked: MarkedChats;

  beforeEach(() => {
    chats = new FakeChats();
    told = [];
    marked = new MarkedChats({
      chats,
      reveal: ({ id }) => Promise.resolve(void told.push(`shows ${id}`)),
      messages: { info: (text) => told.push(text), error: (text) => told.push(text) },
      onDidChange: () => told.push(`badge ${marked.marks.badge?.value ?? 0}`),
    });
    chats.add('good', 'unread');
    chats.add('damaged', 'unread');
    chats.opened.delete('damaged');
  });

  it('go on to the next conversation if one cannot be opened, which they no longer count', async () => {
    for (let count = 0; count < 2; count++) await marked.showFirst();
    assert.deepEqual(told, ['It is no longer there.', 'badge 1', 'shows good']);
    chats.add('good', 'idle');
    await marked.showFirst();
    assert.equal(told.at(-1), 'No conversation needs attention.');
    assert.equal(marked.marks.statusBar, undefined);
  });

  it('count a conversation again once something new has happened in it', async () => {
    await marked.showFirst();
    chats.rows = chats.rows.map((row) => ({ ...row, updatedAt: 1 }));
    assert.equal(marked.marks.first, 'damaged');
  });
});
