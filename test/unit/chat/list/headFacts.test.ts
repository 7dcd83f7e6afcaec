import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import type { ConversationHead } from '../../../../src/chat/common/chatStore';
import { HeadFacts } from '../../../../src/chat/common/list/headFacts';
import { branchOf } from '../../../../src/chat/node/repositoryIdentity';
import type { FileChange } from '../../../../src/transcript/common/entries';

const head: ConversationHead = {
  ...{ version: 1, id: 'one', title: 'One', titledBy: 'prompt', backendId: 'demo', backendTitle: 'Demo' },
  ...{ createdAt: 0, updatedAt: 0, state: 'idle' },
};

const change = (file: string, state: FileChange['state'], added: number): FileChange => ({
  path: file,
  change: 'modified',
  state,
  added,
  removed: 1,
});

describe('the facts of a conversation in its head', () => {
  const written: Partial<ConversationHead>[] = [];
  const file = {
    head,
    isOurs: true,
    updateHead(facts: Partial<ConversationHead>): void {
      written.push(facts);
      this.head = { ...this.head, ...facts };
    },
  };
  const journal: { changes: FileChange[] } = { changes: [] };
  let cost: ConversationHead['cost'];
  let branch: string | undefined = 'main';
  const facts = new HeadFacts({
    file,
    journal,
    cost: () => cost,
    branchOf: () => Promise.resolve(branch),
    folder: () => '/work',
  });
  beforeEach(() => {
    written.splice(0);
    file.isOurs = true;
  });

  it('are the changes that are neither kept nor undone, and the cost, written only when they change', () => {
    facts.update();
    assert.deepEqual(written, []);
    journal.changes = [change('/a', 'applied', 3), change('/b', 'reverted', 5), change('/c', 'changedSince', 7)];
    cost = { amount: 0.5, currency: 'USD' };
    facts.update();
    facts.update();
    assert.deepEqual(written, [{ changes: { files: 2, added: 10, removed: 2 }, cost }]);
    journal.changes = [];
    facts.update();
    assert.equal(file.head.changes, undefined);
  });

  it('are the branch on which it has worked last', async () => {
    await facts.updateBranch();
    await facts.updateBranch();
    branch = undefined;
    await facts.updateBranch();
    assert.deepEqual(written, [{ branch: 'main' }, { branch: undefined }]);
  });

  it('are not written by a window that only reads it', async () => {
    file.isOurs = false;
    journal.changes = [change('/a', 'applied', 3)];
    branch = 'other';
    facts.update();
    await facts.updateBranch();
    assert.deepEqual(written, []);
  });
});

describe('the branch of a folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backline-branch-'));
    await mkdir(path.join(folder, '.git', 'worktrees', 'fix'), { recursive: true });
    await mkdir(path.join(folder, 'src'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('is that of its work tree, also of a linked one', async () => {
    await writeFile(path.join(folder, '.git', 'HEAD'), 'ref: refs/heads/topic/one\n');
    assert.equal(await branchOf(path.join(folder, 'src')), 'topic/one');
    const linked = path.join(folder, 'linked');
    await mkdir(linked);
    await writeFile(path.join(linked, '.git'), `gitdir: ${path.join(folder, '.git', 'worktrees', 'fix')}\n`);
    await writeFile(path.join(folder, '.git', 'worktrees', 'fix', 'HEAD'), 'ref: refs/heads/fix\n');
    assert.equal(await branchOf(linked), 'fix');
  });

  it('is not known while HEAD is a commit, or with another format of refs', async () => {
    for (const text of [`${'a'.repeat(40)}\n`, 'ref: refs/heads/.invalid\n', '']) {
      await writeFile(path.join(folder, '.git', 'HEAD'), text);
      assert.equal(await branchOf(folder), undefined, text);
    }
  });
});
