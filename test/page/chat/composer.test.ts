import assert from 'node:assert/strict';
import { chatRequests, didInvokeCommand, didInsertDraft } from '../../../src/chat/common/page/chatApi';
import { now, sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages, type ChatHere } from './support/chatPages';
import { pauseClock } from '../support/drawn';

/** Each draft has an id of its own, by which its prompt is recognized. */
function withoutId<Sent extends { readonly id?: string | undefined }>({ id, ...rest }: Sent): Omit<Sent, 'id'> {
  assert.match(id ?? '', /^[0-9a-f]{32}$/);
  return rest;
}

describe('the composer', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  /** A draft is saved only when the test lets time go on: a busy machine takes longer to type than a page waits. */
  const openPaused = async (first = snapshot(sessionOf())): Promise<ChatHere> => {
    const chat = await pages.openChat(first);
    await pauseClock(chat.page, now + 1);
    return chat;
  };
  const textOf = ({ composer }: ChatHere): Promise<string> => composer.inputValue();

  it('sends on Enter and begins a line on Shift+Enter', async () => {
    const chat = await openPaused();
    await chat.composer.pressSequentially('one');
    await chat.composer.press('Shift+Enter');
    await chat.composer.pressSequentially('two');
    await chat.composer.press('Enter');
    assert.deepEqual(withoutId(await chat.host.waitFor(chatRequests.send)), {
      sessionId: 's1',
      revision: 1,
      text: 'one\ntwo',
      attachments: [],
    });
    assert.equal(await textOf(chat), '');
  });

  it('sends on Ctrl+Enter, and without a conversation makes one', async () => {
    const chat = await openPaused(snapshot(null));
    await chat.composer.fill('hello');
    await chat.composer.press('Control+Enter');
    assert.deepEqual(withoutId(await chat.host.waitFor(chatRequests.send)), {
      revision: 1,
      text: 'hello',
      attachments: [],
    });
  });

  it('selects all at once, without VS Code, which would do it again over what is typed next', async () => {
    const chat = await pages.openChat();
    await chat.composer.fill('first');
    const heard = await chat.page.evaluateHandle(() => {
      const keys: string[] = [];
      // As the frame that VS Code puts around a page.
      window.addEventListener('keydown', ({ key }) => keys.push(key));
      return keys;
    });
    await chat.composer.press('Control+a');
    await chat.composer.press('x');
    assert.equal(await textOf(chat), 'x');
    assert.deepEqual(await heard.jsonValue(), ['Control', 'x']);
  });

  it('does not send what is empty', async () => {
    const chat = await pages.openChat();
    await chat.composer.fill('  \n ');
    await chat.composer.press('Enter');
    await chat.composer.fill('then this');
    await chat.composer.press('Enter');
    assert.equal((await chat.host.waitFor(chatRequests.send)).text, 'then this');
  });

  for (const [name, init] of [
    ['isComposing', { isComposing: true }],
    ['the key code 229 alone', { keyCode: 229 }],
  ] as const) {
    it(`leaves Enter to an input method that says so by ${name}`, async () => {
      const chat = await pages.openChat();
      await chat.composer.fill('日本');
      await chat.composer.evaluate((element, more) => {
        element.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, ...more }));
      }, init);
      assert.equal(await textOf(chat), '日本');
      await chat.composer.press('Enter');
      await chat.host.waitFor(chatRequests.send);
      assert.equal(chat.host.requestsOf(chatRequests.send).length, 1);
    });
  }

  it('walks the history with the arrows, and leaves what the user has changed', async () => {
    const chat = await pages.openChat();
    const { composer } = chat;
    await composer.press('ArrowUp');
    assert.equal(await textOf(chat), 'third prompt');
    await composer.press('ArrowUp');
    assert.equal(await textOf(chat), 'second prompt\nwith two lines');
    await composer.press('ArrowUp');
    assert.equal(await textOf(chat), 'first prompt');
    await composer.press('ArrowUp');
    assert.equal(await textOf(chat), 'first prompt');
    await composer.press('ArrowDown');
    assert.equal(await textOf(chat), 'second prompt\nwith two lines');
    await composer.press('Control+End');
    await composer.press('ArrowDown');
    assert.equal(await textOf(chat), 'third prompt');
    await composer.press('ArrowDown');
    assert.equal(await textOf(chat), '');
    await composer.fill('my own');
    await composer.press('ArrowUp');
    assert.equal(await textOf(chat), 'my own');
  });

  it('keeps the text when it cannot be sent, and explains why', async () => {
    const chat = await pages.openChat();
    chat.host.answer(chatRequests.send, async () => {
      const draft = { text: 'precious', attachments: [] };
      await chat.tell({ draft, refused: draft });
      throw new Error('The agent could not be started.');
    });
    await chat.composer.fill('precious');
    await chat.composer.press('Enter');
    await chat.page.getByText('The agent could not be started.').waitFor();
    assert.equal(await textOf(chat), 'precious');
    await chat.page.getByRole('button', { name: 'Dismiss' }).click();
    assert.equal(await chat.page.getByText('The agent could not be started.').count(), 0);
  });

  it('puts what failed before what was typed meanwhile', async () => {
    const chat = await pages.openChat();
    const { promise, reject } = Promise.withResolvers<never>();
    chat.host.answer(chatRequests.send, () => promise);
    await chat.composer.fill('first');
    await chat.composer.press('Enter');
    await chat.composer.fill('second');
    const first = { text: 'first', attachments: [] };
    await chat.tell({ draft: first, refused: first });
    reject(new Error('No.'));
    await chat.page.getByText('No.').waitFor();
    assert.equal(await textOf(chat), 'first\nsecond');
  });

  it('saves the draft soon, and has it again after a reload even before the host speaks', async () => {
    const chat = await pages.openChat();
    await chat.composer.fill('half a thought');
    assert.deepEqual(withoutId(await chat.host.waitFor(chatRequests.saveDraft)), {
      sessionId: 's1',
      revision: 1,
      text: 'half a thought',
      attachments: [],
    });
    chat.host.answer(chatRequests.ready, () => ({}));
    await chat.page.reload();
    await chat.composer.waitFor();
    assert.equal(await textOf(chat), 'half a thought');
  });

  it('has the last characters after a reload that came before they were saved, and saves them', async () => {
    const chat = await openPaused();
    await chat.composer.fill('the last characters');
    assert.deepEqual(chat.host.requestsOf(chatRequests.saveDraft), []);
    await chat.page.reload();
    await chat.composer.waitFor();
    await chat.tell({ ...snapshot(sessionOf()), draft: { text: 'the la', attachments: [] } });
    assert.equal(await textOf(chat), 'the last characters');
    await chat.page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
    assert.equal((await chat.host.waitFor(chatRequests.saveDraft)).text, 'the last characters');
  });

  it('tells the host after a reload what it has sent without an answer', async () => {
    const chat = await openPaused(snapshot(null));
    chat.host.answer(chatRequests.send, () => new Promise(() => undefined));
    await chat.composer.fill('on its way');
    await chat.composer.press('Enter');
    const { id } = await chat.host.waitFor(chatRequests.send);
    await chat.page.reload();
    await chat.composer.waitFor();
    const { unconfirmed } = await chat.host.waitFor(chatRequests.ready, 2);
    assert.deepEqual(unconfirmed, [{ draft: { id, text: 'on its way', attachments: [] } }]);
  });

  it('saves the draft at once when the page goes', async () => {
    const chat = await pages.openChat();
    await chat.composer.fill('last words');
    await chat.page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
    assert.equal((await chat.host.waitFor(chatRequests.saveDraft)).text, 'last words');
  });

  it('shows the draft of another conversation, and saves that of the one before with its own', async () => {
    const chat = await pages.openChat();
    await chat.composer.fill('for the first');
    await chat.tell({
      ...snapshot(sessionOf({ id: 's2' })),
      draft: { text: 'for the second', attachments: [] },
    });
    assert.equal(await textOf(chat), 'for the second');
    assert.deepEqual(withoutId(await chat.host.waitFor(chatRequests.saveDraft)), {
      sessionId: 's1',
      revision: 1,
      text: 'for the first',
      attachments: [],
    });
  });

  it('keeps what is typed while its first prompt makes the conversation', async () => {
    const chat = await openPaused(snapshot(null));
    const { promise, resolve } = Promise.withResolvers<Record<string, never>>();
    chat.host.answer(chatRequests.send, () => promise);
    await chat.composer.fill('first');
    await chat.composer.press('Enter');
    await chat.composer.fill('next thought');
    await chat.tell(snapshot(sessionOf({ id: 's9' }), { keepsComposer: true }));
    resolve({});
    await chat.page.clock.runFor(300);
    assert.equal(await textOf(chat), 'next thought');
    const saved = await chat.host.waitFor(chatRequests.saveDraft);
    assert.deepEqual([saved.sessionId, saved.text], ['s9', 'next thought'], 'where it belongs now');
  });

  it('saves with the conversation what it saved before its first prompt had made one', async () => {
    const chat = await openPaused(snapshot(null));
    chat.host.answer(chatRequests.send, () => new Promise(() => undefined));
    await chat.composer.fill('first');
    await chat.composer.press('Enter');
    await chat.composer.fill('next thought');
    await chat.page.clock.runFor(300);
    const early = await chat.host.waitFor(chatRequests.saveDraft);
    await chat.tell(snapshot(sessionOf({ id: 's9' }), { keepsComposer: true }));
    await chat.page.clock.runFor(300);
    const saved = await chat.host.waitFor(chatRequests.saveDraft, 2);
    assert.deepEqual([early.sessionId, saved.sessionId], [undefined, 's9']);
    assert.deepEqual([saved.text, await textOf(chat)], ['next thought', 'next thought']);
  });

  it('numbers what it hands over, the prompt before what is typed after it', async () => {
    const chat = await openPaused();
    await chat.composer.fill('first');
    await chat.composer.press('Enter');
    await chat.composer.fill('second');
    const sent = await chat.host.waitFor(chatRequests.send);
    await chat.page.clock.runFor(300);
    const saved = await chat.host.waitFor(chatRequests.saveDraft);
    assert.deepEqual([sent.revision, saved.revision, saved.text], [1, 2, 'second']);
  });

  it('queues while a turn runs, and stops by button and by key', async () => {
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'busy' })));
    await chat.composer.fill('and then');
    await chat.page.getByRole('button', { name: 'Queue', exact: true }).click();
    assert.equal((await chat.host.waitFor(chatRequests.send)).text, 'and then');
    await chat.page.getByRole('button', { name: 'Stop' }).click();
    await chat.composer.press('Shift+Escape');
    assert.deepEqual(await chat.host.waitFor(chatRequests.stop, 2), { sessionId: 's1' });
  });

  it('says what the agent does without a prompt, and offers to stop it and to send one', async () => {
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'idle', activity: { kind: 'answering' } })));
    await chat.page.getByText('Answering').waitFor();
    await chat.composer.fill('and then');
    await chat.page.getByRole('button', { name: 'Send', exact: true }).click();
    assert.equal((await chat.host.waitFor(chatRequests.send)).text, 'and then');
    await chat.page.getByRole('button', { name: 'Stop' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.stop), { sessionId: 's1' });
  });

  it('takes a prompt out of the queue to be edited, and sends those held back', async () => {
    const queue = [{ id: 'q1', text: 'queued one', attachments: [] }];
    const chat = await pages.openChat(snapshot(sessionOf({ queue })));
    chat.host.answer(chatRequests.unqueue, () => ({ text: 'queued one', attachments: [] }));
    await chat.page.getByRole('button', { name: 'Send Now' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.sendQueued), { sessionId: 's1' });
    await chat.page.getByRole('button', { name: 'Edit Prompt' }).click();
    await chat.page.waitForFunction(() => document.querySelector('textarea')?.value === 'queued one');
    assert.deepEqual(chat.host.requestsOf(chatRequests.unqueue), [{ sessionId: 's1', id: 'q1', isEdited: true }]);
  });

  it('takes what the host inserts, behind what is there, with the focus', async () => {
    const chat = await pages.openChat();
    await chat.composer.fill('See');
    await chat.page.getByRole('heading', { level: 1 }).click();
    const attachment = { kind: 'selection' as const, id: 'sel', title: 'main.ts:1-3' };
    await chat.host.notify(didInsertDraft, { text: '@main.ts:1-3 ', attachments: [attachment] });
    await chat.page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
    assert.equal(await textOf(chat), 'See\n@main.ts:1-3 ');
    await chat.page.getByRole('button', { name: 'Remove main.ts:1-3' }).click();
    assert.equal(await chat.page.getByText('main.ts:1-3', { exact: true }).count(), 0);
  });

  it('opens an attached text, and sends what the host inserts if that is wanted and nothing was typed', async () => {
    const chat = await pages.openChat();
    const attachment = { kind: 'text' as const, id: 'text:1', title: 'Exception', tokens: 40 };
    const draft = { text: 'Why?', attachments: [attachment] };
    await chat.host.notify(didInsertDraft, draft);
    await chat.page.getByRole('button', { name: 'Exception', exact: true }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.openAttachment), { attachment });
    await chat.host.notify(didInsertDraft, { ...draft, sends: true });
    await chat.page.waitForFunction(() => document.querySelector('textarea')?.value === 'Why?\nWhy?');
    assert.deepEqual(chat.host.requestsOf(chatRequests.send), []);
    await chat.composer.fill('');
    await chat.page.getByRole('button', { name: 'Remove Exception' }).click();
    await chat.host.notify(didInsertDraft, { ...draft, sends: true });
    const sent = await chat.host.waitFor(chatRequests.send);
    assert.deepEqual([sent.text, sent.attachments], ['Why?', [attachment]]);
  });

  it('takes the focus when it is asked to', async () => {
    const chat = await pages.openChat();
    await chat.host.notify(didInvokeCommand, { what: 'focusComposer' });
    await chat.page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
  });

  it('cannot be written in when another window has the conversation', async () => {
    const chat = await pages.openChat(snapshot(sessionOf({ status: 'readonly' })));
    assert.ok(await chat.composer.isDisabled());
    await chat.page.getByText('This conversation is open in another window').waitFor();
  });

  it('reports that it is alive while it is visible', async () => {
    const chat = await pages.openChat(undefined, { prepare: () => undefined });
    await chat.page.clock.install();
    await chat.page.reload();
    await chat.composer.waitFor();
    await chat.page.clock.runFor(10_500);
    await chat.host.waitFor(chatRequests.alive, 2);
  });
});
