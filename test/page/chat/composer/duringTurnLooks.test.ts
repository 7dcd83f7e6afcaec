// A turn that runs, with prompts that have joined it, that are joining and that wait: pictures, and what axe-core says of them.
import assert from 'node:assert/strict';
import type { Entry } from '../../../../src/transcript/common/entries';
import { takePicture } from '../../../support/pictures';
import { overflowing } from '../../support/layout';
import { themeNames } from '../../support/themes';
import { entries, now, sessionOf, snapshot } from '../support/chatFixtures';
import { ChatPages } from '../support/chatPages';

const steered: Entry = {
  kind: 'prompt',
  id: 'p2',
  turn: 1,
  at: now,
  text: 'Also rename it in the tests',
  isSteered: true,
};
const goingOn: Entry = { kind: 'answer', id: 'a2', turn: 1, text: 'Right, the tests use it, too.', streaming: true };
const transcript = {
  reset: true,
  before: 0,
  put: [...entries.filter(({ kind }) => kind !== 'end'), steered, goingOn],
};
const busy = sessionOf({ status: 'busy', title: 'Rename', activity: { kind: 'answering' } });
const queue = [
  { id: 'q1', text: 'And then update the documentation, with an example for each function', attachments: [] },
  { id: 'q2', text: 'Commit it', attachments: [] },
];
const draft = { text: 'No, leave main.ts as it is', attachments: [] };

/** Widths of a panel in CSS pixels: 250 and 1440 at 100 %, 250 at 150 %. */
const sizes = [
  [250, 640],
  [1440, 800],
  [167, 500],
] as const;
const states = [
  {
    name: 'steer',
    session: {
      ...busy,
      canSteer: true,
      queue: [{ id: 'q0', text: 'Keep the old name as an alias', attachments: [], isJoining: true }, ...queue],
    },
  },
  {
    name: 'queue',
    session: { ...busy, queue: queue.map((prompt, index) => ({ ...prompt, isDoubtful: index === 0 })) },
  },
];

describe('a turn to which prompts are added', function () {
  this.timeout(180_000);
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  for (const { name, session } of states) {
    it(`can be used by everyone in every theme and width, and cuts no word: ${name}`, async () => {
      const chat = await pages.openChat(snapshot(session, { transcript, draft }), { reducedMotion: true });
      await chat.page.locator('.enter-hint').waitFor();
      // What is joining is shown when it takes long.
      await chat.page.waitForFunction(
        (count) => document.querySelectorAll('.queue li').length === count,
        session.queue.length,
      );
      for (const [width, height] of sizes) {
        await chat.page.setViewportSize({ width, height });
        const faults = (await overflowing(chat.page)).filter((fault) => fault !== 'BDI.');
        assert.deepEqual(faults, [], `${width} px`);
        const hint = chat.page.locator('.enter-hint > *');
        const isCut = await hint.evaluateAll((all) => all.some((one) => one.scrollWidth > one.clientWidth + 1));
        assert.ok(!isCut, `${width} px`);
        for (const theme of themeNames) {
          await chat.setTheme(theme);
          assert.deepEqual(await chat.axe(), [], theme);
          await takePicture(chat.page, `during-turn-${name}-${theme}-${width}`);
        }
      }
      await chat.page.setViewportSize({ width: 400, height: 640 });
      await chat.page.emulateMedia({ forcedColors: 'active' });
      await takePicture(chat.page, `during-turn-${name}-forced-400`);
      // The next page may be in the same tab.
      await chat.page.emulateMedia({ forcedColors: 'none' });
    });
  }
});
