import assert from 'node:assert/strict';
import { chatRequests, didInvokeCommand } from '../../../src/chat/common/page/chatApi';
import type { ConversationRow } from '../../../src/chat/common/chatView';
import { backends, changes, greeting, now, rows, sessionOf, snapshot } from './support/chatFixtures';
import { until } from '../../support/eventually';
import { pauseClock } from '../support/drawn';
import { overflowing } from '../support/layout';
import { themeNames } from '../support/themes';
import { takePicture } from '../../support/pictures';
import { ChatPages, type ChatHere } from './support/chatPages';

const models = Array.from({ length: 12 }, (_, index) => ({ value: `m${index}`, name: `Model ${index}` }));

describe('the conversations', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const openList = async (chat: ChatHere): Promise<void> => {
    await chat.host.notify(didInvokeCommand, { what: 'showSessions' });
    await chat.page.getByRole('region', { name: 'Conversations', exact: true }).waitFor();
  };
  const row = ({ page }: ChatHere, title: string) => page.locator('.session-open', { hasText: title });

  it('are listed with backend and state, and opened', async () => {
    const chat = await pages.openChat();
    await openList(chat);
    assert.equal(await chat.page.locator('.session').count(), rows.length);
    assert.match((await row(chat, 'Tests for the parser').textContent()) ?? '', /Demo agent.*needs your input/);
    await row(chat, 'Tests for the parser').click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.openSession), { sessionId: 's3' });
    assert.equal(await chat.page.getByRole('region', { name: 'Conversations', exact: true }).count(), 0);
  });

  it('that need the user come first, with the reason and where they run, and then those that work', async () => {
    const need = {
      kind: 'approval',
      text: 'Demo agent wants to run npm test',
      since: now - 120_000,
    } as const;
    const elsewhere = { folder: '/home/me/parser', isGone: false };
    const sessions = rows.map((one) => (one.id === 's3' ? { ...one, need, elsewhere, isInOtherWindow: true } : one));
    const chat = await pages.openChat(snapshot(null, { sessions }), {
      prepare: (host) => (host.clock = () => now),
    });
    await openList(chat);
    const headings = await chat.page
      .getByRole('region', { name: 'Conversations', exact: true })
      .locator('h2')
      .allTextContents();
    assert.deepEqual(headings.slice(0, 3), ['Needs your input', 'Working', 'Today']);
    const text = (await row(chat, 'Tests for the parser').textContent()) ?? '';
    assert.match(text, /needs your input: Demo agent wants to run npm test.*2 min\. ago.*in parser/);
  });

  it('are as old as they are by the clock of the host', async () => {
    const chat = await pages.openChat(undefined, { prepare: (host) => (host.clock = () => now) });
    await openList(chat);
    assert.match((await row(chat, 'Rename greet to welcome').textContent()) ?? '', /1 min\. ago/);
  });

  it('are searched once the typing pauses', async () => {
    const chat = await pages.openChat();
    chat.host.answer(chatRequests.searchSessions, ({ query }) => ({
      sessions: rows.slice(1, 2).map((found) => ({ ...found, snippet: `found ${query}` })),
    }));
    await openList(chat);
    await chat.host.waitFor(chatRequests.searchSessions);
    // No time passes between the letters, however busy the machine is.
    await pauseClock(chat.page, now);
    await chat.page.getByRole('searchbox').pressSequentially('build');
    await chat.page.clock.runFor(1_000);
    await chat.page.getByText('found build').waitFor();
    assert.equal(await chat.page.locator('.session').count(), 1);
    const queries = chat.host.requestsOf(chatRequests.searchSessions).map(({ query }) => query);
    assert.deepEqual(queries, ['', 'build']);
  });

  const kept: ConversationRow = {
    id: 'r1',
    title: 'From the terminal',
    backendId: 'acp:claude',
    backendTitle: 'Claude Code',
    updatedAt: now,
    state: 'idle',
    remote: true,
  };

  it('of the agents themselves stand under their agent', async () => {
    const chat = await pages.openChat(undefined, {
      prepare: (host) => host.answer(chatRequests.searchSessions, () => ({ sessions: [kept] })),
    });
    await openList(chat);
    await chat.page.getByRole('heading', { name: 'Stored by Claude Code' }).waitFor();
    await row(chat, 'From the terminal').click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.openSession), { sessionId: 'r1' });
  });

  const asleep = { id: 'opencode', title: 'opencode', description: '', source: 'found', state: 'stopped' } as const;

  it('that agents keep which do not run are looked for when the user wants it, and stay while the list is open', async () => {
    const chat = await pages.openChat(snapshot(null, { backends: [...backends, asleep] }), {
      prepare: (host) => {
        host.answer(chatRequests.searchSessions, () => ({ sessions: [] }));
        host.answer(chatRequests.listRemoteSessions, () => ({ sessions: [{ ...kept, backendTitle: 'opencode' }] }));
      },
    });
    await openList(chat);
    await chat.page.getByRole('button', { name: 'List conversations from opencode' }).focus();
    await chat.page.keyboard.press('Enter');
    assert.deepEqual(await chat.host.waitFor(chatRequests.listRemoteSessions), { backendId: 'opencode' });
    await chat.page.getByText('1 listed above').waitFor();
    await chat.tell({ backends: [...backends, { ...asleep, state: 'ready' }] });
    await row(chat, 'From the terminal').waitFor();
    assert.equal(await chat.page.locator(':focus').textContent(), 'Refresh');
    const asked = await chat.page.locator('.kept li').allTextContents();
    assert.ok(!asked.some((text) => text.includes('Demo')), 'the demo agent keeps none');
    await chat.page.getByRole('searchbox').fill('nothing of this');
    await row(chat, 'From the terminal').waitFor({ state: 'detached' });
    await chat.page.getByRole('searchbox').fill('');
    await row(chat, 'From the terminal').waitFor();
    await chat.page.getByText('1 listed above').waitFor();
  });

  it('that an agent does not tell of are said not to be known', async () => {
    const chat = await pages.openChat(snapshot(null, { backends: [asleep] }), {
      prepare: (host) =>
        host.answer(chatRequests.listRemoteSessions, () => Promise.reject(new Error('opencode cannot tell.'))),
    });
    await openList(chat);
    await chat.page.getByRole('button', { name: 'List conversations from opencode' }).click();
    await chat.page.getByText('unavailable').waitFor();
    await chat.page.getByRole('alert').filter({ hasText: 'opencode cannot tell.' }).waitFor();
  });

  it('that an agent keeps are not waited for when the user cancels, or closes the list', async () => {
    const asleep = {
      id: 'slow',
      title: 'Slow agent',
      description: '',
      source: 'configured',
      state: 'stopped',
    } as const;
    const chat = await pages.openChat(snapshot(null, { backends: [asleep] }), {
      prepare: (host) => host.answer(chatRequests.listRemoteSessions, () => new Promise<never>(() => undefined)),
    });
    await openList(chat);
    await chat.page.getByRole('button', { name: 'List conversations from Slow agent' }).click();
    await chat.page.getByText('listing…').waitFor();
    await chat.page.getByRole('button', { name: 'Cancel listing conversations from Slow agent' }).click();
    await chat.host.waitFor(chatRequests.cancelListing);
    await chat.page.getByRole('button', { name: 'Refresh conversations from Slow agent' }).click();
    await chat.page.getByText('listing…').waitFor();
    await chat.page.keyboard.press('Escape');
    await chat.host.waitFor(chatRequests.cancelListing, 2);
  });

  it('are renamed in place with F2; Escape leaves them', async () => {
    const chat = await pages.openChat();
    await openList(chat);
    await row(chat, 'Tests for the parser').press('F2');
    const field = chat.page.getByRole('textbox', { name: 'Conversation title' });
    await field.fill('Dropped');
    await field.press('Escape');
    await row(chat, 'Tests for the parser').press('F2');
    await field.fill('Parser tests');
    await field.press('Enter');
    await chat.host.waitFor(chatRequests.renameSession);
    assert.deepEqual(chat.host.requestsOf(chatRequests.renameSession), [{ sessionId: 's3', title: 'Parser tests' }]);
  });

  it('are deleted by key, and exported and opened in a tab by the menu', async () => {
    const chat = await pages.openChat();
    await openList(chat);
    await row(chat, 'Tests for the parser').press('Delete');
    assert.deepEqual(await chat.host.waitFor(chatRequests.deleteSession), { sessionId: 's3' });
    const formats = ['Markdown', 'HTML', 'JSON'];
    for (const format of formats) {
      await chat.page.getByRole('button', { name: 'More Actions for “Tests for the parser”' }).click();
      await chat.page.getByRole('menuitem', { name: `Export as ${format}` }).click();
    }
    await chat.host.waitFor(chatRequests.exportSession, 3);
    assert.deepEqual(
      chat.host.requestsOf(chatRequests.exportSession).map(({ format }) => format),
      ['markdown', 'html', 'json'],
    );
    await chat.page.getByRole('button', { name: 'More Actions for “Tests for the parser”' }).click();
    await chat.page.keyboard.press('Enter');
    assert.deepEqual(await chat.host.waitFor(chatRequests.openInTab), { sessionId: 's3' });
  });

  it('leave the focus on the next one when they are deleted, and in the search after the last', async () => {
    const chat = await pages.openChat();
    await openList(chat);
    const focused = () => chat.page.evaluate(() => document.activeElement?.closest('.session')?.textContent ?? '');
    await row(chat, 'Tests for the parser').press('Delete');
    await chat.tell({ sessions: rows.filter(({ id }) => id !== 's3') });
    await until('the next row', async () => (await focused()).includes('Why does the build fail'));
    await chat.tell({ sessions: rows.filter(({ id }) => id === 's1') });
    await until('the row before', async () => (await focused()).includes('Rename greet'));
    await chat.tell({ sessions: [] });
    await chat.page.waitForFunction(() => document.activeElement?.tagName === 'INPUT');
    await chat.page.keyboard.press('Escape');
    await chat.page.locator('.sessions').waitFor({ state: 'detached' });
  });

  it('are walked with the arrows, and Escape goes back to the composer', async () => {
    const chat = await pages.openChat();
    await openList(chat);
    await chat.page.keyboard.press('ArrowDown');
    await chat.page.keyboard.press('ArrowDown');
    assert.match((await chat.page.locator(':focus').textContent()) ?? '', /Why does the build fail/);
    await chat.page.keyboard.press('Escape');
    assert.equal(await chat.page.locator(':focus').getAttribute('aria-label'), 'Prompt');
    assert.equal(await chat.page.getByRole('region', { name: 'Conversations', exact: true }).count(), 0);
  });

  it('are hidden by the command that shows them', async () => {
    const chat = await pages.openChat();
    await openList(chat);
    await chat.host.notify(didInvokeCommand, { what: 'showSessions' });
    await chat.page.locator('.sessions').waitFor({ state: 'detached' });
  });

  it('are explained when there are none, and shown when the host asks', async () => {
    const chat = await pages.openChat(snapshot(null, { sessions: [] }));
    await chat.host.notify(didInvokeCommand, { what: 'showSessions' });
    await chat.page.getByText('No conversations yet.').waitFor();
  });
});

describe('what a conversation is with', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  it('is picked for a new one by keyboard, each with its state and what to do', async () => {
    const chat = await pages.openChat(snapshot(null));
    await chat.page.getByRole('button', { name: 'Agent: Demo agent' }).press('ArrowDown');
    await chat.page.getByRole('option', { name: /Claude Code.*needs sign-in.*run its login once/ }).waitFor();
    await chat.page.keyboard.press('ArrowDown');
    await chat.page.keyboard.press('Enter');
    assert.deepEqual(await chat.host.waitFor(chatRequests.chooseBackend), { backendId: 'claude' });
    assert.match((await chat.page.locator(':focus').getAttribute('aria-label')) ?? '', /^Agent/);
  });

  it('explains what to do when it is not ready', async () => {
    const chat = await pages.openChat(snapshot(null, { chosenBackend: 'claude', backends }));
    await chat.page.getByRole('button', { name: 'Sign In…' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.repairBackend), { backendId: 'claude' });
  });

  it('gives a prompt back that waits for a sign-in', async () => {
    const waiting = sessionOf({ status: 'signIn', isBusy: true, backendId: 'claude' });
    const chat = await pages.openChat(snapshot(waiting, { backends }));
    await chat.page.getByRole('button', { name: 'Sign In…' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.repairBackend), { backendId: 'claude' });
    await chat.page.getByRole('button', { name: 'Cancel', exact: true }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.stop), { sessionId: waiting.id });
  });

  it('does not start without trust, and leads to it', async () => {
    const chat = await pages.openChat(snapshot(null, { untrusted: true }));
    await chat.page.getByRole('button', { name: 'Manage Workspace Trust' }).click();
    await chat.host.waitFor(chatRequests.manageTrust);
  });

  it('is set up by its options, narrowed by typing', async () => {
    const chat = await pages.openChat(
      snapshot(
        sessionOf({
          options: [
            { type: 'boolean', id: 'web', name: 'Web', value: false },
            { type: 'select', id: 'model', name: 'Model', category: 'model', value: 'm0', choices: models },
          ],
        }),
      ),
    );
    const pickers = chat.page.locator('.composer-pickers');
    // Where the row is narrow, the agent is a picture.
    await pickers.getByRole('button', { name: /Demo agent/ }).waitFor();
    const [, ...names] = await pickers.locator('button').allTextContents();
    assert.deepEqual(names, ['Model 0', 'Web']);
    await chat.page.getByRole('button', { name: 'Model: Model 0' }).click();
    await chat.page.keyboard.type('11');
    await chat.page.keyboard.press('Enter');
    assert.deepEqual(await chat.host.waitFor(chatRequests.setOption), {
      sessionId: 's1',
      optionId: 'model',
      value: 'm11',
    });
    await chat.page.getByRole('button', { name: 'Web', pressed: false }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.setOption, 2), {
      sessionId: 's1',
      optionId: 'web',
      value: true,
    });
  });

  it('changes files, which are reviewed, kept and undone one by one or all', async () => {
    const chat = await pages.openChat(snapshot(sessionOf({ changes })));
    await chat.page.getByRole('button', { name: 'Undo', exact: true }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.revert), { sessionId: 's1' });
    await chat.page.getByRole('button', { name: 'Review', exact: true }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.reviewChanges), { sessionId: 's1' });
    await chat.page.getByText('3 files').click();
    await chat.page.getByRole('button', { name: 'Review Changes with Agent…' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.reviewWithAgent), {});
    await chat.page.getByRole('button', { name: 'Undo Changes in main.ts' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.revert, 2), { sessionId: 's1', path: changes[1]?.path });
    await chat.page.getByRole('button', { name: 'Keep Changes in greeting.ts' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.keepChanges), { sessionId: 's1', path: 'src/greeting.ts' });
    await chat.page.getByTitle('Open Changes in src/welcome.ts').click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.openChange), { sessionId: 's1', path: 'src/welcome.ts' });
  });

  for (const width of [250, 1440]) {
    it(`says how many of its changes are reviewed, in every theme, ${width} px wide`, async () => {
      const update = snapshot(sessionOf({ changes }), { reviewed: { reviewed: 12, total: 20 } });
      const chat = await pages.openChat(update, { width, height: 640, reducedMotion: true });
      const said = chat.page.locator('.changes-reviewed');
      await said.filter({ hasText: '12 of 20' }).waitFor();
      assert.equal(await said.getAttribute('title'), '12 of 20 changes reviewed');
      for (const theme of themeNames) {
        await chat.setTheme(theme);
        await takePicture(chat.page, `reviewed-${width}-${theme}`);
        assert.deepEqual(await chat.axe(), [], theme);
      }
      assert.deepEqual(await overflowing(chat.page), []);
      await chat.tell({ reviewed: null });
      await said.waitFor({ state: 'detached' });
    });
  }

  for (const width of [250, 1440]) {
    it(`says how many comments were not sent, and sends them, in every theme, ${width} px wide`, async () => {
      const update = snapshot(sessionOf({ changes }), { draftComments: 3 });
      const chat = await pages.openChat(update, { width, height: 640, reducedMotion: true });
      const bar = chat.page.getByRole('region', { name: 'Comments that were not sent' });
      await bar.getByText('3 comments', { exact: true }).waitFor();
      for (const theme of themeNames) {
        await chat.setTheme(theme);
        await takePicture(chat.page, `comments-${width}-${theme}`);
        assert.deepEqual(await chat.axe(), [], theme);
      }
      assert.deepEqual(await overflowing(chat.page), []);
      await bar.getByRole('button', { name: 'Send' }).click();
      await chat.host.waitFor(chatRequests.sendComments);
      const attachments = [{ kind: 'comments' as const, id: 'comments:once:a,b', title: '2 comments' }];
      await chat.tell({ draft: { text: '', attachments } });
      await bar.getByText('1 comment', { exact: true }).waitFor();
      await chat.tell({ draftComments: 2 });
      await bar.waitFor({ state: 'detached' });
    });
  }

  it('has changed thousands of files, and shows the first ones', async () => {
    const many = Array.from({ length: 100 }, (_, number) => ({ ...greeting, path: `/work/csv/src/file${number}.ts` }));
    const changeTotals = { files: 5_000, added: 9, removed: 8 };
    const chat = await pages.openChat(snapshot(sessionOf({ changes: many, changeTotals })));
    await chat.page.getByText('5,000 files').click();
    assert.equal(await chat.page.locator('.changes li').count(), 100);
    await chat.page.getByRole('button', { name: '… and 4,900 more files' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.reviewChanges), { sessionId: 's1' });
  });

  it('has renamed a file, which is one change', async () => {
    const path = '/work/csv/src/new.ts';
    const renamedFrom = '/work/csv/src/old.ts';
    const renamed = { ...greeting, path, renamedFrom, change: 'created' } as const;
    const chat = await pages.openChat(snapshot(sessionOf({ changes: [renamed] }), { folders: ['/work/csv'] }));
    await chat.page.getByText('1 file').click();
    await chat.page.locator('.change-former, .renamed-from').filter({ hasText: 'old.ts' }).waitFor();
    await chat.page.getByRole('button', { name: 'Undo Changes in new.ts' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.revert), { sessionId: 's1', path, renamedFrom });
    await chat.page.getByRole('button', { name: 'Keep Changes in new.ts' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.keepChanges), { sessionId: 's1', path, renamedFrom });
  });

  it('shows what failed, with details to copy and something to do', async () => {
    const failed = sessionOf({ status: 'failed', statusText: 'It ended.', statusDetails: 'exit code 1' });
    const chat = await pages.openChat(snapshot(failed));
    await chat.page.getByText('Details', { exact: true }).click();
    await chat.page.getByRole('button', { name: 'Copy Details' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.copy), { text: 'It ended.\n\nexit code 1' });
    await chat.page.getByRole('button', { name: 'Set Up…' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.repairBackend), { backendId: 'demo' });
  });

  it('whose agent is missing offers to install it or to change its entry', async () => {
    const text = '"codex-acp" isn\'t on PATH.';
    const failed = sessionOf({ status: 'failed', statusText: text, statusDetails: 'PATH: /bin' });
    const missing = { ...backends[0], id: failed.backendId, source: 'configured', state: 'unavailable' } as const;
    const view = {
      ...missing,
      title: 'Codex',
      description: 'codex-acp',
      problem: text,
      install: 'npm install -g codex',
    };
    const chat = await pages.openChat(snapshot(failed, { backends: [view] }));
    assert.equal(await chat.page.getByText('PATH: /bin').isVisible(), false, 'details are shown on demand');
    await chat.page.getByRole('button', { name: 'Install in Terminal…', exact: true }).click();
    const asked = await chat.host.waitFor(chatRequests.repairBackend);
    assert.deepEqual(asked, { backendId: failed.backendId, how: 'install' });
    await chat.page.getByRole('button', { name: 'Edit', exact: true }).click();
    await until('both', () => chat.host.requestsOf(chatRequests.repairBackend).length === 2);
    assert.equal(chat.host.requestsOf(chatRequests.repairBackend)[1]?.how, 'edit');
  });

  it('is searched when the host asks', async () => {
    const chat = await pages.openChat();
    await chat.host.notify(didInvokeCommand, { what: 'find' });
    await chat.page.getByRole('textbox', { name: 'Find in conversation' }).waitFor();
  });

  it('shows where its commands go', async () => {
    const chat = await pages.openChat();
    await chat.composer.click();
    await chat.host.waitFor(chatRequests.focused);
  });

  it('begins with a prompt that is offered', async () => {
    const chat = await pages.openChat(snapshot(null));
    await chat.page.getByRole('button', { name: 'What can you do?' }).click();
    await chat.page.waitForFunction(() => document.activeElement?.tagName === 'TEXTAREA');
    await chat.page.keyboard.press('Enter');
    assert.equal((await chat.host.waitFor(chatRequests.send)).text, 'What can you do?');
  });
});
