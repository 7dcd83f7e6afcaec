import assert from 'node:assert/strict';
import fc from 'fast-check';
import { ToolState, type Entry, type EntryOf, type FileChange } from '../../../src/transcript/common/entries';
import { createDiff } from '../../../src/transcript/common/lineDiff';
import { layoutFaults, panelWidths } from '../support/layout';
import { drawn } from '../support/drawn';
import { PageHarness, type OpenedPage, type PageOptions } from '../support/pageHarness';
import { themeNames } from '../support/themes';
import { sampleEntries, toolEntry } from './sample';
import { ask, didPatch } from './transcriptPageApi';
import { takePicture } from '../../support/pictures';

const page: PageOptions = {
  entry: 'test/page/transcript/transcriptPage.tsx',
  style: 'test/page/transcript/transcriptPage.css',
};

const longTitle = 'Edit src/setlist/a-very-long-name-of-a-file-that-does-not-fit.ts and some more words about it';
const change = { path: 'src/cart.ts', change: 'modified', state: 'applied' } as const;

/** A row in each state, each with everything that a row can have beside its title. */
function rowsInAllStates(): Entry[] {
  return ToolState.options.flatMap((state, at) =>
    [longTitle, 'Edit a.ts'].map((title, nth) =>
      toolEntry({
        id: `${state}${nth}`,
        title,
        state,
        toolKind: at % 2 === 0 ? 'edit' : 'execute',
        ...(state === 'running' ? { startedAt: 0 } : { durationMs: 64_000 }),
        parts: [
          { ...createDiff('src/cart.ts', '', 'new\n'.repeat(1_234)), hunks: [] },
          ...(state === 'done' ? [{ type: 'terminal' as const, output: '', exitCode: 137 }] : []),
        ],
      }),
    ),
  );
}

const reads = (count: number): EntryOf<'tool'>[] =>
  Array.from({ length: count }, (_, at) =>
    toolEntry({ id: `file${at}`, title: `Read src/file${at}.ts`, toolKind: 'read', durationMs: 500 }),
  );

const text = fc.constantFrom('a', 'Read src/a.ts', longTitle, 'שלום '.repeat(9), 'x'.repeat(90), '');
const row: fc.Arbitrary<Omit<EntryOf<'tool'>, 'id'>> = fc.record(
  {
    kind: fc.constant('tool' as const),
    turn: fc.constant(1),
    name: fc.constant('tool'),
    title: text,
    toolKind: fc.constantFrom('read', 'search', 'edit', 'execute', 'agent'),
    state: fc.constantFrom(...ToolState.options),
    parts: fc.constantFrom(
      [],
      [createDiff('src/cart.ts', 'a\n', 'b\n'.repeat(40))],
      [{ type: 'terminal' as const, command: longTitle, output: 'out', signal: 'SIGKILL' }],
      [{ type: 'text' as const, text: longTitle }],
    ),
    error: text,
    decision: text,
    durationMs: fc.constantFrom(1, 64_000, 7_200_000),
    startedAt: fc.constant(0),
    locations: fc.constant([{ path: 'src/a.ts', line: 12 }]),
  },
  { requiredKeys: ['kind', 'turn', 'name', 'title', 'toolKind', 'state', 'parts'] },
);
const other = fc.oneof(
  fc.record({ kind: fc.constant('answer' as const), turn: fc.constant(1), text }),
  fc.record({ kind: fc.constant('thinking' as const), turn: fc.constant(1), text, durationMs: fc.constant(900) }),
  fc.record({
    kind: fc.constant('todos' as const),
    turn: fc.constant(1),
    items: fc.array(fc.record({ text, status: fc.constantFrom('pending', 'in_progress', 'completed', 'cancelled') })),
  }),
  fc.record({
    kind: fc.constant('end' as const),
    turn: fc.constant(1),
    outcome: fc.constantFrom('completed', 'cancelled', 'interrupted', 'limit'),
    durationMs: fc.constant(64_000),
    changes: fc.constantFrom<FileChange[]>([{ ...change, added: 1_234, removed: 567 }]),
  }),
);

describe('rows of a transcript', function () {
  this.timeout(240_000);
  const pages = new PageHarness();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  async function open(entries: Entry[], options: Partial<PageOptions> = {}): Promise<OpenedPage> {
    const opened = await pages.openPage({ ...page, ...options });
    await opened.host.notify(didPatch, { reset: true, put: entries, before: 0 });
    await opened.page.locator('.entry').first().waitFor({ state: 'attached' });
    return opened;
  }

  const unfoldAll = ({ page: shown }: OpenedPage): Promise<void> =>
    shown.evaluate(async () => {
      const closed = 'details:not([open]) > summary, .run[aria-expanded="false"]';
      for (let one; (one = document.querySelector<HTMLElement>(closed));) {
        one.click();
        await new Promise(requestAnimationFrame);
      }
    });

  it('have names, and nothing beyond their frames, at every width, zoom and theme, closed and open', async () => {
    const opened = await open([...rowsInAllStates(), ...reads(4), ...sampleEntries()], { height: 2_600 });
    assert.equal(await opened.page.locator('.run').count(), 1);
    for (const isOpen of [false, true]) {
      if (isOpen) await unfoldAll(opened);
      for (const theme of themeNames) {
        await opened.setTheme(theme);
        // A light theme and its dark one have frames of the same size.
        const hasOwnLayout = theme === 'darkModern' || theme === 'highContrast';
        for (const width of hasOwnLayout ? panelWidths : [250, 850]) {
          await opened.page.setViewportSize({ width, height: 2_600 });
          await drawn(opened.page);
          const at = `${theme}, ${width}, ${isOpen ? 'open' : 'closed'}`;
          assert.deepEqual(await layoutFaults(opened.page, '.turns'), [], at);
          if (width === 250 || width === 850) await takePicture(opened.page, `rows-${at.replaceAll(', ', '-')}`);
        }
        assert.deepEqual(await opened.axe(), [], theme);
      }
    }
  });

  it('fit whatever is in them', async () => {
    const opened = await open(reads(1), { width: 250 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(row, row, other), { minLength: 1, maxLength: 8 }),
        fc.constantFrom(...panelWidths),
        async (some, width) => {
          const put = some.map((one, at): Entry => ({ ...one, id: `g${at}` }));
          await opened.host.notify(didPatch, { reset: true, put, before: 0 });
          await opened.page.setViewportSize({ width, height: 1_400 });
          await drawn(opened.page);
          assert.deepEqual(await layoutFaults(opened.page, '.turns'), [], JSON.stringify({ width, put }));
        },
      ),
      { numRuns: 30 },
    );
  });

  it('are one quiet line each, with a frame only when they are pointed at', async () => {
    const { page: shown } = await open([toolEntry({ id: 't', title: 'Edit a.ts', input: '{}' })], { width: 250 });
    const tool = shown.locator('.tool');
    assert.equal((await tool.boundingBox())?.height, 24);
    const frame = (): Promise<string> => tool.evaluate((element) => getComputedStyle(element).outlineStyle);
    assert.equal(await frame(), 'none');
    await tool.hover();
    assert.equal(await frame(), 'solid');
  });

  it('keep the counts of lines longest, and show that one waits by a dot with a name', async () => {
    const waiting = toolEntry({
      id: 't',
      title: longTitle,
      state: 'waiting',
      durationMs: 64_000,
      parts: [createDiff('src/cart.ts', 'a\n', 'b\n')],
    });
    const { page: shown } = await open([waiting], { width: 240 });
    const isSeen = (selector: string): Promise<boolean> =>
      shown.locator(selector).evaluate((element) => {
        const { bottom } = element.closest('summary')?.getBoundingClientRect() ?? { bottom: 0 };
        const box = element.getBoundingClientRect();
        return box.width > 0 && box.top < bottom;
      });
    assert.ok(await isSeen('.tool .counts'));
    assert.ok(await shown.getByRole('img', { name: 'Needs approval' }).isVisible());
    assert.equal(await isSeen('.tool .time'), false);
    await shown.setViewportSize({ width: 220, height: 700 });
    assert.ok(await isSeen('.tool .counts'));
    await shown.setViewportSize({ width: 400, height: 700 });
    assert.equal(await shown.getByRole('img', { name: 'Needs approval' }).count(), 0);
    assert.ok(await isSeen('.tool .state'));
  });

  it('fold into one line when three reads are done, which a key opens and closes', async () => {
    const { page: shown, host } = await open([
      ...reads(2),
      toolEntry({ id: 'e', title: 'Edit a.ts', toolKind: 'edit' }),
    ]);
    assert.equal(await shown.locator('.run').count(), 0);
    const later = reads(3).map((entry) => ({ ...entry, id: `l${entry.id}` }));
    const [first, second, third] = later;
    assert.ok(first && second && third);
    await host.notify(didPatch, { put: [first, second, { ...third, state: 'running' as const }], before: 0 });
    await shown.locator('.title, .is-far').filter({ hasText: 'Read src/file2.ts' }).waitFor();
    assert.equal(await shown.locator('.run').count(), 0);
    await host.notify(didPatch, { put: [third], before: 0 });
    const line = shown.getByRole('button', { name: /^Read 3 files/ });
    await line.waitFor();
    assert.match((await line.innerText()).replace(/\s+/g, ' '), /^Read 3 files 1\.5 s$/);
    assert.equal(await shown.locator('.title, .is-far').filter({ hasText: 'Read src/file2.ts' }).isVisible(), false);
    assert.ok(await shown.getByText('Edit a.ts').isVisible());
    await line.focus();
    await shown.keyboard.press('Enter');
    await shown.locator('.title, .is-far').filter({ hasText: 'Read src/file2.ts' }).waitFor();
    assert.equal(await line.getAttribute('aria-expanded'), 'true');
    await shown.keyboard.press('Enter');
    await shown.locator('.title, .is-far').filter({ hasText: 'Read src/file2.ts' }).waitFor({ state: 'hidden' });
  });

  it('do not fold while one of them has the focus, is selected, or was opened', async () => {
    const [first, second, third] = reads(3).map((entry) => ({ ...entry, input: '{"path": "a"}' }));
    assert.ok(first && second && third);
    const opened = await open([first, second]);
    await opened.page.locator('.tool > summary').first().focus();
    await opened.host.notify(didPatch, { put: [third], before: 0 });
    await opened.page.locator('.run[aria-expanded="true"]').waitFor();
    assert.ok(await opened.page.evaluate(() => document.activeElement?.matches('[data-entry="file0"] summary')));
  });

  it('are found and jumped to in a closed line, which then opens', async () => {
    const opened = await open(reads(9), { height: 300 });
    await opened.page.locator('.run').waitFor();
    await opened.host.notify(ask, { what: 'entry', id: 'file4' });
    await opened.page.locator('.run[aria-expanded="true"]').waitFor();
    await opened.page.locator('.run').click();
    await opened.host.notify(ask, { what: 'find' });
    await opened.page.getByRole('textbox', { name: 'Find in conversation' }).fill('file7');
    await opened.page.getByText('1 of 1').waitFor();
    await opened.page.keyboard.press('Enter');
    await opened.page.locator('.run[aria-expanded="true"]').waitFor();
    await opened.page.locator('[data-entry="file7"] .title').waitFor();
  });
});
