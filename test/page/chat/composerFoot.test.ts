import assert from 'node:assert/strict';
import { sessionOf, snapshot } from './support/chatFixtures';
import { ChatPages } from './support/chatPages';

const options = (['mode', 'model'] as const).map((id) => ({
  type: 'select' as const,
  id,
  name: id,
  category: id,
  value: 'long',
  choices: [{ value: 'long', name: `A long name of the ${id}` }],
}));

const session = sessionOf({
  status: 'busy',
  options,
  context: { used: 170_000, size: 200_000 },
  usage: { cost: { amount: 0.4, currency: 'USD' } },
});

describe('the foot of the composer', () => {
  const pages = new ChatPages();
  before(() => pages.start());
  afterEach(() => pages.closePages());
  after(() => pages.stop());

  for (const [width, rows] of [
    [250, 2],
    [300, 1],
    [400, 1],
  ] as const) {
    it(`has at most ${rows} row(s) at ${width} px, with everything in it`, async () => {
      const chat = await pages.openChat(snapshot(session), { width });
      const foot = chat.page.locator('.composer-foot');
      for (const name of ['Agent', 'mode', 'model']) {
        const box = await foot.getByRole('button', { name }).first().boundingBox();
        assert.ok(box && box.width >= 24, name);
      }
      const height = (await foot.boundingBox())?.height ?? Infinity;
      assert.ok(height <= rows * 24 + 8, `${height} px`);
    });
  }
});
