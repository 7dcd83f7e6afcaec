import assert from 'node:assert/strict';
import type { AskedSubject, ConsentSubject } from '../../../src/consent/common/consentSubject';
import { ConsentStore, type ConsentAnswer } from '../../../src/consent/common/consentStore';
import { ConsentManager } from '../../../src/consent/common/consentManager';
import { ConsentHintLimiter } from '../../../src/consent/common/consentHintLimiter';
import { hashJson } from '../../../src/consent/node/contentHash';
import { MemoryMemento } from '../../fake/memoryMemento';

const fail = (error: unknown): void => {
  throw error;
};
const subjectOf = (name: string, content: string): ConsentSubject => ({
  kind: 'agent',
  name,
  source: { file: '/work/.vscode/settings.json', keys: ['backline.acp.agents', name] },
  facts: [{ label: 'Command', value: content }],
  hash: hashJson({ name, content }),
});

describe('the permission for what a workspace brings', () => {
  let memento: MemoryMemento;
  let shown: { name: string; hasChanged: boolean; answer: (answer: ConsentAnswer | undefined) => void }[];
  /** The questions about several subjects. */
  let groups: {
    names: readonly string[];
    asked: readonly AskedSubject[];
    answer: (answer: ConsentAnswer | 'each' | undefined) => void;
  }[];
  let desk: ConsentManager;
  let changes: number;

  const open = (): void => {
    desk = new ConsentManager(
      new ConsentStore(memento, fail),
      {
        ask: ({ hasChanged, subject: { name } }) => new Promise((answer) => shown.push({ name, hasChanged, answer })),
        askAboutAll: (asked) =>
          new Promise((answer) => groups.push({ names: asked.map(({ subject }) => subject.name), asked, answer })),
      },
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
    groups = [];
    open();
  });
  afterEach(() => desk.dispose());

  for (const answer of ['allowed', 'denied'] as const) {
    it(`is asked for once: ${answer} is remembered in the next window`, async () => {
      const subject = subjectOf('a', 'one');
      assert.equal(desk.registerAndDecide(subject), 'ask');
      assert.equal(await answered(desk.askIfUndecided(subject, 'user'), answer), answer);
      open();
      assert.equal(desk.registerAndDecide(subject), answer);
      assert.equal(await desk.askIfUndecided(subject, 'user'), answer);
      assert.equal(shown.length, 1);
    });
  }

  it('is requested again when the content changes, which the question says', async () => {
    await answered(desk.askIfUndecided(subjectOf('a', 'one'), 'user'), 'allowed');
    await answered(desk.askIfUndecided(subjectOf('a', 'two'), 'user'), 'denied');
    assert.deepEqual(
      shown.map(({ hasChanged }) => hasChanged),
      [false, true],
    );
    assert.deepEqual(
      [desk.registerAndDecide(subjectOf('a', 'one')), desk.registerAndDecide(subjectOf('a', 'two'))],
      ['allowed', 'denied'],
    );
    assert.equal(desk.registerAndDecide(subjectOf('a', 'three')), 'ask');
  });

  it('is one question at a time, and one for all who wait for the same subject', async () => {
    const asking = [
      desk.askIfUndecided(subjectOf('a', '1'), 'user'),
      desk.askIfUndecided(subjectOf('a', '1'), 'background'),
      desk.askIfUndecided(subjectOf('b', '1'), 'user'),
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
    const subject = subjectOf('a', '1');
    assert.equal(await answered(desk.askIfUndecided(subject, 'background'), undefined), 'ask');
    assert.equal(await desk.askIfUndecided(subject, 'background'), 'ask');
    assert.equal(shown.length, 1);
    assert.equal(await answered(desk.askIfUndecided(subject, 'user'), 'allowed'), 'allowed');
  });

  describe('about several subjects', () => {
    const subjects = [subjectOf('a', '1'), subjectOf('b', '1'), subjectOf('c', '1')];
    const askAll = (reason: 'user' | 'background' = 'background') => desk.askAllIfUndecided(subjects, reason);

    for (const answer of ['allowed', 'denied'] as const) {
      it(`is one question, whose answer ${answer} is kept for each`, async () => {
        const asking = askAll();
        await settle();
        groups[0]?.answer(answer);
        assert.deepEqual(await asking, [answer, answer, answer]);
        open();
        assert.deepEqual(await askAll(), [answer, answer, answer]);
        assert.deepEqual([groups.length, shown.length], [1, 0]);
      });
    }

    it('is asked for each if the user wants that', async () => {
      const asking = askAll();
      await settle();
      groups[0]?.answer('each');
      for (const answer of ['allowed', 'denied', undefined] as const) {
        await settle();
        shown.at(-1)?.answer(answer);
      }
      assert.deepEqual(await asking, ['allowed', 'denied', 'ask']);
      assert.deepEqual(
        shown.map(({ name }) => name),
        ['a', 'b', 'c'],
      );
    });

    it('is not asked again in the background when the question was closed', async () => {
      const asking = askAll();
      await settle();
      groups[0]?.answer(undefined);
      assert.deepEqual(await asking, ['ask', 'ask', 'ask']);
      assert.deepEqual(await askAll(), ['ask', 'ask', 'ask']);
      assert.equal(groups.length, 1);
      const again = askAll('user');
      await settle();
      groups[1]?.answer('allowed');
      assert.deepEqual(await again, ['allowed', 'allowed', 'allowed']);
    });

    it('is only about those without an answer, and says what has changed', async () => {
      await answered(desk.askIfUndecided(subjectOf('a', '1'), 'user'), 'denied');
      await answered(desk.askIfUndecided(subjectOf('c', '0'), 'user'), 'allowed');
      const asking = askAll();
      await settle();
      assert.deepEqual(
        groups[0]?.asked.map(({ hasChanged, subject: { name } }) => [name, hasChanged]),
        [
          ['b', false],
          ['c', true],
        ],
      );
      groups[0].answer('allowed');
      assert.deepEqual(await asking, ['denied', 'allowed', 'allowed']);
    });

    it('is the usual question about one, and one after the other where they do not fit into a dialog', async () => {
      const [a, b] = [subjectOf('a', '1'), subjectOf('b', 'x'.repeat(2_000))];
      assert.deepEqual(await answered(desk.askAllIfUndecided([a], 'background'), 'allowed'), ['allowed']);
      const c = subjectOf('c', '1');
      const asking = desk.askAllIfUndecided([a, b, c], 'background');
      await settle();
      shown.at(-1)?.answer(undefined);
      await settle();
      shown.at(-1)?.answer('allowed');
      assert.deepEqual(await asking, ['allowed', 'ask', 'allowed']);
      assert.equal(groups.length, 0);
    });
  });

  it('can be changed later, and closing that question changes nothing', async () => {
    const subject = subjectOf('a', '1');
    await answered(desk.askIfUndecided(subject, 'user'), 'denied');
    assert.equal(await answered(desk.askAgain(subject), undefined), 'denied');
    assert.equal(await answered(desk.askAgain(subject), 'allowed'), 'allowed');
    assert.deepEqual(
      desk.decisions.map(({ decision, subject: { name } }) => [name, decision]),
      [['a', 'allowed']],
    );
  });

  it('accepts a late answer only for the same content, and asks again if it has changed', async () => {
    const [asked, changed] = [subjectOf('a', 'one'), subjectOf('a', 'two')];
    let now: ConsentSubject | undefined = changed;
    const looked = (subject: ConsentSubject): ConsentSubject => ({ ...subject, reload: () => Promise.resolve(now) });
    desk.registerAndDecide(looked(asked));
    await answered(desk.acceptLateAnswer(looked(asked), 'allowed'), 'denied');
    assert.deepEqual(
      [desk.registerAndDecide(looked(asked)), desk.registerAndDecide(looked(changed))],
      ['ask', 'denied'],
    );
    now = undefined;
    await desk.acceptLateAnswer(looked(asked), 'allowed');
    assert.equal(desk.registerAndDecide(looked(asked)), 'ask');
    now = asked;
    await desk.acceptLateAnswer(looked(asked), 'allowed');
    assert.equal(desk.registerAndDecide(looked(asked)), 'allowed');
    assert.equal(shown.length, 1);
  });

  it('ignores a late answer if the settings define another subject by then', async () => {
    desk.registerAndDecide(subjectOf('a', 'one'));
    desk.registerAndDecide(subjectOf('a', 'two'));
    await answered(desk.acceptLateAnswer(subjectOf('a', 'one'), 'allowed'), undefined);
    assert.deepEqual([shown.length, desk.registerAndDecide(subjectOf('a', 'one'))], [1, 'ask']);
  });

  it('stops waiting when the workspace no longer defines the subject, and keeps its answer', async () => {
    const names = (): string[] => desk.decisions.map(({ subject: { name } }) => name);
    let tellings = 0;
    desk.onDidChangeSubjects(() => tellings++);
    const server: ConsentSubject = { ...subjectOf('s', '1'), kind: 'mcpServer' };
    for (const subject of [subjectOf('a', '1'), subjectOf('b', '1'), server]) desk.registerAndDecide(subject);
    await answered(desk.askIfUndecided(subjectOf('a', '1'), 'user'), 'allowed');
    desk.forgetMissing(['agent'], ({ name }) => name === 'b');
    assert.deepEqual([names(), tellings], [['b', 's'], 4]);
    desk.forgetMissing(['agent'], ({ name }) => name === 'b');
    assert.equal(tellings, 4, 'nothing has gone');
    assert.equal(desk.registerAndDecide(subjectOf('a', '1')), 'allowed');
  });

  it('is for one subject where an id is written in another file than before', () => {
    const inFile = (file: string): ConsentSubject => ({
      ...subjectOf('a', file),
      id: 'a',
      source: { file, keys: [] },
    });
    desk.registerAndDecide(inFile('/work/one.js'));
    desk.registerAndDecide(inFile('/work/two.js'));
    assert.deepEqual(
      desk.decisions.map(({ subject: { source } }) => source.file),
      ['/work/two.js'],
    );
  });

  it('ignores stored answers that cannot be read', () => {
    memento.values.set('backline.consent.answers', [{ hash: 'x', answer: 'allowed', entry: '' }, 7]);
    assert.equal(desk.registerAndDecide(subjectOf('a', '1')), 'ask');
    memento.values.set('backline.consent.answers', 'broken');
    assert.equal(desk.registerAndDecide(subjectOf('a', '1')), 'ask');
  });

  it('is hinted at once a window, and not again for what an earlier window has hinted at', async () => {
    const waiting = (...names: string[]) =>
      names.map((name) => ({ subject: subjectOf(name, '1'), decision: 'ask' as const }));
    const hints = new ConsentHintLimiter(memento);
    assert.equal(await hints.claimHint([]), false);
    assert.equal(await hints.claimHint(waiting('a')), true);
    assert.equal(await hints.claimHint(waiting('a', 'b')), false);
    const next = new ConsentHintLimiter(memento);
    assert.equal(await next.claimHint(waiting('a')), false);
    assert.equal(await next.claimHint(waiting('a', 'b')), true);
  });
});
