import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import { findConversationsFolder, moveOldConversations } from '../../../../src/chat/node/conversationsFolder';
import { NodeFiles } from '../../../../src/base/node/filePort';

describe('findConversationsFolder', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'conversations-'));
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const folderOf = (...folders: string[]) => findConversationsFolder('/root', { file: undefined, folders });

  it('is the same for all windows of a workspace, whatever path and order its folders have', async () => {
    await mkdir(path.join(root, 'a'));
    await symlink(path.join(root, 'a'), path.join(root, 'link'));
    assert.equal(await folderOf(path.join(root, 'a')), await folderOf(path.join(root, 'link')));
    assert.equal(await folderOf('/x', '/y'), await folderOf('/y', '/x'));
    assert.notEqual(await folderOf('/x', '/y'), await folderOf('/x'));
    assert.notEqual(await folderOf('/x/y'), await folderOf('/x', '/y'));
    assert.equal(path.dirname(await folderOf('/x')), '/root');
  });

  it('stays the same for a saved workspace when a folder is added', async () => {
    const before = await findConversationsFolder('/root', { file: '/ws.code-workspace', folders: ['/x'] });
    assert.equal(await findConversationsFolder('/root', { file: '/ws.code-workspace', folders: ['/x', '/y'] }), before);
    assert.notEqual(before, await folderOf('/x'));
  });

  it('is a separate one for windows without a folder', async () => {
    assert.equal(await folderOf(), path.join('/root', 'none'));
  });

  it('moves conversations from an older location, except those being written', async () => {
    const from = path.join(root, 'old');
    const to = path.join(root, 'new');
    await mkdir(path.join(from, 'heads'), { recursive: true });
    for (const id of ['session-1', 'session-2', 'not-one']) await mkdir(path.join(from, id));
    for (const id of ['session-1', 'session-2']) {
      await writeFile(path.join(from, id, 'log.jsonl'), id);
      await writeFile(path.join(from, 'heads', `${id}.json`), id);
    }
    await writeFile(path.join(from, 'session-2', 'lock'), '{}');
    const gather = () =>
      moveOldConversations({ from, to, files: new NodeFiles(), clock: systemClock, log: nullLogger });
    await gather();
    assert.deepEqual((await readdir(to)).toSorted(), ['heads', 'session-1']);
    assert.equal(await readFile(path.join(to, 'heads', 'session-1.json'), 'utf8'), 'session-1');
    // As old as a lock can be that was written before the clock was set back.
    const inAnHour = new Date(Date.now() + 3_600_000);
    await utimes(path.join(from, 'session-2', 'lock'), inAnHour, inAnHour);
    await gather();
    assert.equal(await readFile(path.join(to, 'session-2', 'log.jsonl'), 'utf8'), 'session-2');
    assert.deepEqual((await readdir(from)).toSorted(), ['heads', 'not-one']);
  });

  it('works without an older location', async () => {
    const to = path.join(root, 'new');
    await moveOldConversations({
      from: path.join(root, 'none'),
      to,
      files: new NodeFiles(),
      clock: systemClock,
      log: nullLogger,
    });
    await assert.rejects(readdir(to), { code: 'ENOENT' });
  });
});
