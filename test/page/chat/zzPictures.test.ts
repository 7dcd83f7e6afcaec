import { mkdir } from 'node:fs/promises';
import { inRoot } from '../../../scripts/lib/paths.mjs';
import { themeNames } from '../support/themes';
import type { FileChange, Entry } from '../../../src/transcript/common/entries';
import { changes, sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages } from './support/chatPages';

const base: Omit<FileChange, 'path'> = { change: 'modified', added: 2, removed: 1, hunks: 2, state: 'applied' };
const all: FileChange[] = [
  ...changes,
  { ...base, path: '/work/csv/src/old.ts', change: 'deleted' },
  { ...base, path: '/work/csv/src/renamed.ts', renamedFrom: '/work/csv/src/before.ts', change: 'created' },
  { ...base, path: '/work/csv/lib/renamed.ts', renamedFrom: '/work/csv/src/before.ts', change: 'created' },
  { path: '/work/csv/logo.png', change: 'modified', added: 0, removed: 0, kind: 'binary', state: 'applied' },
  { ...base, path: '/work/csv/run.sh', kind: 'mode', added: 0, removed: 0, hunks: 0 },
  { ...base, path: '/work/csv/unknown.dat', state: 'unknown', added: 0, removed: 0 },
];
const end: Entry = { kind: 'end', id: 'e', turn: 1, outcome: 'completed', durationMs: 5000, changes: all };
const prompt: Entry = { kind: 'prompt', id: 'p', turn: 1, text: 'Change all' };

describe('pictures', function () {
  this.timeout(300_000);
  const pages = new ChatPages();
  before(() => pages.start());
  after(() => pages.stop());
  it('of the bar', async () => {
    await mkdir(inRoot('out', 'screenshots'), { recursive: true });
    for (const [width, zoom] of [[250, 1], [400, 1.5], [1440, 1]] as const) {
      const chat = await pages.openChat(
        snapshot(sessionOf({ changes: all, changeTotals: { files: 120, hunks: 1340, added: 4000, removed: 200 } }), {
          folders: ['/work/csv'],
          transcript: { reset: true, put: [prompt, end], before: 0 },
        }),
        { width: Math.round(width / zoom), height: 700, reducedMotion: true },
      );
      await chat.page.getByText('120 files, 1,340 changes').click();
      for (const theme of width === 250 ? themeNames : themeNames.slice(0, 2)) {
        await chat.setTheme(theme);
        await chat.page.screenshot({ path: inRoot('out', 'screenshots', `bar-${width}-${theme}.png`) });
      }
      await pages.closePages();
    }
  });
});
