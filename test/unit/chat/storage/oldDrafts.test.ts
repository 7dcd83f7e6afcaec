import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { NodeFiles } from '../../../../src/base/node/filePort';
import { systemClock } from '../../../../src/base/node/systemClock';
import { removeOldDrafts } from '../../../../src/chat/node/places/oldDrafts';

const dayMs = 24 * 60 * 60_000;

describe('Drafts of windows', () => {
  let home: string;
  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'drafts-'));
    await mkdir(path.join(home, 'there'));
    await mkdir(path.join(home, 'drafts'));
  });
  afterEach(() => rm(home, { recursive: true, force: true, maxRetries: 5 }));

  const at = (name: string): string => path.join(home, name);
  async function write(name: string, days: number, stored: object | string): Promise<void> {
    const file = at(`drafts/${name}`);
    await writeFile(file, typeof stored === 'string' ? stored : JSON.stringify({ values: {}, pid: 1, ...stored }));
    const when = new Date(Date.now() - days * dayMs);
    await utimes(file, when, when);
  }
  async function kept(): Promise<string[]> {
    await removeOldDrafts({ folder: at('drafts'), files: new NodeFiles(), clock: systemClock, log: nullLogger });
    return (await readdir(at('drafts'))).toSorted();
  }

  it('are removed when no window can show them for 90 days, and those of a workspace that is there never', async () => {
    await write('none-new.json', 89, { folders: [] });
    await write('none-old.json', 91, { folders: [] });
    await write('there.json', 1000, { folders: [at('there')] });
    await write('one-of-two.json', 1000, { folders: [at('gone'), at('there')] });
    await write('deleted-new.json', 89, { folders: [at('gone')] });
    await write('deleted.json', 91, { folders: [at('gone')] });
    await write('deleted-workspace.json', 91, { file: at('gone.code-workspace'), folders: [at('there')] });
    await write('drive-not-connected.json', 1000, { folders: [at('drive/project')] });
    await write('of-a-newer-version.json', 1000, 'something else');
    assert.deepEqual(await kept(), [
      'deleted-new.json',
      'drive-not-connected.json',
      'none-new.json',
      'of-a-newer-version.json',
      'one-of-two.json',
      'there.json',
    ]);
  });

  it('leave nothing of a window that was killed while it wrote', async () => {
    await write('there.json.a1b2.tmp', 1, '{"val');
    await write('there.json.c3d4.tmp', 0, '{"val');
    assert.deepEqual(await kept(), ['there.json.c3d4.tmp']);
  });

  it('need not be there', async () => {
    await rm(at('drafts'), { recursive: true });
    await removeOldDrafts({ folder: at('drafts'), files: new NodeFiles(), clock: systemClock, log: nullLogger });
  });
});
