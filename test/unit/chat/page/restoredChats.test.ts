import assert from 'node:assert/strict';
import { nullLogger } from '../../../../src/base/common/log';
import { ChatError, type Chat } from '../../../../src/chat/common/chatPorts';
import { RestoredChats } from '../../../../src/chat/vscode/pages/restoredChats';
import type { NoticeAction } from '../../../../src/platform/common/noticeBoard';
import { FakeChat } from '../../../fake/fakeChats';
import { MemoryMemento } from '../../../fake/memoryMemento';

const id = 'conversation';

describe('conversations that a window shows again after a reload', () => {
  let memento: MemoryMemento;
  let told: { message: string; actions: readonly NoticeAction[] }[];
  let done: string[];
  const chat: Chat = new FakeChat(id);

  beforeEach(() => {
    memento = new MemoryMemento();
    told = [];
    done = [];
  });

  /** A window in which conversations open as `open` says. */
  function newWindow(open: () => Promise<Chat>, isAside = false): RestoredChats {
    const row = { id, title: 'Build', backendId: 'acp:one', backendTitle: 'One', updatedAt: 1, state: 'idle' as const };
    return new RestoredChats({
      chats: {
        rows: isAside ? [] : [row],
        openAsides: isAside ? [{ id, about: 'Build', updatedAt: 1 }] : [],
        open,
        compact: () => Promise.resolve(void done.push('compact')),
      },
      memento,
      messages: {
        warning: (message, ...actions) => void told.push({ message, actions }),
        error: (message) => void done.push(message),
      },
      log: nullLogger,
      deleteChat: () => Promise.resolve(done.push('delete')),
    });
  }
  const run = async (label: string): Promise<void> => {
    await told
      .at(-1)
      ?.actions.find((action) => action.label === label)
      ?.run();
  };
  const show = (): void => void done.push('show');
  const works = (): Promise<Chat> => Promise.resolve(chat);
  const neverEnds = (): Promise<Chat> => new Promise(() => undefined);

  it('open by themselves, and leave no mark', async () => {
    assert.equal(await newWindow(works).open(id, show), chat);
    assert.equal(await newWindow(works).open(id, show), chat);
    assert.deepEqual(told, []);
  });

  it('do not open by themselves after the extension host ended while they opened', async () => {
    void newWindow(neverEnds).open(id, show);
    await Promise.resolve();
    const next = newWindow(works);
    assert.equal(await next.open(id, show), undefined);
    assert.match(told[0]?.message ?? '', /“Build” was not opened/);
    assert.deepEqual(
      told[0]?.actions.map(({ label }) => label),
      ['Open', 'Compact', 'Delete'],
    );
    await run('Open');
    assert.deepEqual(done, ['show']);
    await run('Compact');
    assert.deepEqual(done, ['show', 'compact', 'show']);
    await run('Delete');
    assert.deepEqual(done, ['show', 'compact', 'show', 'delete']);
    assert.equal(await newWindow(works).open(id, show), chat);
  });

  it('that are side questions do not open by themselves either then', async () => {
    void newWindow(neverEnds, true).open(id, show);
    await Promise.resolve();
    assert.equal(await newWindow(works, true).open(id, show), undefined);
    assert.match(told[0]?.message ?? '', /A conversation was not opened/);
  });

  it('are shown by the view and by a tab at once, and named once if they are not opened', async () => {
    const opening = newWindow(() => Promise.resolve(chat));
    assert.deepEqual(await Promise.all([opening.open(id, show), opening.open(id, show)]), [chat, chat]);
    assert.deepEqual(told, []);
    void newWindow(neverEnds).open(id, show);
    await Promise.resolve();
    const next = newWindow(works);
    assert.deepEqual(await Promise.all([next.open(id, show), next.open(id, show)]), [undefined, undefined]);
    assert.equal(told.length, 1);
    await run('Open');
    assert.equal(await next.open(id, show), chat);
  });

  it('stay unopened over further reloads, until they were shown', async () => {
    memento.values.set('chat.opening', [id]);
    for (const count of [1, 2]) {
      assert.equal(await newWindow(works).open(id, show), undefined);
      assert.equal(told.length, count);
    }
    const last = newWindow(works);
    await last.noteShown(id);
    assert.equal(await last.open(id, show), chat);
    assert.equal(await newWindow(works).open(id, show), chat);
    assert.equal(told.length, 2);
  });

  it('are forgotten if they were deleted', async () => {
    memento.values.set('chat.opening', ['deleted']);
    const gone = newWindow(() => Promise.reject(new ChatError('notFound', 'It was deleted.')));
    assert.equal(await gone.open('deleted', show), undefined);
    assert.deepEqual(told, []);
    assert.equal(memento.values.get('chat.opening'), undefined);
  });

  it('are marked again while the user opens them', async () => {
    memento.values.set('chat.opening', [id]);
    const window = newWindow(neverEnds);
    await window.open(id, show);
    void run('Open');
    await Promise.resolve();
    assert.deepEqual(memento.values.get('chat.opening'), [id]);
  });

  it('say why they could not be opened, unless they were deleted', async () => {
    const damaged = new ChatError('unreadable', 'It could not be read.');
    assert.equal(await newWindow(() => Promise.reject(damaged)).open(id, show), undefined);
    assert.match(told[0]?.message ?? '', /“Build” could not be opened\. It could not be read/);
    await run('Open');
    assert.deepEqual(done, ['It could not be read.']);
    const deleted = new ChatError('notFound', 'It was deleted.');
    assert.equal(await newWindow(() => Promise.reject(deleted)).open(id, show), undefined);
    assert.equal(told.length, 1);
  });
});
