import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { commandIds } from '../../../src/manifest';
import { findGitRepository, type GitRepository } from '../../../src/platform/vscode/git/gitRepository';
import { eventually, until } from '../../support/eventually';
import { StartingPointsUnderTest } from '../support/startingPoints';
import { inWorkspace, writeInWorkspace } from '../support/workspace';

interface GitExtension {
  getAPI(version: 1): { openRepository(root: vscode.Uri): Promise<unknown> };
}

const {
  startingPointsWriteMessage: write,
  startingPointsStopMessage: stop,
  startingPointsRestoreMessage: restore,
} = commandIds;
const runFile = promisify(execFile);

/** The input box of VS Code's Git extension, in a real repository. */
describe('a commit message by an agent', () => {
  let subject: StartingPointsUnderTest;
  let root: string;
  let repositories = 0;
  const git = async (...args: string[]): Promise<unknown> =>
    await runFile('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], { cwd: root });
  const repository = async (): Promise<GitRepository> => {
    const found = await findGitRepository(root);
    assert.ok(found);
    return found;
  };
  const commit = (...args: readonly unknown[]): Promise<void> =>
    subject.runCommand(write, { rootUri: vscode.Uri.file(root) }, ...args);

  beforeEach(async () => {
    subject = new StartingPointsUnderTest();
    const folder = `committed${++repositories}`;
    root = inWorkspace(folder);
    await writeInWorkspace(`${folder}/price.txt`, 'price: 1\n');
    await writeInWorkspace(`${folder}/other.txt`, 'one\n');
    await git('init', '--quiet', '--initial-branch', 'main');
    await git('add', '.');
    await git('commit', '--quiet', '--message', 'feat(shop): the first price');
    await writeInWorkspace(`${folder}/price.txt`, 'price: 2\n');
    await writeInWorkspace(`${folder}/other.txt`, 'two\n');
    await writeInWorkspace(`${folder}/.env`, 'KEY=secret\n');
    const extension = vscode.extensions.getExtension<GitExtension>('vscode.git');
    assert.ok(extension);
    await (await extension.activate()).getAPI(1).openRepository(vscode.Uri.file(root));
    await eventually('the repository', repository);
  });
  afterEach(async () => {
    subject.dispose();
    await vscode.commands.executeCommand('git.close', vscode.Uri.file(root));
    await eventually('no repository', () => rm(root, { recursive: true, force: true }));
  });

  it('is written from the staged changes that agents may read, in the style of the last commits', async () => {
    await git('add', 'price.txt', '.env');
    subject.answer = () => Promise.resolve('```\nfix(shop): the second price\n```');
    await commit();
    assert.equal((await repository()).commitText, 'fix(shop): the second price');
    const [question = ''] = subject.questions;
    assert.match(question, /> feat\(shop\): the first price\n[^]*-price: 1\n\+price: 2/);
    assert.match(question, /changes in 1 more file,/);
    assert.doesNotMatch(question, /secret|\+two|KEY/);
  });

  it('is written from all changes if none is staged, with what the user has typed, which is kept if it fails', async () => {
    const box = await repository();
    box.commitText = 'about prices';
    subject.answer = () => Promise.reject(new Error('No credit left.'));
    await assert.rejects(commit(), /No credit left/);
    assert.match(subject.questions[0] ?? '', /> about prices\n[^]*\+two[^]*\+price: 2/);
    subject.answer = () => Promise.resolve('  ');
    await assert.rejects(commit(), /answered without a message/);
    assert.equal((await repository()).commitText, 'about prices');
  });

  it('can be replaced by what was typed, by the notification or later, and the other way round', async () => {
    const box = await repository();
    box.commitText = 'about prices';
    subject.answer = () => Promise.resolve('fix: the price');
    subject.isOfferTaken = true;
    await commit();
    await until('the text before', () => box.commitText === 'about prices');
    assert.deepEqual(subject.offers, ['The agent has written the commit message.']);
    await subject.runCommand(restore, { rootUri: vscode.Uri.file(root) });
    assert.equal(box.commitText, 'fix: the price');
  });

  it('does not replace what the user has typed meanwhile, nor the text of another commit, without asking', async () => {
    const box = await repository();
    subject.answer = () => {
      box.commitText = 'typed meanwhile';
      return Promise.resolve('fix: the price');
    };
    await commit();
    assert.equal(box.commitText, 'typed meanwhile');
    subject.answer = async () => {
      await git('commit', '--quiet', '--all', '--message', 'by hand');
      return 'fix: the price';
    };
    await commit();
    assert.equal(box.commitText, 'typed meanwhile');
    assert.deepEqual(new Set(subject.offers), new Set(['The commit has changed since the agent was asked.']));
    assert.equal(subject.offers.length, 2);
  });

  it('can be stopped, and changes nothing then', async () => {
    const asked = Promise.withResolvers<undefined>();
    subject.answer = (signal) => {
      asked.resolve(undefined);
      return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('stopped'))));
    };
    const box = await repository();
    box.commitText = 'mine';
    const writing = commit();
    await asked.promise;
    await subject.runCommand(stop);
    await writing;
    assert.equal(box.commitText, 'mine');
  });

  it('is not asked for without changes, or if agents may read none of them', async () => {
    await git('add', '.env');
    await assert.rejects(commit(), /All changed files are excluded/);
    await git('add', '.');
    await git('commit', '--quiet', '--message', 'all');
    await assert.rejects(commit(), /no changes to describe/);
    assert.deepEqual(subject.questions, []);
  });
});
