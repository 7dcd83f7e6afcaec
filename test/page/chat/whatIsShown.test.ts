import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';
import { chatRequests } from '../../../src/chat/common/page/chatApi';
import type { ApprovalView } from '../../../src/chat/common/chatView';
import type { Entry, EntryOf } from '../../../src/transcript/common/entries';
import { createDiff } from '../../../src/transcript/common/lineDiff';
import { changes, commandApproval, diffApproval, sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages, type ChatHere } from './support/chatPages';

const reversed = '\u202E';
const marked = '[data-character="U+202E"]';

describe('what agents write', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  const asked = (approval: Partial<ApprovalView>): Promise<ChatHere> =>
    pages.openChat(snapshot(sessionOf({ status: 'busy', approvals: [{ ...commandApproval, ...approval }] })));
  const marksIn = (place: Locator): Promise<number> => place.locator(marked).count();

  it('cannot reverse a command, or hide that it tries', async () => {
    const command = `echo ${reversed}gnp.txt && rm -rf \u200b~`;
    const { page } = await asked({ parts: [{ type: 'terminal', command, output: '' }] });
    const block = page.locator('.approval pre');
    assert.equal(await marksIn(block), 1);
    assert.equal(await block.locator('[data-character="U+200B"]').count(), 1);
    assert.ok(!((await block.textContent()) ?? '').includes(reversed), 'the character itself has no effect');
    const shown = await block.evaluate((pre) => getComputedStyle(pre.querySelector('span') ?? pre, '::before').content);
    assert.equal(shown, '"U+202E"');
    assert.equal(await block.getAttribute('dir'), 'ltr');
  });

  it('cannot reverse any other words of a question', async () => {
    const { page } = await asked({
      prompt: `Write ${reversed}gpj.exe?`,
      asks: `Agent ${reversed}`,
      mode: `mode ${reversed}`,
      parts: [
        { type: 'json', json: `{"a": "${reversed}"}` },
        createDiff(`src/${reversed}a.ts`, 'a\n', `${reversed}b\n`),
        { type: 'file', path: 'b.ts', text: `file ${reversed}` },
      ],
      warnings: [`Warned ${reversed}`],
      escalations: [{ name: `sandbox ${reversed}`, value: 'off' }],
      env: [{ name: `A${reversed}`, value: '1' }],
      cwd: `/tmp/${reversed}`,
      more: [{ name: `more ${reversed}`, value: `value ${reversed}` }],
      options: [
        { label: `Allow ${reversed}`, kind: 'allow_once' },
        { label: `Always ${reversed}`, kind: 'allow_always', scope: `npm ${reversed}` },
      ],
    });
    await page.locator('.approval-more summary').click();
    await page.getByRole('button', { name: 'More ways to allow' }).click();
    const places = ['h2', '.approval-agent', '.approval-mode', 'pre.approval-block', '.path-name >> nth=0', 'dt', 'dd'];
    const facts = [0, 1, 2, 3].map((nth) => `.approval-fact code >> nth=${nth}`);
    assert.equal(await marksIn(page.locator('.approval-fact')), 4);
    for (const place of [
      ...places,
      ...facts.slice(0, 3),
      'ins',
      '.numbered',
      '.answer-line >> nth=0',
      '.answer-line >> nth=1',
      '.answer-scope',
    ]) {
      assert.equal(await marksIn(page.locator(`.approval ${place}`)), 1, place);
    }
    const html = await page.locator('.approval').evaluate((card) => card.outerHTML);
    assert.ok(!html.includes(reversed), 'neither in titles nor for screen readers');
  });

  it('cannot reverse titles, output and errors of calls', async () => {
    const tool: Entry = {
      kind: 'tool',
      id: 't',
      turn: 1,
      name: 'run',
      title: `Run ${reversed}`,
      toolKind: 'execute',
      state: 'failed',
      input: `{"x": "${reversed}"}`,
      locations: [{ path: `src/${reversed}.ts` }],
      parts: [
        { type: 'terminal', command: `ls ${reversed}`, output: `out ${reversed}` },
        { type: 'list', items: [`item ${reversed}`] },
      ],
      error: `error ${reversed}`,
      decision: `Allowed ${reversed}`,
    };
    const { page } = await pages.openChat(
      snapshot(sessionOf({ title: `Title ${reversed}` }), { transcript: { reset: true, put: [tool], before: 0 } }),
    );
    const places = ['.title', '.locations', '.command', '.terminal-output', '.list-part', '.tool-error', '.decision'];
    for (const place of places) assert.equal(await marksIn(page.locator(`.tool ${place}`)), 1, place);
    assert.equal(await marksIn(page.locator('h1')), 1);
    const html = await page.locator('.chat').evaluate((chat) => chat.outerHTML);
    assert.ok(!html.includes(reversed));
  });

  const lines = (word: string, count: number): string =>
    Array.from({ length: count }, (_, index) => `${word} ${index}\n`).join('');

  it('is shown from both sides of a long change, with how much is missing beside the answers', async () => {
    const part = createDiff('a.ts', lines('old', 3_000), lines('new', 3_000));
    const { page } = await asked({ parts: [part] });
    await page.getByText('new 0', { exact: true }).waitFor();
    await page.getByText('old 0', { exact: true }).waitFor();
    assert.equal(
      await page.locator('.approval-missing').textContent(),
      '400 of 6,000 changed lines are shown. Open the diff to see all of them.',
    );
  });

  it('is fetched whole for a question', async () => {
    const [before, after] = [lines('old', 300), lines('new', 300)];
    const chat = await asked({ parts: [createDiff('a.ts', before, after)] });
    chat.host.answer(chatRequests.showApproval, () => ({ parts: [createDiff('a.ts', before, after, 5_000)] }));
    assert.equal(await chat.page.getByText('new 299', { exact: true }).count(), 0);
    await chat.page.getByRole('button', { name: /Show all/ }).click();
    await chat.page.getByText('new 299', { exact: true }).waitFor({ state: 'attached' });
    assert.deepEqual(chat.host.requestsOf(chatRequests.showApproval), [{ sessionId: 's1', approvalId: 'ap1' }]);
    assert.equal(await chat.page.locator('.approval-missing').count(), 0);
  });

  it('does not mention what is missing when nothing is', async () => {
    const { page } = await pages.openChat(snapshot(sessionOf({ status: 'busy', approvals: [diffApproval] })));
    assert.equal(await page.locator('.approval-missing').count(), 0);
  });

  it('names files from the workspace in a question', async () => {
    const { page } = await pages.openChat(
      snapshot(sessionOf({ status: 'busy', approvals: [{ ...commandApproval, prompt: 'Edit /work/src/a.ts?' }] }), {
        folders: ['/work'],
      }),
    );
    assert.equal(await page.locator('.approval h2').textContent(), 'Edit src/a.ts?');
  });

  it('has one place for changes: a line for each turn, but for the newest one if the bar shows them', async () => {
    const end = (turn: number): EntryOf<'end'> => ({
      kind: 'end',
      id: `e${turn}`,
      turn,
      outcome: 'completed',
      changes: [{ path: `src/${turn}.ts`, change: 'modified', added: 1, removed: 1, state: 'applied' }],
    });
    const prompt = (turn: number): Entry => ({ kind: 'prompt', id: `p${turn}`, turn, text: `Say ${turn}` });
    const put = [prompt(1), end(1), prompt(2), end(2)];
    const chat = await pages.openChat(snapshot(sessionOf(), { transcript: { reset: true, put, before: 0 } }));
    const lines = chat.page.locator('.turn-changes:visible');
    await lines.nth(1).waitFor();
    assert.equal(
      await lines
        .first()
        .innerText()
        .then((text) => text.replace(/\s+/g, ' ').trim()),
      '1 file changed +1 −1',
    );
    await lines.first().getByRole('button', { name: 'Undo Changes from This Turn' }).click();
    assert.deepEqual(await chat.host.waitFor(chatRequests.revert), { sessionId: 's1', path: 'src/1.ts', turn: 1 });
    const [waiting] = end(2).changes ?? [];
    assert.ok(waiting);
    await chat.tellSession({ changes: [...changes, waiting] });
    await chat.page.locator('.changes').waitFor();
    assert.equal(await lines.count(), 1);
    // It is kept, so that only older changes wait in the bar.
    await chat.tellSession({ changes });
    await lines.nth(1).waitFor();
  });

  it('is read aloud as it is drawn', async () => {
    const chat = await pages.openChat();
    const answer = { kind: 'answer', id: 'spoken', turn: 2 } as const;
    await chat.tell({ transcript: { put: [{ ...answer, text: '', streaming: true }], before: 0 } });
    const text = 'Set `max_line_length` to **2 * 3** | or ~5.\n\n- one\n- two\n\n```ts\nlet hidden;\n```\n';
    await chat.tell({ transcript: { put: [{ ...answer, text }], before: 0 } });
    const log = chat.page.getByRole('log');
    await log.getByText('max_line_length').waitFor({ state: 'attached' });
    assert.equal(await log.textContent(), 'Set max_line_length to 2 * 3 | or ~5. one two (code)');
  });
});
