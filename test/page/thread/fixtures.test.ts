import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import * as z from 'zod';
import { inRoot } from '../../../scripts/lib/paths.mjs';
import { ThreadHeaderView } from '../../../src/threads/common/page/threadApi';
import { Entry } from '../../../src/transcript/common/entries';
import { drawn } from '../support/drawn';
import { snapshot } from './support/threadFixtures';
import { ThreadPages } from './support/threadPages';
import { takePicture } from '../../support/pictures';

const { shape } = ThreadHeaderView;

/** What the mapping makes of the fixtures, as its own test holds it. */
const Golden = z.object({
  head: z.object({
    id: shape.id,
    title: z.string().optional(),
    state: shape.state,
    isArchived: shape.isArchived,
    mode: shape.mode,
    usage: shape.usage,
    folders: shape.folders,
    promptCount: shape.promptCount,
    messageCount: shape.messageCount,
  }),
  facts: shape.facts,
  notes: shape.notes,
  entries: z.array(Entry),
});
type Golden = z.infer<typeof Golden>;

const folder = inRoot('test', 'fixtures', 'threads');
const names = readdirSync(folder).flatMap((name) => /^(.+)\.view\.json$/.exec(name)?.[1] ?? []);

/** What the account of such a reader asks to be seen, by fixture: each way to end, to be refused, to go on. */
const seen: Readonly<Record<string, readonly (string | RegExp)[]>> = {
  '01-normal': ['Please fix it.', 'cart.ts:4', 'npm test', 'Exit code 1', 'const total', 'the tests pass'],
  '02-thinking': ['Perhaps the loop.', 'The provider redacted this thinking.'],
  '03-cancelled': ['The turn was canceled.', 'The turn was interrupted by the user.', 'The user pressed Esc'],
  '04-streaming': ['While it builds, I write', 'I look.', /running/i],
  '05-errors': ['ENOENT: no such file', 'reached the token limit', '529 overloaded', 'refused to continue'],
  '06-rejected': [
    'Rejected: asked to',
    'Rejected with feedback',
    'use npm run clean',
    'Waiting for the user’s approval',
  ],
  '07-images': ['lost.png', 'Guidance: AGENTS.md', 'Course correction from Amp'],
  '08-draft': ['Draft, not sent: Not sent yet', 'Queued, not sent: Then this'],
  '09-subagents': ['Where to start?', 'I look around.', 'no such file', 'I try.', 'This is a subthread of'],
  '10-relations': ['This thread was forked from'],
  '13-unknown': ['unknown role “oracle”', 'Block “hologram”', 'unknown status “teleported”'],
  '14-dtw-stub': ['ran on Amp’s server'],
  '14-server': ['The program did not finish.', 'There are 42.'],
  '15-info': ['git status', 'Not shown to the agent', 'We did much.', 'Amp was updated.'],
  '18-subthread': ['This is a subthread of'],
  '18-subthread-parent': ['Subagent thread T-019be0a1', 'The subagent was lost.'],
  '16-odd-texts': ['</script><img src=x onerror=alert(1)>', '[REDACTED:token]', 'This thread is archived.'],
};

describe('what is in a thread', () => {
  const pages = new ThreadPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  it('is known by fixtures', () => {
    assert.ok(names.length > 15);
    for (const name of Object.keys(seen)) assert.ok(names.includes(name), name);
  });

  for (const name of names) {
    it(`is seen on its page, and no part of it is blank: ${name}`, async () => {
      const { entries, ...golden } = goldenOf(name);
      const { page, problems } = await pages.openThread(snapshot({ thread: viewOf(golden) }, entries));
      await takePicture(page, `thread-fixture-${name}`);
      // What is not on the screen has no text that a browser tells.
      await page.setViewportSize({ width: 800, height: 8_000 });
      await openAll(page);
      const text = squeezed(await page.locator('.thread').innerText());
      for (const words of [...(seen[name] ?? []), ...golden.facts.map(({ value }) => shown(value))]) {
        assert.ok(typeof words === 'string' ? text.includes(words) : words.test(text), `${words} is not in ${text}`);
      }
      assert.deepEqual(await blankEntries(page, entries), []);
      assert.deepEqual(problems, []);
      await takePicture(page, `thread-fixture-${name}-open`);
    });
  }
});

function goldenOf(name: string): Golden {
  const file = readFileSync(`${folder}/${name}.view.json`, 'utf8');
  return z.object({ now: Golden }).parse(JSON.parse(file)).now;
}

function viewOf({ head, facts, notes }: Omit<Golden, 'entries'>): ThreadHeaderView {
  return { ...head, title: head.title ?? 'Untitled', facts, notes, actions: [] };
}

async function openAll(page: Page): Promise<void> {
  const expand = page.getByRole('button', { name: 'Expand All' });
  await expand.click();
  await drawn(page);
  // What was in a call that was closed.
  await expand.click();
  const about = page.getByText('About', { exact: true });
  if (await about.isVisible()) await about.click();
  await drawn(page);
}

/** Ids of those that are not there, or show nothing. The end of a turn that went well says only what it used. */
async function blankEntries(page: Page, entries: readonly Entry[]): Promise<readonly string[]> {
  const blank: string[] = [];
  for (const entry of entries) {
    if (entry.kind === 'end' && entry.outcome === 'completed') continue;
    const element = page.locator(`[data-entry="${entry.id}"]`).first();
    const isThere = (await element.count()) > 0;
    const words = isThere ? await element.innerText() : '';
    if (words.trim() === '' && !(isThere && (await element.locator('img').count()) > 0)) blank.push(entry.id);
  }
  return blank;
}

function shown(value: string): string {
  return /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value) ? 'Created' : squeezed(value);
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, ' ');
}
