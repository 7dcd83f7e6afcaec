import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { AmpPolicy } from '../../../../src/amp/common/ampPolicy';
import { ProtectedEditApprovals } from '../../../../src/amp/common/protectedEditApprovals';
import { editAnswerValidMs, type EditAnswer, type RefusedEdit } from '../../../../src/amp/common/refusedEdits';
import { RequestScope } from '../../../../src/amp/common/requestScope';
import { AmpRouter } from '../../../../src/amp/common/router';
import { nullLogger } from '../../../../src/base/common/log';
import { KnownTexts } from '../../../../src/editor/common/knownTexts';
import { FakeClock } from '../../../fake/fakeClock';
import { FakeEditor } from '../../../fake/fakeEditor';
import { MemoryLogger } from '../../amplifier/node/clientHarness';

const tasks = '/ws/.vscode/tasks.json';

describe('Amp and protected files', () => {
  let fake: FakeEditor;
  let clock: FakeClock;
  let log: MemoryLogger;
  let desk: ProtectedEditApprovals;
  let router: AmpRouter;
  let questions: { edit: RefusedEdit; answer: (answer: EditAnswer | undefined) => void; fail: (e: Error) => void }[];
  let told: string[];
  let policy: AmpPolicy;
  let knownTexts: KnownTexts;

  beforeEach(() => {
    fake = new FakeEditor({ [tasks]: '{}\n', '/ws/a.ts': 'one', '/ws/.npmrc.md': '' });
    clock = new FakeClock();
    log = new MemoryLogger();
    questions = [];
    told = [];
    policy = {};
    knownTexts = new KnownTexts();
    desk = new ProtectedEditApprovals({
      editor: fake,
      clock,
      log,
      askUser: (edit) => new Promise((answer, fail) => questions.push({ edit, answer, fail })),
      reportWritten: ({ path }) => told.push(path),
    });
    router = new AmpRouter({
      editor: fake,
      protectedEdits: desk,
      policy: () => policy,
      log: nullLogger,
      isToken: () => true,
    });
  });

  afterEach(() => desk.dispose());

  interface Answer {
    readonly success?: boolean;
    readonly message?: string;
    readonly error?: { readonly code: number; readonly message: string; readonly data?: { readonly reason: string } };
  }

  async function request(clientRequest: object): Promise<Record<string, unknown>> {
    const scope = new RequestScope(clock, clock.monotonicNow(), 1800);
    const { json } = await router.answer(JSON.stringify({ clientRequest }), scope, {
      knownTexts,
      awaitTurn: () => Promise.resolve(),
    });
    return (JSON.parse(json) as { serverResponse: Record<string, unknown> }).serverResponse;
  }

  async function edit(params: object): Promise<Answer> {
    const answer = await request({ id: '1', editFile: params });
    return answer['editFile'] ?? answer;
  }

  const write = (fullContent: string, path = '.vscode/tasks.json'): Promise<Answer> => edit({ path, fullContent });

  async function answer(at: number, given: EditAnswer | undefined): Promise<void> {
    questions[at]?.answer(given);
    await setImmediate();
  }

  it('refuses immediately, explains what to do, and asks the user', async () => {
    const { success, message } = await write('[]\n');
    assert.equal(success, false);
    assert.equal(
      message,
      '.vscode/tasks.json is protected: VS Code runs tasks from this file. The user is being asked in VS Code; try again once it is allowed.',
    );
    assert.deepEqual(
      questions.map((question) => question.edit),
      [{ id: 1, path: tasks, reason: 'VS Code runs tasks from this file', after: '[]\n' }],
    );
    assert.equal(fake.diskText(tasks), '{}\n');
  });

  it("answers the document's clients with an error that says so", async () => {
    const { error } = await request({ id: 1, method: { editFile: { path: tasks, fullContent: '[]' } } });
    const { code, message, data } = error as NonNullable<Answer['error']>;
    assert.equal(code, -32603);
    assert.match(message, /try again once it is allowed/);
    assert.deepEqual(data, { reason: 'protected' });
  });

  it('asks before each edit if the policy says so, and allows the next attempt', async () => {
    policy = { edit: 'ask' };
    const { success, message } = await write('two', 'a.ts');
    assert.equal(success, false);
    assert.match(message ?? '', /setting backline\.permissions asks before each edit by Amp\. The user is being asked/);
    assert.equal(fake.diskText('/ws/a.ts'), 'one');
    await answer(0, 'allow');
    assert.equal((await write('two', 'a.ts')).success, true);
    assert.equal(fake.diskText('/ws/a.ts'), 'two');
    assert.equal((await edit({ path: 'a.ts', start: 0, end: 3, newText: 'three' })).success, false);
    assert.deepEqual(
      questions.map((question) => question.edit.after),
      ['two', 'three'],
    );
  });

  it('never asks about an edit that cannot be made', async () => {
    policy = { edit: 'ask' };
    fake.asciiOnly.add('a.ts');
    const { message, success } = await write('€', 'a.ts');
    assert.equal(success, false);
    assert.match(message ?? '', /encoding/);
    assert.deepEqual([questions, fake.diskText('/ws/a.ts')], [[], 'one']);
  });

  it('asks about an edit of a file that has changed since the client has read it, when the client does not read it again', async () => {
    await request({ id: '1', readFile: { path: 'a.ts' } });
    fake.setFile('/ws/a.ts', 'by somebody else');
    assert.match((await write('two', 'a.ts')).message ?? '', /has changed since you read it.*Read it again/);
    assert.deepEqual(questions, []);
    assert.match(
      (await write('two', 'a.ts')).message ?? '',
      /it has changed since Amp read it\. The user is being asked/,
    );
    assert.equal(fake.diskText('/ws/a.ts'), 'by somebody else');
    await answer(0, 'allow');
    assert.equal((await write('two', 'a.ts')).success, true);
    assert.equal((await write('three', 'a.ts')).success, true);
    assert.equal(fake.diskText('/ws/a.ts'), 'three');
  });

  it('asks for protected files also where the policy allows edits', async () => {
    policy = { edit: 'allow' };
    assert.equal((await write('[]\n')).success, false);
    assert.equal(questions.length, 1);
  });

  it('refuses every edit where the policy denies it, in both dialects, without a question', async () => {
    policy = { edit: 'deny' };
    for (const path of ['a.ts', '.vscode/tasks.json']) {
      const { success, message } = await write('two', path);
      assert.equal(success, false);
      assert.match(
        message ?? '',
        /^\S+ was not changed\. The user does not let Amp edit files .* backline\.permissions\.$/,
      );
    }
    const { error } = await request({ id: 1, method: { editFile: { path: 'a.ts', fullContent: 'two' } } });
    assert.deepEqual((error as NonNullable<Answer['error']>).data, { reason: 'denied' });
    assert.deepEqual([questions.length, fake.diskText('/ws/a.ts')], [0, 'one']);
  });

  for (const read of ['deny', 'ask'] as const) {
    it(`refuses reading in both dialects where the policy says ${read}, for nobody can be asked in time`, async () => {
      policy = { read };
      const answered = (await request({ id: '1', readFile: { path: 'a.ts' } }))['readFile'] as Answer;
      assert.equal(answered.success, false);
      assert.match(answered.message ?? '', /^a\.ts was not read\. .* backline\.permissions\.$/);
      const { error } = await request({ id: 1, method: { readFile: { path: 'a.ts' } } });
      assert.deepEqual((error as NonNullable<Answer['error']>).data, { reason: 'denied' });
      policy = { read: 'allow' };
      assert.notEqual((await request({ id: 1, method: { readFile: { path: 'a.ts' } } }))['result'], undefined);
    });
  }

  it('asks once for each file and content', async () => {
    await write('[]\n');
    await write('[]\n', tasks);
    assert.equal(questions.length, 1);
    await write('[1]\n');
    await write('[]\n', '.husky/pre-commit');
    assert.equal(questions.length, 3);
  });

  it('allows a granted edit once', async () => {
    await write('[]\n');
    await answer(0, 'allow');
    assert.equal((await write('[]\n')).success, true);
    assert.equal(fake.diskText(tasks), '[]\n');
    fake.setFile(tasks, '{}\n');
    await request({ id: '1', readFile: { path: tasks } });
    assert.equal((await write('[]\n')).success, false);
    assert.equal(questions.length, 2);
  });

  it('refuses edits that differ from the granted one', async () => {
    await write('[]\n');
    await answer(0, 'allow');
    assert.equal((await write('[1]\n')).success, false);
    assert.equal((await write('[]\n', '.npmrc')).success, false);
    assert.equal(fake.diskText(tasks), '{}\n');
    assert.equal((await write('[]\n')).success, true);
  });

  it('allows a granted edit for ten minutes', async () => {
    await write('[]\n');
    await answer(0, 'allow');
    clock.setForward(60 * 60_000);
    clock.advance(editAnswerValidMs - 1);
    assert.equal((await write('[]\n')).success, true);
    await write('[1]\n');
    await answer(1, 'allow');
    clock.advance(editAnswerValidMs);
    assert.equal((await write('[1]\n')).success, false);
    assert.equal(questions.length, 3);
  });

  it('keeps the grant when the edit fails', async () => {
    await write('[]\n');
    await answer(0, 'allow');
    fake.trusted = false;
    assert.equal((await write('[]\n')).success, false);
    fake.trusted = true;
    assert.equal((await write('[]\n')).success, true);
  });

  it('does not ask again about a denied edit, and says so', async () => {
    await write('[]\n');
    await answer(0, 'deny');
    assert.match((await write('[]\n')).message ?? '', /has denied this change/);
    assert.equal(questions.length, 1);
    clock.advance(editAnswerValidMs);
    await write('[]\n');
    assert.equal(questions.length, 2);
  });

  it('asks again after a question that was closed, or could not be shown', async () => {
    await write('[]\n');
    await answer(0, undefined);
    await write('[]\n');
    assert.equal(questions.length, 2);
    questions[1]?.fail(new Error('no window'));
    await setImmediate();
    assert.equal(log.lines.length, 1);
    await write('[]\n');
    assert.equal(questions.length, 3);
  });

  it('asks about a bounded number of edits at a time', async () => {
    for (let n = 0; n < 20; n++) await write(`${n}`);
    assert.equal(questions.length, 8);
    assert.match((await write('20')).message ?? '', /Try again after those/);
    await answer(0, 'deny');
    await write('20');
    assert.equal(questions.length, 9);
  });

  it('knows an edit of a range by the text that it makes', async () => {
    const replace = (newText: string): Promise<Answer> => edit({ path: tasks, start: 0, end: 2, newText });
    await replace('[]');
    assert.equal(questions[0]?.edit.after, '[]\n');
    await answer(0, 'allow');
    fake.type(tasks, '{ }\n');
    // Of this text it makes another one.
    assert.equal((await replace('[]')).success, false);
    assert.equal(fake.bufferText(tasks), '{ }\n');
    fake.setFile(tasks, '{}\n');
    assert.equal((await replace('[]')).success, true);
    assert.equal(fake.diskText(tasks), '[]\n');
  });

  it('does not write another text than the allowed one when the file changes in between', async () => {
    await edit({ path: tasks, start: 0, end: 2, newText: '[]' });
    await answer(0, 'allow');
    let requests = 0;
    fake.beforeRequest = () => {
      // Between the refusal and the granted try.
      if (++requests === 3) fake.setFile(tasks, '{ }\n');
      return Promise.resolve();
    };
    const { success, message } = await edit({ path: tasks, start: 0, end: 2, newText: '[]' });
    assert.deepEqual([success, requests > 2], [false, true]);
    assert.match(message ?? '', /has changed since the user allowed this edit/);
    assert.equal(fake.diskText(tasks), '{ }\n');
  });

  it('leaves other files alone', async () => {
    assert.equal((await write('two', '/ws/a.ts')).success, true);
    assert.equal(questions.length, 0);
    assert.equal(clock.pending, 0);
  });

  describe('when a client writes the file by itself', () => {
    async function pass(ms: number): Promise<void> {
      clock.advance(ms);
      await setImmediate();
    }

    it('says so', async () => {
      await write('[]\n');
      await pass(200);
      fake.setFile(tasks, '[]\r\n');
      await pass(400);
      assert.deepEqual(told, [tasks]);
      await pass(60_000);
      assert.deepEqual(told, [tasks]);
      assert.equal(clock.pending, 0);
    });

    it('says so of a file that it made, and of one that was denied', async () => {
      await write('x', '.husky/pre-commit');
      fake.setFile('/ws/.husky/pre-commit', 'x');
      await pass(200);
      await write('[]\n');
      await answer(1, 'deny');
      for (let n = 0; n < 6; n++) await pass(10_000);
      await write('[]\n');
      fake.setFile(tasks, '[]\n');
      await pass(200);
      assert.deepEqual(told, ['/ws/.husky/pre-commit', tasks]);
    });

    it('does not say so of another text, or of one that was allowed', async () => {
      await write('[]\n');
      fake.setFile(tasks, '[1]\n');
      await pass(200);
      await answer(0, 'allow');
      assert.equal((await write('[]\n')).success, true);
      for (let n = 0; n < 6; n++) await pass(10_000);
      assert.deepEqual(told, []);
      assert.equal(clock.pending, 0);
    });

    it('stops checking after some seconds, and on dispose', async () => {
      await write('[]\n');
      for (let n = 0; n < 6; n++) await pass(10_000);
      assert.equal(clock.pending, 0);
      await write('[]\n');
      assert.equal(clock.pending, 1);
      desk.dispose();
      assert.equal(clock.pending, 0);
      await write('[2]\n');
      assert.equal(clock.pending, 0);
    });
  });
});
