import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { NodeFiles } from '../../../../src/base/node/filePort';
import { systemClock } from '../../../../src/base/node/systemClock';
import { ReviewedKeyFiles } from '../../../../src/changes/node/storage/reviewedKeyFiles';
import { eventually } from '../../../support/eventually';

describe('ReviewedKeyFiles', () => {
  let parent: string;
  let folder: string;
  const opened: ReviewedKeyFiles[] = [];
  const open = (): ReviewedKeyFiles => {
    const keys = new ReviewedKeyFiles({ folder, files: new NodeFiles(), clock: systemClock, log: nullLogger });
    opened.push(keys);
    return keys;
  };

  beforeEach(async () => {
    parent = await mkdtemp(path.join(tmpdir(), 'reviewed-'));
    folder = path.join(parent, 'reviewed');
  });
  afterEach(async () => {
    for (const keys of opened.splice(0)) keys.dispose();
    await rm(parent, { recursive: true, force: true });
  });

  it('survive a reload, and can be taken back and forgotten', async () => {
    const before = open();
    assert.deepEqual([...(await before.of('/ws/a.ts'))], []);
    await Promise.all([before.change('/ws/a.ts', { add: ['1'] }), before.change('/ws/a.ts', { add: ['2', '3'] })]);
    await before.change('/ws/a.ts', { remove: ['2'] });
    const after = open();
    assert.deepEqual([...(await after.of('/ws/a.ts'))], ['1', '3']);
    assert.deepEqual([...(await after.of('/ws/b.ts'))], []);
    await after.forget('/ws/a.ts');
    assert.deepEqual([...(await after.of('/ws/a.ts'))], []);
    assert.deepEqual(await readdir(folder), []);
  });

  it('are those of all windows', async () => {
    const one = open();
    await one.change('/ws/a.ts', { add: ['1'] });
    const other = open();
    let told = 0;
    one.onDidChange(() => told++);
    await other.of('/ws/a.ts');
    await other.change('/ws/a.ts', { add: ['2'] });
    await eventually('the key of the other window', async () =>
      assert.deepEqual([...(await one.of('/ws/a.ts'))], ['1', '2']),
    );
    assert.ok(told > 0);
    await one.change('/ws/a.ts', { add: ['3'] });
    assert.deepEqual([...(await open().of('/ws/a.ts'))], ['1', '2', '3']);
  });

  it('are removed when nobody has changed them for long, and an unreadable file has none', async () => {
    const keys = open();
    await keys.change('/ws/a.ts', { add: ['1'] });
    const [name = ''] = await readdir(folder);
    await new NodeFiles().replace(path.join(folder, name), '{');
    assert.deepEqual([...(await open().of('/ws/a.ts'))], []);
    await utimes(path.join(folder, name), 0, 0);
    await open().of('/ws/a.ts');
    assert.deepEqual(await readdir(folder), []);
  });
});
