import assert from 'node:assert/strict';
import type { ConsentSubject } from '../../../src/consent/common/consentSubject';
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
  let desk: ConsentManager;
  let changes: number;

  const open = (): void => {
    desk = new ConsentManager(
      new ConsentStore(memento, fail),
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
