import assert from 'node:assert/strict';
import { link, mkdtemp, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { replaceFile, replaceFileBy } from '../../../../src/base/node/replaceFile';

const minuteMs = 60_000;

describe('Replacing a file', () => {
  let folder: string;
  let file: string;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backline-replace-'));
    file = path.join(folder, 'a.json');
    await writeFile(file, 'old');
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  for (const [name, ageMs, isRemoved] of [
    ['a.json.0123456789ab.tmp', 11 * minuteMs, true],
    ['a.json.4711.tmp', 11 * minuteMs, true],
    ['a.json.0123456789ab.tmp', 9 * minuteMs, false],
    ['a.json.mine.tmp', 11 * minuteMs, false],
    ['a.json.4711', 11 * minuteMs, false],
    ['b.json.4711.tmp', 11 * minuteMs, false],
    ['xa.json.4711.tmp', 11 * minuteMs, false],
  ] as const) {
    it(`${isRemoved ? 'removes' : 'leaves'} ${name} after ${ageMs / minuteMs} minutes`, async () => {
      await writeFile(path.join(folder, name), 'left');
      await replaceFileBy(file, (temporary) => writeFile(temporary, 'new'), { nowMs: Date.now() + ageMs });
      assert.equal(await readFile(file, 'utf8'), 'new');
      assert.deepEqual((await readdir(folder)).sort(), (isRemoved ? ['a.json'] : ['a.json', name]).sort());
    });
  }

  it('leaves nothing of a write that fails', async () => {
    const write = async (temporary: string): Promise<void> => {
      await writeFile(temporary, 'half');
      throw new Error('The disk is full.');
    };
    await assert.rejects(replaceFileBy(file, write), { message: 'The disk is full.' });
    assert.deepEqual([await readFile(file, 'utf8'), await readdir(folder)], ['old', ['a.json']]);
  });

  it('can refuse to replace a file', async () => {
    const publish = async (temporary: string, target: string): Promise<void> => {
      await link(temporary, target);
      await unlink(temporary);
    };
    const write = (temporary: string): Promise<void> => writeFile(temporary, 'new');
    await assert.rejects(replaceFileBy(file, write, { publish }), { code: 'EEXIST' });
    assert.deepEqual([await readFile(file, 'utf8'), await readdir(folder)], ['old', ['a.json']]);
    await replaceFileBy(path.join(folder, 'b'), write, { publish });
    assert.deepEqual((await readdir(folder)).sort(), ['a.json', 'b']);
  });

  it('writes bytes, also of a new file', async () => {
    await replaceFile(path.join(folder, 'b'), Uint8Array.of(1, 2));
    assert.deepEqual([...(await readFile(path.join(folder, 'b')))], [1, 2]);
  });
});
