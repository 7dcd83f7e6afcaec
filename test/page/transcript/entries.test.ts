import assert from 'node:assert/strict';
import type { Entry } from '../../../src/transcript/common/entries';
import { pauseClock } from '../support/drawn';
import { PageHarness, type OpenedPage, type PageOptions } from '../support/pageHarness';
import { sampleEntries, toolEntry } from './sample';
import { ask, did, didPatch, showAll } from './transcriptPageApi';

const page: PageOptions = {
  entry: 'test/page/transcript/transcriptPage.tsx',
  style: 'test/page/transcript/transcriptPage.css',
  height: 2_600,
};

/** What a turn has changed is kept and reverted in the newest one. */
const firstTurn = (): Entry[] => sampleEntries().filter(({ turn }) => turn < 2);

describe('the entries of a transcript', () => {
  const pages = new PageHarness();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  async function open(entries: Entry[], options: Partial<PageOptions> = {}): Promise<OpenedPage> {
    const opened = await pages.openPage({ ...page, ...options });
    await opened.host.notify(didPatch, { reset: true, put: entries, before: 0 });
    await opened.page.locator('.entry').first().waitFor();
    return opened;
  }

  /** The arguments of the action that is told next. */
  async function actionOf({ host }: OpenedPage, act: () => Promise<void>): Promise<unknown[]> {
    const nth = host.requestsOf(did).length + 1;
    await act();
    const { action, args } = await host.waitFor(did, nth);
    return [action, ...args];
  }

  it('shows something of every kind', async () => {
    const { page: shown } = await open(sampleEntries());
    const text = (await shown.locator('.turns').innerText()).replace(/\s+/g, ' ');
    for (const words of [
      'The CSV parser splits quoted fields.',
      'Thought for 12 s',
      '1 of 4 done',
      'Read src/csv/parse.ts',
      'Needs approval',
      'const fields: string[] = [];',
      'Exit code 1',
      'The command ended with exit code 1.',
      'Decision: Allow once',
      'There are two callers.',
      'The bug is in splitRow',
      '3 files changed',
      '1 min 4 s 13.2K tokens $0.0123',
      'The model was changed to “fast”.',
      'Earlier messages were summarized',
      'audio block',
      'The agent ended unexpectedly.',
    ]) {
      assert.ok(text.includes(words), `"${words}" in ${text}`);
    }
  });

  for (const [outcome, title] of [
    ['cancelled', 'Stopped'],
    ['interrupted', 'Interrupted'],
    ['failed', 'Failed'],
    ['refused', 'Refused'],
    ['limit', 'Limit reached'],
  ] as const) {
    it(`shows that a turn ended as ${outcome}, also without a text`, async () => {
      const { page: shown } = await open([{ kind: 'end', id: 'e', turn: 1, outcome }]);
      assert.equal(await shown.locator('.outcome').innerText(), title);
    });
  }

  it('shows nothing for a turn that went well and left nothing', async () => {
    const { page: shown } = await open([
      { kind: 'prompt', id: 'p', turn: 1, text: 'Hi' },
      { kind: 'end', id: 'e', turn: 1, outcome: 'completed' },
    ]);
    assert.equal(await shown.locator('.entry').count(), 1);
  });

  it('opens cards that continue, and closes those that are done', async () => {
    const call = toolEntry({ id: 't', state: 'running', input: '{}' });
    const { page: shown, host } = await open([call]);
    assert.equal(await shown.locator('.tool[open]').count(), 1);
    await host.notify(didPatch, { put: [{ ...call, state: 'done' }], before: 0 });
    await shown.locator('.tool:not([open])').waitFor();
  });

  it('shows what a subagent was told, did and reported, in this order, and closes a long task', async () => {
    const [call] = sampleEntries().filter(({ id }) => id === 'agent1');
    assert.ok(call?.kind === 'tool');
    const { page: shown, host } = await open(sampleEntries());
    const words = async (): Promise<string> =>
      (await shown.locator('.tool').filter({ hasText: 'general-purpose' }).innerText()).replace(/\s+/g, ' ');
    assert.match(
      await words(),
      /general-purpose · Sonnet · Effort: High Task Find all callers of splitRow, also in the tests\. I look at the parser first\. There are two callers\..* Report Two files call it\./,
    );
    const parts = call.parts.map((part) =>
      part.type === 'text' && part.role === 'task' ? { ...part, text: 'All callers. '.repeat(60) } : part,
    );
    await host.notify(didPatch, { put: [{ ...call, parts }], before: 0 });
    await shown.locator('.words:not([open])').getByText('Task').waitFor();
    assert.match(await words(), /Effort: High Task I look/);
  });

  it('stops one call from its row, says so until the agent has, and keeps the row and the focus in place', async () => {
    const call = toolEntry({ id: 't', title: 'npm test', state: 'running', input: '{}', canStop: true });
    const waiting = toolEntry({ id: 'w', title: 'rm -rf old', state: 'waiting', canStop: true });
    const { page: shown, host } = await open([call, waiting, toolEntry({ id: 'done', state: 'done' })]);
    const answers: PromiseWithResolvers<undefined>[] = [];
    host.answer(did, async () => {
      const answer = Promise.withResolvers<undefined>();
      answers.push(answer);
      await answer.promise;
      return {};
    });
    const names = (): Promise<(string | null)[]> =>
      shown.locator('.tool-stop').evaluateAll((all) => all.map((button) => button.getAttribute('aria-label')));
    const place = (): Promise<unknown> => shown.locator('.tool').first().boundingBox();
    assert.deepEqual(await names(), ['Stop “npm test”', 'Deny “rm -rf old”']);
    const before = await place();
    await shown.locator('.tool-stop').first().focus();
    await shown.keyboard.press('Enter');
    await shown.keyboard.press('Enter');
    assert.deepEqual(await host.waitFor(did), { action: 'stopCall', args: ['t'] });
    await shown.getByText('Stopping…').waitFor();
    assert.deepEqual([await names(), await place()], [['Stopping “npm test”', 'Deny “rm -rf old”'], before]);
    // The agent has refused.
    answers[0]?.resolve(undefined);
    await shown.getByText('Stopping…').waitFor({ state: 'detached' });
    assert.deepEqual([await names(), host.requestsOf(did).length], [['Stop “npm test”', 'Deny “rm -rf old”'], 1]);
    await shown.keyboard.press('Enter');
    await shown.getByText('Stopping…').waitFor();
    await host.notify(didPatch, { put: [{ ...call, state: 'cancelled', canStop: false }], before: 0 });
    await shown.getByText('Stopping…').waitFor({ state: 'detached' });
    assert.deepEqual(await names(), ['Deny “rm -rf old”']);
    assert.equal(await shown.evaluate(() => document.activeElement?.tagName), 'SUMMARY');
  });

  it('leaves a card as the user put it', async () => {
    const call = toolEntry({ id: 't', state: 'running', input: '{}' });
    const { page: shown, host } = await open([call]);
    await shown.locator('.tool > summary').click();
    await host.notify(didPatch, { put: [{ ...call, state: 'failed' }], before: 0 });
    await shown.locator('.tool-failed:not([open])').waitFor();
  });

  it('numbers the lines of a diff on both sides', async () => {
    const { page: shown } = await open(sampleEntries());
    await shown.locator('.tool-waiting > summary').click();
    const rows = await shown.locator('.diff-lines tr').allInnerTexts();
    assert.deepEqual(rows.map((row) => row.replace(/\s+/g, ' ').trim()).slice(1, 3), [
      "41 − return row.split(',');",
      '41 + const fields: string[] = [];',
    ]);
  });

  it('shows the last lines of a command in colour, and all on demand', async () => {
    const { page: shown } = await open(sampleEntries());
    const output = shown.locator('.terminal-output');
    assert.match(await output.innerText(), /^✔ case 29 [\s\S]*case 40 of the parser$/);
    assert.ok((await output.locator('[class*="ansi-fg-"]').count()) > 0);
    await shown.getByRole('button', { name: 'Show all (40 lines)' }).click();
    assert.match(await output.innerText(), /^✔ case 1 of/);
  });

  it('shows every colour of a command, also when its output changes', async () => {
    const shell = (output: string): Entry =>
      toolEntry({ id: 'shell', parts: [{ type: 'terminal', command: 'npm test', output }] });
    const colours = (): Promise<string[]> =>
      shown.locator('.terminal-output span').evaluateAll((runs) => runs.map((run) => getComputedStyle(run).color));
    const { page: shown, host } = await open([shell('\u001b[38;2;200;100;50mrunning')]);
    await shown.locator('.tool > summary').click();
    assert.deepEqual(await colours(), ['rgb(200, 100, 50)']);
    await host.notify(didPatch, { put: [shell('\u001b[38;2;50;100;200mdone')], before: 0 });
    await shown.locator('.terminal-output').getByText('done').waitFor();
    assert.deepEqual(await colours(), ['rgb(50, 100, 200)']);
  });

  it('asks for what the buttons say', async () => {
    const opened = await open(firstTurn());
    const click = (name: string) => (): Promise<void> =>
      opened.page.getByRole('button', { name, exact: true }).first().click();
    const absolute = '/work/csv/src/csv/parse.ts';
    assert.deepEqual(await actionOf(opened, click('Edit and Resend')), ['editPrompt', 'p1']);
    assert.deepEqual(await actionOf(opened, click('parse.ts')), ['open', absolute, null]);
    await opened.page.locator('.tool-waiting > summary').click();
    assert.deepEqual(await actionOf(opened, click('Open Diff Editor')), ['openDiff', 'edit1', 0]);
    assert.deepEqual(await actionOf(opened, click('Copy Command')), ['copy', 'npm test -- parse']);
    await opened.page.getByText('3 files changed').click();
    assert.deepEqual(await actionOf(opened, click(`Undo Changes from This Turn in ${absolute}`)), [
      'revert',
      absolute,
      1,
      null,
    ]);
    assert.deepEqual(await actionOf(opened, click('Review Changes from This Turn')), ['reviewChanges', 1]);
    assert.deepEqual(await actionOf(opened, click('parse.ts /work/csv/src/csv')), ['openChange', absolute, 1, null]);
    assert.equal((await actionOf(opened, click('Copy Answer')))[0], 'copy');
  });

  it('has no button for what cannot be done', async () => {
    const { page: shown } = await open(firstTurn(), { data: { actions: 'few' } });
    for (const name of ['Edit and Resend', 'Open Diff Editor', 'Review Changes from This Turn']) {
      assert.equal(await shown.getByRole('button', { name }).count(), 0, name);
    }
    assert.ok((await shown.getByRole('button', { name: 'Copy Answer' }).count()) > 0);
  });

  it('opens a picture larger, and closes it by Escape', async () => {
    const { page: shown } = await open(sampleEntries());
    await shown.getByRole('button', { name: 'Enlarge screenshot.png' }).click();
    await shown.getByRole('dialog', { name: 'screenshot.png' }).waitFor();
    await shown.keyboard.press('Escape');
    await shown.getByRole('dialog').waitFor({ state: 'hidden' });
  });

  it('shows no picture that may hold a program', async () => {
    const part = { type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zy8+', title: 'Logo' } as const;
    const { page: shown } = await open([{ kind: 'media', id: 'm', turn: 1, part }]);
    assert.equal(await shown.locator('img').count(), 0);
    await shown.getByText('Logo (image/svg+xml is not supported)').waitFor();
  });

  it('tells how long ago a prompt was, as time goes on', async () => {
    const opened = await pages.openPage({ ...page, data: { times: 'relative' } });
    // The page knows the time from its host, whose clock is this process's.
    await pauseClock(opened.page, Date.UTC(2026, 10, 21, 12));
    const at = Date.now() - 90_000;
    await opened.host.notify(didPatch, {
      reset: true,
      put: [{ kind: 'prompt', id: 'p', turn: 1, at, text: 'Hi' }],
      before: 0,
    });
    const time = opened.page.locator('time');
    await time.filter({ hasText: '1 min. ago' }).waitFor();
    await opened.page.clock.runFor(60_000);
    await time.filter({ hasText: '2 min. ago' }).waitFor();
  });

  it('keeps still for those who want that', async () => {
    const calls = [
      toolEntry({ id: 't', state: 'running', input: '{}', startedAt: Date.now() }),
      { kind: 'thinking', id: 'th', turn: 1, text: 'Hm', streaming: true } as const,
    ];
    const moving = async (reducedMotion: boolean): Promise<string[]> => {
      const { page: shown } = await open(calls, { reducedMotion });
      return shown.evaluate(() =>
        document.getAnimations().map((animation) => (animation instanceof CSSAnimation ? animation.animationName : '')),
      );
    };
    assert.ok((await moving(false)).includes('breathe'));
    assert.ok(!(await moving(true)).includes('breathe'));
  });

  it('shows when all of something could not be shown, and tries again', async () => {
    const part = { type: 'text', text: 'the end', plain: true, omitted: 20_000 } as const;
    const opened = await open([toolEntry({ id: 't', state: 'failed', parts: [part] })], {
      prepare: (host) =>
        host.answer(showAll, () => {
          throw new Error('The disk is gone.');
        }),
    });
    await opened.page.getByRole('button', { name: 'Show all (20 KB)' }).click();
    await opened.page.getByRole('button', { name: 'Could not load. Try again.' }).click();
    await opened.host.waitFor(showAll, 2);
  });

  it('marks in a prompt what was not sent with it', async () => {
    const gone = { kind: 'file', title: 'gone.ts', path: '/ws/gone.ts', notSent: true } as const;
    const there = { kind: 'file', title: 'there.ts', path: '/ws/there.ts' } as const;
    const { page: shown } = await open([
      { kind: 'prompt', id: 'p', turn: 1, text: 'Compare', attachments: [gone, there] },
    ]);
    const marked = shown.locator('.attachment.is-not-sent');
    assert.deepEqual(await marked.allTextContents(), ['gone.tsnot sent']);
    assert.equal(await shown.getByRole('button', { name: 'gone.ts' }).count(), 0, 'there is nothing to open');
    assert.equal(await shown.getByRole('button', { name: 'there.ts' }).count(), 1);
  });

  it('shows the instructions that were sent with a prompt, by a click', async () => {
    const text = `Be brief.\n${'Only review. '.repeat(300)}`;
    const instructions = { kind: 'text', title: 'Instructions', text } as const;
    const { page: shown } = await open([{ kind: 'prompt', id: 'p', turn: 1, text: 'Go', attachments: [instructions] }]);
    const chip = shown.getByRole('button', { name: 'Instructions' });
    assert.match((await chip.getAttribute('title')) ?? '', /^Sent with the prompt:\n\nBe brief\.\nOnly review\./);
    assert.equal(await chip.getAttribute('aria-expanded'), 'false');
    await chip.click();
    const region = shown.getByRole('region', { name: 'Instructions' });
    assert.equal(await region.textContent(), text);
    assert.ok(((await region.boundingBox())?.height ?? 0) < 250, 'it scrolls');
    await chip.click();
    assert.equal(await region.count(), 0);
  });

  it('folds a long prompt', async () => {
    const { page: shown } = await open([{ kind: 'prompt', id: 'p', turn: 1, text: 'line\n'.repeat(40) }]);
    const height = async (): Promise<number> => (await shown.locator('.prompt-text').boundingBox())?.height ?? 0;
    const folded = await height();
    await shown.getByRole('button', { name: 'Show More' }).click();
    assert.ok((await height()) > folded * 2);
  });

  it('finds text, across marks and without regard to case', async () => {
    const { page: shown, host } = await open(sampleEntries());
    await host.notify(ask, { what: 'find' });
    await shown.getByRole('textbox', { name: 'Find in conversation' }).fill('A SEPARATOR INSIDE quotes ends the field');
    const count = shown.locator('.find-count');
    await count.filter({ hasText: /^1 of 1$/ }).waitFor();
    await shown.getByRole('textbox').fill('parser');
    await count.filter({ hasText: /^1 of/ }).waitFor();
    await shown.keyboard.press('Enter');
    await count.filter({ hasText: /^2 of/ }).waitFor();
    await shown.keyboard.press('Shift+Enter');
    await count.filter({ hasText: /^1 of/ }).waitFor();
    await shown.getByRole('textbox').fill('nowhere to be found');
    await shown.getByText('No results').waitFor();
    await shown.keyboard.press('Escape');
    assert.equal(await shown.getByRole('textbox').count(), 0);
  });
});
