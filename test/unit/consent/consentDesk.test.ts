import assert from 'node:assert/strict';
import type { BroughtThing } from '../../../src/consent/common/broughtThing';
import { ConsentBook, type ConsentAnswer } from '../../../src/consent/common/consentBook';
import { ConsentDesk } from '../../../src/consent/common/consentDesk';
import { ConsentHints } from '../../../src/consent/common/consentHints';
import { hashOf } from '../../../src/consent/node/contentHash';
import { MemoryMemento } from '../../fake/memoryMemento';

const fail = (error: unknown): void => {
  throw error;
};
const thingOf = (name: string, content: string): BroughtThing => ({
  kind: 'agent',
  name,
  source: { file: '/work/.vscode/settings.json', keys: ['backline.acp.agents', name] },
  facts: [{ label: 'Command', value: content }],
  hash: hashOf({ name, content }),
});

describe('the permission for what a workspace brings', () => {
  let memento: MemoryMemento;
  let shown: { name: string; hasChanged: boolean; answer: (answer: ConsentAnswer | undefined) => void }[];
  let desk: ConsentDesk;
  let changes: number;

  const open = (): void => {
    desk = new ConsentDesk(
      new ConsentBook(memento, fail),
      ({ name }, hasChanged) => new Promise((answer) => shown.push({ name, hasChanged, answer })),
      fail,
    );
    changes = 0;
    desk.onDidChange(() => changes++);
  };
  const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  async function answered(asking: Promise<unknown>, answer: ConsentAnswer | undefined): Promise<unknown> {
    await settle();
    shown.at(-1)?.answer(answer);
    return await asking;
  }

  beforeEach(() => {
    memento = new MemoryMemento();
    shown = [];
    open();
  });
  afterEach(() => desk.dispose());

  for (const answer of ['allowed', 'denied'] as const) {
    it(`is asked for once: ${answer} is remembered in the next window`, async () => {
      const thing = thingOf('a', 'one');
      assert.equal(desk.decide(thing), 'ask');
      assert.equal(await answered(desk.ask(thing, 'user'), answer), answer);
      open();
      assert.equal(desk.decide(thing), answer);
      assert.equal(await desk.ask(thing, 'user'), answer);
      assert.equal(shown.length, 1);
    });
  }

  it('is asked for again when the content changes, which the question says', async () => {
    await answered(desk.ask(thingOf('a', 'one'), 'user'), 'allowed');
    await answered(desk.ask(thingOf('a', 'two'), 'user'), 'denied');
    assert.deepEqual(
      shown.map(({ hasChanged }) => hasChanged),
      [false, true],
    );
    assert.deepEqual([desk.decide(thingOf('a', 'one')), desk.decide(thingOf('a', 'two'))], ['allowed', 'denied']);
    assert.equal(desk.decide(thingOf('a', 'three')), 'ask');
  });

  it('is one question at a time, and one for all who wait for the same thing', async () => {
    const asking = [
      desk.ask(thingOf('a', '1'), 'user'),
      desk.ask(thingOf('a', '1'), 'background'),
      desk.ask(thingOf('b', '1'), 'user'),
    ];
    await settle();
    assert.equal(shown.length, 1);
    shown[0]?.answer('allowed');
    await settle();
    assert.deepEqual(
      shown.map(({ name }) => name),
      ['a', 'b'],
    );
    shown[1]?.answer('denied');
    assert.deepEqual(await Promise.all(asking), ['allowed', 'allowed', 'denied']);
    assert.equal(changes, 2);
  });

  it('is no answer when the question is closed: the background does not ask again, the user can', async () => {
    const thing = thingOf('a', '1');
    assert.equal(await answered(desk.ask(thing, 'background'), undefined), 'ask');
    assert.equal(await desk.ask(thing, 'background'), 'ask');
    assert.equal(shown.length, 1);
    assert.equal(await answered(desk.ask(thing, 'user'), 'allowed'), 'allowed');
  });

  it('can be changed later, and closing that question changes nothing', async () => {
    const thing = thingOf('a', '1');
    await answered(desk.ask(thing, 'user'), 'denied');
    assert.equal(await answered(desk.askAgain(thing), undefined), 'denied');
    assert.equal(await answered(desk.askAgain(thing), 'allowed'), 'allowed');
    assert.deepEqual(
      desk.all.map(({ decision, thing: { name } }) => [name, decision]),
      [['a', 'allowed']],
    );
  });

  it('is given beside the open file only for what was asked: what has changed since is asked for anew', async () => {
    const [asked, changed] = [thingOf('a', 'one'), thingOf('a', 'two')];
    let now: BroughtThing | undefined = changed;
    const looked = (thing: BroughtThing): BroughtThing => ({ ...thing, lookAgain: () => Promise.resolve(now) });
    desk.decide(looked(asked));
    await answered(desk.answerLater(looked(asked), 'allowed'), 'denied');
    assert.deepEqual([desk.decide(looked(asked)), desk.decide(looked(changed))], ['ask', 'denied']);
    now = undefined;
    await desk.answerLater(looked(asked), 'allowed');
    assert.equal(desk.decide(looked(asked)), 'ask');
    now = asked;
    await desk.answerLater(looked(asked), 'allowed');
    assert.equal(desk.decide(looked(asked)), 'allowed');
    assert.equal(shown.length, 1);
  });

  it('is not given late when the settings say another thing by then', async () => {
    desk.decide(thingOf('a', 'one'));
    desk.decide(thingOf('a', 'two'));
    await answered(desk.answerLater(thingOf('a', 'one'), 'allowed'), undefined);
    assert.deepEqual([shown.length, desk.decide(thingOf('a', 'one'))], [1, 'ask']);
  });

  it('is not waited for any more when the workspace does not name the thing, and its answer is kept', async () => {
    const names = (): string[] => desk.all.map(({ thing: { name } }) => name);
    let tellings = 0;
    desk.onDidChangeSeen(() => tellings++);
    const server: BroughtThing = { ...thingOf('s', '1'), kind: 'mcpServer' };
    for (const thing of [thingOf('a', '1'), thingOf('b', '1'), server]) desk.decide(thing);
    await answered(desk.ask(thingOf('a', '1'), 'user'), 'allowed');
    desk.keepOnly(['agent'], ({ name }) => name === 'b');
    assert.deepEqual([names(), tellings], [['b', 's'], 4]);
    desk.keepOnly(['agent'], ({ name }) => name === 'b');
    assert.equal(tellings, 4, 'nothing has gone');
    assert.equal(desk.decide(thingOf('a', '1')), 'allowed');
  });

  it('is for one thing where an id is written in another file than before', () => {
    const inFile = (file: string): BroughtThing => ({
      ...thingOf('a', file),
      id: 'a',
      source: { file, keys: [] },
    });
    desk.decide(inFile('/work/one.js'));
    desk.decide(inFile('/work/two.js'));
    assert.deepEqual(
      desk.all.map(({ thing: { source } }) => source.file),
      ['/work/two.js'],
    );
  });

  it('is not there when what was kept cannot be read', () => {
    memento.values.set('backline.consent.answers', [{ hash: 'x', answer: 'allowed', entry: '' }, 7]);
    assert.equal(desk.decide(thingOf('a', '1')), 'ask');
    memento.values.set('backline.consent.answers', 'broken');
    assert.equal(desk.decide(thingOf('a', '1')), 'ask');
  });

  it('is hinted at once a window, and not again for what an earlier window has hinted at', async () => {
    const waiting = (...names: string[]) =>
      names.map((name) => ({ thing: thingOf(name, '1'), decision: 'ask' as const }));
    const hints = new ConsentHints(memento);
    assert.equal(await hints.take([]), false);
    assert.equal(await hints.take(waiting('a')), true);
    assert.equal(await hints.take(waiting('a', 'b')), false);
    const next = new ConsentHints(memento);
    assert.equal(await next.take(waiting('a')), false);
    assert.equal(await next.take(waiting('a', 'b')), true);
  });
});
