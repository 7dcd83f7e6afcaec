import assert from 'node:assert/strict';
import * as path from 'node:path';
import * as vscode from 'vscode';
import { nullLogger } from '../../../src/base/common/log';
import { OpenQuestionLimiter } from '../../../src/permissions/common/openQuestionLimiter';
import { titleOfClient, WindowToolCaller } from '../../../src/permissions/vscode/windowToolCaller';
import { ToolsUnderTest } from '../support/tools';
import { standingOf } from '../../fake/fakePermissions';
import { closeAll, inWorkspace } from '../support/workspace';
import { until } from '../../support/eventually';

/** A program outside VS Code, which has no conversation: the user is asked in the window. */
describe('a client outside VS Code that calls tools', () => {
  let subject: ToolsUnderTest;
  let permissions: unknown;
  let shown: { readonly message: string; readonly buttons: readonly string[] }[];
  let answers: (string | undefined)[];
  /** The answer to questions that `answers` has none for. */
  let lateAnswer: Promise<string | undefined> | undefined;
  let questions: OpenQuestionLimiter;
  const { signal } = new AbortController();

  beforeEach(async () => {
    subject = await ToolsUnderTest.start();
    permissions = undefined;
    shown = [];
    answers = [];
    lateAnswer = undefined;
    questions = new OpenQuestionLimiter();
  });
  afterEach(async () => {
    await subject.stop();
    await closeAll();
  });

  const callerOf = (name: string | undefined): WindowToolCaller =>
    new WindowToolCaller(titleOfClient(name), {
      standing: standingOf([], () => permissions),
      editor: subject.editor.adapter,
      log: nullLogger,
      questions,
      showMessage: (message, ...buttons) => {
        shown.push({ message, buttons });
        if (answers.length > 0) return Promise.resolve(answers.shift());
        return lateAnswer ?? new Promise(() => undefined);
      },
    });
  const file = (name: string, protection?: string) => ({
    path: inWorkspace(name),
    before: null,
    after: 'new\n',
    protection,
  });

  it('changes nothing until the user allows it, by the name that it gives itself', async () => {
    const caller = callerOf('Agent\n[x](command:y)');
    answers = ['Deny', undefined, 'Allow Once'];
    const change = { purpose: 'edit', warning: 'Others stay.', files: [file('clients/a.txt', 'it runs')] };
    const first = await caller.mayChangeFiles(change, signal);
    assert.match(first.isGranted ? '' : first.reason, /did not allow this/);
    assert.equal((await caller.mayChangeFiles(change, signal)).isGranted, false);
    assert.equal((await caller.mayChangeFiles(change, signal)).isGranted, true);
    assert.equal(
      shown[0]?.message,
      `Backline: “Agent [x] (command:y)” (a program outside VS Code) wants to change ${path.join('clients', 'a.txt')}. Others stay. ${path.join('clients', 'a.txt')} is protected: it runs.`,
    );
    assert.deepEqual(shown[0].buttons, ['Allow Once', 'Show Changes', 'Deny']);
  });

  it('shows the changes before the user answers', async () => {
    answers = ['Show Changes'];
    const cancelled = new AbortController();
    const asked = callerOf(undefined).mayChangeFiles(
      { purpose: 'edit', files: [file('clients/b.txt')] },
      cancelled.signal,
    );
    await until('a diff', () =>
      vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label.includes('by a program outside'))),
    );
    await until('the question again', () => shown.length === 2);
    cancelled.abort();
    assert.equal((await asked).isGranted, false);
    await until('no diff', () => vscode.window.tabGroups.all.every(({ tabs }) => tabs.length === 0));
  });

  it('shows the changes of several files in one editor', async () => {
    answers = ['Show Changes', 'Deny'];
    const files = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => file(`clients/${name}.txt`, 'it runs'));
    assert.equal((await callerOf('Agent').mayChangeFiles({ purpose: 'edit', files }, signal)).isGranted, false);
    assert.match(shown[0]?.message ?? '', /c\.txt is protected: it runs\. 4 more files are protected\.$/);
    await until('the changes', () =>
      vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label.startsWith('Changes in 7 files'))),
    );
    const many = Array.from({ length: 301 }, (_, at) => file(`clients/${at}.txt`));
    const refused = await callerOf('Agent').mayChangeFiles({ purpose: 'edit', files: many }, signal);
    assert.match(refused.isGranted ? '' : refused.reason, /up to 300 files/);
    assert.equal(shown.length, 2);
    await until('no changes', () => vscode.window.tabGroups.all.every(({ tabs }) => tabs.length === 0));
  });

  it('closes the editor of its own changes, and no other with the same title', async () => {
    const files = ['a', 'b'].map((name) => file(`clients/${name}.txt`));
    const tabs = (): string[] => vscode.window.tabGroups.all.flatMap((group) => group.tabs.map(({ label }) => label));
    const cancels = [new AbortController(), new AbortController()] as const;
    const asked: Promise<unknown>[] = [];
    const show = async (cancel: AbortController, label: RegExp): Promise<void> => {
      answers = ['Show Changes'];
      asked.push(callerOf('Agent').mayChangeFiles({ purpose: 'edit', files }, cancel.signal));
      await until('the changes', () => tabs().some((each) => label.test(each)));
    };
    await show(cancels[0], /VS Code(?! \d)/);
    // VS Code may show it in the place of the first one.
    await show(cancels[1], /VS Code 2/);
    cancels[0].abort();
    await asked[0];
    await until('only the second', () => tabs().length === 1 && (tabs()[0] ?? '').includes('VS Code 2'));
    cancels[1].abort();
    await asked[1];
    await until('no editor', () => tabs().length === 0);
  });

  it('puts a few questions at a time', async () => {
    const caller = callerOf('Agent');
    const change = { purpose: 'edit', files: [file('clients/a.txt')] };
    const cancelled = new AbortController();
    const asked = [1, 2, 3].map(() => caller.mayChangeFiles(change, cancelled.signal));
    await until('the questions', () => shown.length === 3);
    const refused = await caller.mayChangeFiles(change, signal);
    assert.match(refused.isGranted ? '' : refused.reason, /not answered several earlier questions/);
    assert.equal(shown.length, 3);
    cancelled.abort();
    await Promise.all(asked);
    answers = ['Allow Once'];
    assert.equal((await caller.mayChangeFiles(change, signal)).isGranted, true, 'ended ones do not count');
  });

  it('is not waited for after its call has ended, which a late answer is told', async () => {
    const late = Promise.withResolvers<string | undefined>();
    lateAnswer = late.promise;
    const cancelled = new AbortController();
    const asked = callerOf('Agent').mayChangeFiles(
      { purpose: 'edit', files: [file('clients/a.txt')] },
      cancelled.signal,
    );
    await until('a question', () => shown.length === 1);
    cancelled.abort();
    assert.equal((await asked).isGranted, false);
    assert.equal(shown.length, 1);
    late.resolve('Allow Once');
    await until('what became of it', () => shown.length === 2);
    assert.match(shown[1]?.message ?? '', /“Agent”.* no longer waits for this answer\. Nothing was changed\./);
  });

  it('asks once for several files and for commands, and nothing where the user has settled it', async () => {
    const caller = callerOf('Agent');
    answers = ['Allow Once', 'Deny'];
    const files = ['a', 'b', 'c', 'd', 'e'].map((name) => file(name));
    assert.equal((await caller.mayChangeFiles({ purpose: 'rename `x`', files }, signal)).isGranted, true);
    assert.match(shown[0]?.message ?? '', /wants to rename `x` in a, b, c and 2 more\.$/);
    const command = { argv: ['npm', 'test'], cwd: inWorkspace(), env: { CI: '1' } };
    assert.equal((await caller.mayRun(command, signal)).isGranted, false);
    assert.match(shown[1]?.message ?? '', /wants to run npm test in .+ with CI=1\.$/);
    permissions = { '*': { edit: 'deny' }, mcp: { run: 'allow' } };
    const denied = await caller.mayChangeFiles({ purpose: 'edit', files }, signal);
    assert.match(denied.isGranted ? '' : denied.reason, /backline\.permissions/);
    assert.equal((await caller.mayRun({ ...command, env: {} }, signal)).isGranted, true);
    assert.equal(shown.length, 2);
  });

  it('is asked about what the user allows all agents, and about what can run more than it says', async () => {
    const caller = callerOf('Agent');
    permissions = { '*': { edit: 'allow', run: 'allow' } };
    answers = ['Deny', 'Deny', 'Deny'];
    const command = { argv: ['npm', 'test'], cwd: inWorkspace(), env: {} };
    assert.equal((await caller.mayChangeFiles({ purpose: 'edit', files: [file('a')] }, signal)).isGranted, false);
    assert.equal((await caller.mayRun(command, signal)).isGranted, false);
    permissions = { mcp: { run: 'allow' } };
    assert.equal((await caller.mayRun({ ...command, warning: 'It runs others.' }, signal)).isGranted, false);
    assert.match(shown[2]?.message ?? '', /It runs others\.$/);
    assert.equal(shown.length, 3);
  });

  it('runs no command that is too long to be shown', async () => {
    const command = { argv: ['echo', 'x'.repeat(900)], cwd: inWorkspace(), env: {} };
    const refused = await callerOf('Agent').mayRun(command, signal);
    assert.match(refused.isGranted ? '' : refused.reason, /too long to be shown/);
    assert.deepEqual(shown, []);
  });
});
