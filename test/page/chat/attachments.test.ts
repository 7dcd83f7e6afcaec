import assert from 'node:assert/strict';
import { chatRequests } from '../../../src/chat/common/page/chatApi';
import type { MentionRow } from '../../../src/chat/common/chatView';
import { eventually } from '../../support/eventually';
import { sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages, type ChatHere } from './support/chatPages';

const rows: MentionRow[] = [
  { kind: 'file', id: 'f1', title: 'greeting.ts', path: 'src/greeting.ts', detail: 'src', tokens: 1200 },
  { kind: 'folder', id: 'f2', title: 'greetings', path: 'src/greetings' },
];

/** A file is made in the page and pasted or dropped there, as the system would. */
async function give(chat: ChatHere, how: 'paste' | 'drop', file: { type: string; size: number }): Promise<void> {
  await chat.composer.evaluate(
    (element, { how: kind, file: { type, size } }) => {
      const data = new DataTransfer();
      data.items.add(new File([new Uint8Array(size)], 'picture', { type }));
      const init = { bubbles: true, cancelable: true };
      element.dispatchEvent(
        kind === 'paste'
          ? new ClipboardEvent('paste', { ...init, clipboardData: data })
          : new DragEvent('drop', { ...init, dataTransfer: data }),
      );
    },
    { how, file },
  );
}

describe('what goes with a prompt', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const openWithRows = async (): Promise<ChatHere> => {
    const chat = await pages.openChat();
    chat.host.answer(chatRequests.mentions, ({ query }) => ({
      rows: rows.filter(({ title }) => title.includes(query)),
    }));
    return chat;
  };

  it('is named with @ and the arrows, and sent', async () => {
    const chat = await openWithRows();
    await chat.composer.pressSequentially('Read @gre');
    await chat.page.getByRole('option', { name: /greetings/ }).waitFor();
    const activeId = await chat.composer.getAttribute('aria-activedescendant');
    assert.match((await chat.page.locator(`[id="${activeId}"]`).textContent()) ?? '', /greeting\.ts.*1\.2K tokens/);
    await chat.composer.press('ArrowDown');
    await chat.composer.press('Enter');
    assert.equal(await chat.composer.inputValue(), 'Read @greetings ');
    await chat.composer.pressSequentially('now');
    await chat.composer.press('Enter');
    const { text, attachments } = await chat.host.waitFor(chatRequests.send);
    assert.equal(text, 'Read @greetings now');
    assert.deepEqual(
      attachments.map(({ id }) => id),
      ['f2'],
    );
  });

  it('is narrowed to a kind with the keyboard alone: from the list of kinds, or by its word', async () => {
    const chat = await pages.openChat();
    chat.host.answer(chatRequests.mentions, ({ kind, query }) => ({
      rows: rows.filter((row) => (kind === undefined || row.kind === kind) && row.title.includes(query)),
    }));
    await chat.composer.pressSequentially('Read @');
    await chat.page.getByRole('option', { name: /greeting\.ts/ }).waitFor();
    const options = () => chat.page.getByRole('option').allTextContents();
    assert.match((await options())[0] ?? '', /^Files.*@file:/);
    await chat.composer.press('ArrowDown');
    await chat.composer.press('Enter');
    assert.equal(await chat.composer.inputValue(), 'Read @folder:');
    await chat.page.getByRole('option', { name: /greeting\.ts/ }).waitFor({ state: 'detached' });
    assert.equal((await options()).length, 1);
    await chat.composer.pressSequentially('gre');
    // Where typing is slow, the first letters are asked for, too.
    await eventually('the question for all letters', () => {
      const last = chat.host.requestsOf(chatRequests.mentions).at(-1);
      assert.deepEqual(last, { query: 'gre', kind: 'folder' });
    });
    await chat.composer.press('Enter');
    assert.equal(await chat.composer.inputValue(), 'Read @greetings ');
    await chat.composer.pressSequentially('and @file:greetings');
    await chat.page.getByText('No matches for “greetings” in Files').waitFor();
    for (let count = 0; count < 9; count++) await chat.composer.press('Backspace');
    await chat.page.getByRole('option', { name: /greeting\.ts/ }).waitFor();
    await chat.composer.press('Tab');
    assert.equal(await chat.composer.inputValue(), 'Read @greetings and @greeting.ts ');
  });

  it('offers a kind after what is called so', async () => {
    const chat = await pages.openChat();
    chat.host.answer(chatRequests.mentions, () => ({ rows: [{ kind: 'file' as const, id: 'g', title: 'git.ts' }] }));
    await chat.composer.pressSequentially('@gi');
    await chat.page.getByRole('option', { name: /git\.ts/ }).waitFor();
    const options = await chat.page.getByRole('option').allTextContents();
    assert.match(options[1] ?? '', /Git changes/);
    assert.equal(options.length, 2);
  });

  it('is added to when providers answer late, and what is about to be chosen stays so', async () => {
    const late = Promise.withResolvers<true>();
    const chat = await pages.openChat();
    const issue = (id: string): MentionRow => ({ kind: 'context', id, title: `issue-${id}` });
    chat.host.answer(chatRequests.mentions, async ({ isMore }) => {
      if (!isMore) return { rows: [issue('1')], isPartial: true };
      await late.promise;
      return { rows: [issue('2'), issue('1')] };
    });
    await chat.composer.pressSequentially('@is');
    await chat.page.getByRole('option', { name: /issue-1/ }).waitFor();
    late.resolve(true);
    await chat.page.getByRole('option', { name: /issue-2/ }).waitFor();
    const options = await chat.page.getByRole('option').allTextContents();
    assert.deepEqual(
      options.map((text) => text.slice(0, 7)),
      ['issue-1', 'issue-2'],
    );
    await chat.composer.press('Enter');
    assert.equal(await chat.composer.inputValue(), '@issue-1 ');
  });

  it('is looked for again while letters are deleted, until the sign is gone', async () => {
    const chat = await openWithRows();
    await chat.composer.pressSequentially('@greetings');
    await chat.page.getByRole('option', { name: /greetings/ }).waitFor();
    for (let count = 0; count < 6; count++) await chat.composer.press('Backspace');
    await chat.page.getByRole('option', { name: /greeting\.ts/ }).waitFor();
    for (let count = 0; count < 4; count++) await chat.composer.press('Backspace');
    assert.equal(await chat.composer.inputValue(), '');
    assert.equal(await chat.page.getByRole('option').count(), 0);
  });

  it('is taken with Tab in the middle of the text', async () => {
    const chat = await openWithRows();
    await chat.composer.fill('Read  now');
    await chat.composer.press('Home');
    for (let count = 0; count < 5; count++) await chat.composer.press('ArrowRight');
    await chat.composer.pressSequentially('@greeting.');
    await chat.page.getByRole('option', { name: /greeting\.ts/ }).waitFor();
    await chat.composer.press('Tab');
    await chat.composer.pressSequentially('right ');
    assert.equal(await chat.composer.inputValue(), 'Read @greeting.ts right now');
  });

  it('is not asked for when Escape closes the list, and an address of mail is none', async () => {
    const chat = await openWithRows();
    await chat.composer.pressSequentially('@gre');
    await chat.page.getByRole('option').first().waitFor();
    await chat.composer.press('Escape');
    assert.equal(await chat.page.getByRole('option').count(), 0);
    assert.equal(await chat.composer.inputValue(), '@gre');
    await chat.composer.fill('me@gre');
    assert.equal(await chat.page.getByRole('option').count(), 0);
  });

  it('is no command of another agent, which the next conversation would be with', async () => {
    const newCommands = [{ name: 'plan', description: 'Plan first' }];
    const chat = await pages.openChat(snapshot(sessionOf({ commands: [] }), { newCommands }));
    await chat.composer.pressSequentially('/');
    await chat.page.getByText('This agent has no commands').waitFor();
    assert.equal(await chat.page.getByRole('option').count(), 0);
  });

  it('can be a command of the agent, with what it expects', async () => {
    const chat = await openWithRows();
    await chat.composer.pressSequentially('/s');
    await chat.page.getByRole('option', { name: /\/summarize/ }).waitFor();
    assert.equal(await chat.page.getByRole('option').count(), 2);
    await chat.composer.press('Tab');
    assert.equal(await chat.composer.inputValue(), '/summarize ');
    await chat.page.getByText('path', { exact: true }).waitFor();
  });

  it('is marked when its file is gone, and can be removed', async () => {
    const attachments = rows.map(({ kind, id, title, path = '' }) => ({ kind, id, title, path }));
    const chat = await pages.openChat(snapshot(sessionOf(), { draft: { text: 'Read', attachments }, missing: ['f1'] }));
    const missing = chat.page.locator('.chip.is-missing');
    await missing.waitFor();
    assert.equal(await chat.page.locator('.chip').count(), 2);
    assert.match((await missing.textContent()) ?? '', /greeting\.ts.*missing/);
    assert.equal(await missing.getAttribute('title'), 'src/greeting.ts no longer exists. It will not be sent.');
    await chat.page.getByRole('button', { name: 'Remove greeting.ts' }).click();
    await missing.waitFor({ state: 'detached' });
  });

  for (const how of ['paste', 'drop'] as const) {
    it(`can be an image: ${how}`, async () => {
      const chat = await pages.openChat();
      await give(chat, how, { type: 'image/png', size: 10 });
      await chat.page.getByRole('button', { name: 'Remove picture' }).waitFor();
      await chat.composer.press('Enter');
      const { attachments } = await chat.host.waitFor(chatRequests.send);
      assert.deepEqual(attachments[0]?.image, { mimeType: 'image/png', data: 'AAAAAAAAAAAAAA==' });
    });
  }

  it('is no image for an agent that takes none', async () => {
    const chat = await pages.openChat(snapshot(sessionOf({ takesImages: false })));
    await give(chat, 'paste', { type: 'image/png', size: 10 });
    await chat.page.getByText('Demo agent doesn’t support images.').waitFor();
    assert.equal(await chat.page.locator('.chip').count(), 0);
  });

  for (const [name, file, expected] of [
    ['too large', { type: 'image/png', size: 6 * 1024 * 1024 }, /6\.0 MB.*up to 5 MB/],
    ['of a kind that agents do not take', { type: 'image/tiff', size: 10 }, /PNG, JPEG, GIF and WebP/],
    ['no image at all', { type: 'text/plain', size: 10 }, /Only images can be added/],
  ] as const) {
    it(`says so when a file is ${name}`, async () => {
      const chat = await pages.openChat();
      await give(chat, 'drop', file);
      await chat.page.getByText(expected).waitFor();
    });
  }

  it('can be files dropped from VS Code', async () => {
    const chat = await pages.openChat();
    chat.host.answer(chatRequests.rowsForDrop, () => ({ rows: [{ kind: 'file' as const, id: 'd1', title: 'a.ts' }] }));
    await chat.composer.evaluate((element) => {
      const data = new DataTransfer();
      data.setData('text/uri-list', 'file:///w/a.ts\r\nfile:///w/b.ts');
      element.dispatchEvent(new DragEvent('dragover', { bubbles: true, cancelable: true, dataTransfer: data }));
    });
    await chat.page.getByText('Hold Shift and drop').waitFor();
    await chat.composer.evaluate((element) => {
      const data = new DataTransfer();
      data.setData('text/uri-list', 'file:///w/a.ts\r\nfile:///w/b.ts');
      element.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
    });
    assert.deepEqual(await chat.host.waitFor(chatRequests.rowsForDrop), { uris: ['file:///w/a.ts', 'file:///w/b.ts'] });
    await chat.page.getByRole('button', { name: 'Remove a.ts' }).waitFor();
  });

  it('can be what VS Code names better than the system: its own list comes first, images of the workspace too', async () => {
    const chat = await pages.openChat();
    chat.host.answer(chatRequests.rowsForDrop, ({ uris }) => ({
      rows: uris.map((uri) => ({ kind: 'file' as const, id: uri, title: uri.slice(uri.lastIndexOf('/') + 1) })),
    }));
    await chat.composer.evaluate((element) => {
      const data = new DataTransfer();
      data.setData('text/uri-list', 'http://localhost:8000/a.ts');
      data.setData('application/vnd.code.uri-list', '# of the explorer\nvscode-remote://x/w/a.ts\nfile:///w/b.png\n');
      data.items.add(new File([new Uint8Array(1)], 'b.png', { type: 'image/png' }));
      element.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
    });
    assert.deepEqual(await chat.host.waitFor(chatRequests.rowsForDrop), {
      uris: ['vscode-remote://x/w/a.ts', 'file:///w/b.png'],
    });
    await chat.page.getByRole('button', { name: 'Remove b.png' }).waitFor();
    await chat.composer.pressSequentially('Look');
    await chat.composer.press('Enter');
    const { attachments } = await chat.host.waitFor(chatRequests.send);
    assert.deepEqual(
      attachments.map(({ kind, title }) => [kind, title]),
      [
        ['file', 'a.ts'],
        ['file', 'b.png'],
      ],
    );
  });

  it('can be text that is dropped, as the text area takes it', async () => {
    const chat = await pages.openChat();
    const isTaken = await chat.composer.evaluate((element) => {
      const data = new DataTransfer();
      data.setData('text/plain', 'only words');
      return !element.dispatchEvent(new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer: data }));
    });
    assert.equal(isTaken, false);
    assert.deepEqual(chat.host.requestsOf(chatRequests.rowsForDrop), []);
  });

  it('shows what goes by itself, and switches it', async () => {
    const chips = [{ kind: 'selection', label: 'main.ts:1-3', isOn: true, tokens: 40 }];
    const chat = await pages.openChat(snapshot(sessionOf(), { chips }));
    const chip = chat.page.getByRole('button', { name: 'main.ts:1-3', pressed: true });
    await chip.click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.toggleContext), { kind: 'selection', isOn: false });
  });
});
