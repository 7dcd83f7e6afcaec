import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { nullLogger } from '../../../../src/base/common/log';
import { ChatError } from '../../../../src/chat/common/chatPorts';
import { DeletedConversations } from '../../../../src/chat/common/list/deletedConversations';
import { FakeChats } from '../../../fake/fakeChats';
import { FakeClock } from '../../../fake/fakeClock';

/** A window whose user deletes conversations. */
class Window {
  readonly questions: { message: string; detail: string }[] = [];
  isConfirmed = true;
  whileAsked = (): void => undefined;
  readonly offers: { readonly text: string; readonly answer: (isPressed: boolean) => void }[] = [];
  readonly errors: { readonly text: string; readonly tryAgain: (() => void) | undefined }[] = [];
  readonly deleted: DeletedConversations;

  constructor(
    readonly chats = new FakeChats(),
    readonly clock = new FakeClock(),
  ) {
    chats.nowMs = clock.now();
    this.deleted = new DeletedConversations({
      chats,
      clock,
      dialogs: {
        confirm: (question) => {
          this.questions.push(question);
          this.whileAsked();
          return Promise.resolve(this.isConfirmed);
        },
      },
      offer: (text) => new Promise((answer) => this.offers.push({ text, answer })),
      reportError: (text, tryAgain) => void this.errors.push({ text, tryAgain }),
      log: nullLogger,
    });
    this.deleted.start();
  }

  get ids(): readonly string[] {
    return this.chats.rows.map(({ id }) => id).sort();
  }

  async wait(ms: number): Promise<void> {
    this.clock.advance(ms);
    await setImmediate();
  }
}

describe('a deleted conversation', () => {
  let window: Window;
  beforeEach(() => {
    window = new Window();
    for (const id of ['one', 'two', 'three']) window.chats.add(id);
  });
  afterEach(() => window.deleted.dispose());

  it('is hidden at once, without a question, and removed when its message is gone', async () => {
    assert.equal(await window.deleted.delete(['one']), true);
    assert.deepEqual([window.questions, window.ids], [[], ['three', 'two']]);
    assert.equal(window.offers[0]?.text, 'Deleted “Chat one”.');
    assert.deepEqual(window.chats.removed, []);
    window.offers[0].answer(false);
    await setImmediate();
    assert.deepEqual(window.chats.removed, ['one']);
    await window.wait(120_000);
    assert.deepEqual(window.chats.removed, ['one'], 'once');
  });

  it('is removed after half a minute although its message stays, which then takes nothing back', async () => {
    await window.deleted.delete(['one']);
    await window.wait(29_999);
    assert.deepEqual(window.chats.removed, []);
    await window.wait(1);
    assert.deepEqual(window.chats.removed, ['one']);
    window.offers[0]?.answer(true);
    await setImmediate();
    assert.deepEqual(
      window.errors.map(({ text }) => text),
      ['“Chat one” has already been deleted.'],
    );
    assert.deepEqual(window.ids, ['three', 'two']);
  });

  it('comes back, with those that were deleted with it', async () => {
    await window.deleted.delete(['one', 'three']);
    assert.equal(window.offers[0]?.text, 'Deleted 2 conversations.');
    window.offers[0].answer(true);
    await setImmediate();
    assert.deepEqual(window.ids, ['one', 'three', 'two']);
    await window.wait(120_000);
    assert.deepEqual([window.chats.removed, window.errors], [[], []]);
  });

  it('is not removed while it could not be brought back, and comes back by another try', async () => {
    await window.deleted.delete(['one']);
    const setMarks = window.chats.setMarks.bind(window.chats);
    window.chats.setMarks = () => Promise.reject(new ChatError('storage', 'The disk is full.'));
    window.offers[0]?.answer(true);
    await setImmediate();
    await window.wait(120_000);
    assert.deepEqual([window.chats.removed, window.errors[0]?.text], [[], 'The disk is full.']);
    window.chats.setMarks = setMarks;
    window.errors[0]?.tryAgain?.();
    await setImmediate();
    assert.deepEqual(window.ids, ['one', 'three', 'two']);
  });

  it('is removed for good only after a question if nothing can be written to undo it', async () => {
    window.chats.setMarks = () => Promise.reject(new ChatError('storage', 'The disk is full.'));
    window.isConfirmed = false;
    await window.deleted.delete(['one']);
    assert.match(window.questions[0]?.detail ?? '', /can be undone\. The disk is full\./);
    assert.deepEqual([window.chats.removed, window.offers], [[], []]);
    window.isConfirmed = true;
    await window.deleted.delete(['one']);
    assert.deepEqual([window.chats.removed, window.offers], [['one'], []]);
  });

  it('is stopped first, after a question about all whose agents work', async () => {
    window.chats.add('one', 'busy');
    window.chats.add('two', 'waiting');
    window.isConfirmed = false;
    assert.equal(await window.deleted.delete(['one', 'two', 'three']), false);
    assert.deepEqual(window.ids, ['one', 'three', 'two']);
    window.isConfirmed = true;
    await window.deleted.delete(['one', 'two', 'three']);
    const [, question] = window.questions;
    assert.equal(question?.message, 'Delete 3 conversations?');
    assert.match(question.detail, /^2 agents will be stopped\. You can undo this/);
    assert.deepEqual(window.chats.opened.get('one')?.stops, ['one']);
    assert.deepEqual(window.ids, []);
  });

  it('is stopped by what its agent does after the question, not before', async () => {
    window.chats.add('one', 'busy');
    window.chats.stopTurn = (id) => {
      stopped.push(id);
      return Promise.resolve();
    };
    const stopped: string[] = [];
    window.whileAsked = () => {
      window.chats.add('one', 'idle');
      window.chats.add('two', 'busy');
    };
    await window.deleted.delete(['one', 'two']);
    assert.deepEqual([stopped, window.ids], [['two'], ['three']]);
  });

  it('is asked about if there are many', async () => {
    const many = Array.from({ length: 10 }, (_one, index) => `many${index}`);
    for (const id of many) window.chats.add(id);
    window.isConfirmed = false;
    assert.equal(await window.deleted.delete(many), false);
    assert.equal(window.questions[0]?.message, 'Delete 10 conversations?');
    assert.equal(window.ids.length, 13);
  });

  it('stays if it cannot be stopped, while the others are deleted', async () => {
    window.chats.add('one', 'busy');
    window.chats.stopTurn = () => Promise.reject(new ChatError('readonly', 'Its window does not answer.'));
    await assert.rejects(window.deleted.delete(['one', 'two']), {
      message: '1 conversation could not be deleted. “Chat one”: Its window does not answer.',
    });
    assert.deepEqual(window.ids, ['one', 'three']);
    assert.equal(window.offers[0]?.text, 'Deleted “Chat two”.');
  });

  it('is removed by another window if its own was killed, but not within a minute', async () => {
    await window.deleted.delete(['one']);
    window.deleted.dispose();
    await window.wait(30_000);
    window.offers[0]?.answer(false);
    await setImmediate();
    assert.deepEqual(window.chats.removed, [], 'a window that has ended does nothing');
    const next = new Window(window.chats, window.clock);
    await setImmediate();
    assert.deepEqual(window.chats.removed, []);
    await next.wait(60_000);
    assert.deepEqual(window.chats.removed, ['one']);
    next.deleted.dispose();
  });

  it('is removed later if another window still writes to it', async () => {
    const remove = window.chats.delete.bind(window.chats);
    window.chats.delete = () => Promise.reject(new ChatError('readonly', 'In use.'));
    await window.deleted.delete(['one']);
    window.offers[0]?.answer(false);
    await window.wait(59_999);
    assert.deepEqual([window.chats.removed, window.ids], [[], ['three', 'two']]);
    window.chats.delete = remove;
    await window.wait(60_000);
    assert.deepEqual(window.chats.removed, ['one']);
  });
});
