import assert from 'node:assert/strict';
import { systemClock } from '../../../../src/base/node/systemClock';
import { FakeClock } from '../../../fake/fakeClock';
import { until } from '../../../support/eventually';
import { draft, outline, spoken, Window } from '../support/window';

describe('IdleChats', () => {
  let window: Window;
  let clock: FakeClock;
  beforeEach(async () => {
    clock = new FakeClock();
    window = await Window.open({ clock });
  });
  afterEach(() => window.remove());

  async function kept() {
    const chat = await spoken(window);
    // All is on disk then, for other windows.
    await window.store.search('Hello');
    return chat;
  }

  /** Whether another window could write it now. */
  async function isFree(id: string): Promise<boolean> {
    const other = await Window.open({ folder: window.folder, clock: systemClock });
    try {
      return (await other.chats.open(id)).view.status !== 'readonly';
    } finally {
      await other.close();
    }
  }

  const minutes = (count: number) => {
    for (let minute = 0; minute < count; minute++) clock.advance(60_000);
  };

  it('closes idle conversations after some minutes for other windows, and opens them again', async () => {
    const chat = await kept();
    minutes(4);
    assert.equal(await isFree(chat.id), false);
    minutes(2);
    const again = await window.chats.open(chat.id);
    assert.notEqual(again, chat);
    assert.notEqual(again.view.status, 'readonly', 'it is opened when it has been closed');
    assert.deepEqual(outline(again), outline(chat));
    minutes(10);
    await window.chats.search('');
    await until('it is free', () => window.agent.last.calls.includes('dispose'));
  });

  it('keeps conversations that are held by a page, busy, or remembered only by their agent', async () => {
    const held = await kept();
    const page = held.keepOpen();
    minutes(10);
    assert.equal(await window.chats.open(held.id), held);
    await held.send(draft('Work'));
    page.dispose();
    minutes(10);
    assert.equal(await window.chats.open(held.id), held, 'at work');
    window.agent.last.end();
    await until('the end', () => held.view.status === 'idle');
    minutes(10);
    assert.notEqual(await window.chats.open(held.id), held, 'let go at last');
    window.agent.canLoad = false;
    const chat = await kept();
    minutes(10);
    assert.equal(await window.chats.open(chat.id), chat);
  });

  it('exports conversations without opening them', async () => {
    const chat = await kept();
    const other = await Window.open({ folder: window.folder });
    await until('it is on disk', () => other.store.heads.some(({ id }) => id === chat.id));
    const text = await other.chats.export(chat.id, 'markdown');
    assert.match(text, /Hello[^]*Hi\./);
    const { folder } = window;
    await window.close();
    await other.chats.export(chat.id, 'markdown');
    window = await Window.open({ folder });
    assert.notEqual((await window.chats.open(chat.id)).view.status, 'readonly', 'nobody has taken its lock');
    await other.close();
  });

  it('keeps a read-only conversation complete for its page when another page reopens it', async () => {
    const chat = await kept();
    const other = await Window.open({ folder: window.folder });
    const first = await other.chats.open(chat.id);
    assert.equal(first.view.status, 'readonly');
    const page = first.keepOpen();
    let heard = 0;
    first.transcript.onDidChange(() => heard++);
    await other.chats.open(chat.id);
    first.transcript.put({ kind: 'notice', id: 'n', level: 'info', text: 'still heard', turn: 1 });
    assert.equal(heard, 1);
    page.dispose();
    await other.close();
  });
});
