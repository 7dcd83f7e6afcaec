import assert from 'node:assert/strict';
import type { BigIntStats } from 'node:fs';
import { link, mkdir, mkdtemp, realpath, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { ExcludeList } from '../../../../src/editor/common/excludeList';
import { readCheckedFile } from '../../../../src/editor/node/checkedRead';
import { ExcludedHardLinks } from '../../../../src/editor/node/excludedHardLinks';
import { PathGuard } from '../../../../src/editor/node/pathGuard';
import { until } from '../../../support/eventually';

describe('a file with several names', () => {
  let root: string;
  let exclude: ExcludeList;
  let guard: PathGuard;
  const at = (...names: string[]): string => path.join(root, ...names);
  const refused = { name: 'EditorError', code: 'excluded', message: /hard link/u };

  beforeEach(async () => {
    root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-hard-links-')));
    await mkdir(at('ws', 'deep', 'secret'), { recursive: true });
    await writeFile(at('ws', '.env'), 'KEY=1');
    await writeFile(at('ws', 'deep', 'secret', 'a.pem'), 'key');
    await writeFile(at('ws', 'a.txt'), 'a');
    exclude = new ExcludeList(['.env*', '*.pem']);
    guard = new PathGuard({ folders: () => [at('ws')], exclude: () => exclude, isWindows: false });
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  it('is refused when one of them is excluded, wherever in the workspace that is', async () => {
    await link(at('ws', '.env'), at('ws', 'deep', 'harmless.txt'));
    await link(at('ws', 'deep', 'secret', 'a.pem'), at('ws', 'b.txt'));
    await assert.rejects(guard.check(at('ws', 'deep', 'harmless.txt')), refused);
    await assert.rejects(guard.check(at('ws', 'b.txt')), refused);
    await assert.rejects(readCheckedFile(guard, at('ws', 'b.txt')), refused);
  });

  it('is let through when none of them is', async () => {
    await link(at('ws', 'a.txt'), at('ws', 'deep', 'b.txt'));
    await link(at('ws', 'a.txt'), at('outside.txt'));
    assert.equal((await readCheckedFile(guard, at('ws', 'deep', 'b.txt'))).bytes.toString(), 'a');
  });

  it('is refused from the moment it gets such a name, and let through when it has lost it', async () => {
    // From long before, so that what was found out about it would be taken to hold.
    await utimes(at('ws', 'a.txt'), 1, 1);
    await link(at('ws', 'a.txt'), at('ws', 'b.txt'));
    await guard.check(at('ws', 'b.txt'));
    await link(at('ws', 'a.txt'), at('ws', '.env.local'));
    await assert.rejects(guard.check(at('ws', 'b.txt')), refused);
    await rm(at('ws', '.env.local'));
    await guard.check(at('ws', 'b.txt'));
  });

  it('uses the current exclude list', async () => {
    await link(at('ws', 'a.txt'), at('ws', 'b.txt'));
    await guard.check(at('ws', 'b.txt'));
    exclude = new ExcludeList(['a.*']);
    guard.clearCache();
    await assert.rejects(guard.check(at('ws', 'b.txt')), refused);
  });

  it('is refused when it takes the place of another one after the check', async () => {
    const swapping = new PathGuard({ folders: () => [at('ws')], exclude: () => exclude, isWindows: false });
    const check = swapping.check.bind(swapping);
    swapping.check = async (requested) => {
      const checked = await check(requested);
      await rm(at('ws', 'a.txt'));
      await link(at('ws', '.env'), at('ws', 'a.txt'));
      return checked;
    };
    await assert.rejects(readCheckedFile(swapping, at('ws', 'a.txt')), refused);
  });

  describe('is looked for in the workspace', () => {
    /** When each scan started. */
    let scans: number[];
    let folders: Promise<readonly string[]>;
    let isScanning: (file: string) => void;
    let links: ExcludedHardLinks;
    /** As a file system tells it whose clock is not this computer's. */
    const changed = async (file: string, aheadMs: bigint): Promise<BigIntStats> => {
      const info = await stat(at('ws', file), { bigint: true });
      info.ctimeMs += aheadMs;
      return info;
    };
    const hour = 3_600_000n;

    beforeEach(async () => {
      await link(at('ws', 'a.txt'), at('ws', 'b.txt'));
      await link(at('ws', '.env'), at('ws', 'c.txt'));
      scans = [];
      folders = Promise.resolve([at('ws')]);
      isScanning = () => undefined;
      links = new ExcludedHardLinks({
        folders: () => {
          scans.push(performance.now());
          return folders;
        },
        isExcluded: (file) => {
          isScanning(file);
          return path.basename(file) === '.env';
        },
      });
    });

    it('once for all that ask at the same time', async () => {
      const [plain, secret] = [await changed('b.txt', hour), await changed('c.txt', hour)];
      const infos = Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? plain : secret));
      const expected = infos.map((info) => info === secret);
      const ask = (): Promise<boolean[]> => Promise.all(infos.map((info) => links.hasExcludedName(info)));
      assert.deepEqual(await ask(), expected);
      assert.equal(scans.length, 1);
      assert.deepEqual(await ask(), expected);
      assert.equal(scans.length, 2);
    });

    it('once a second at most, and one scan at a time, while the clock of the file system is ahead', async () => {
      const ahead = await changed('b.txt', hour);
      const asked: Promise<boolean>[] = [];
      // Another one asks in the middle of each scan.
      isScanning = () => {
        if (scans.length < 3) asked.push(links.hasExcludedName(ahead));
      };
      asked.push(links.hasExcludedName(ahead));
      await until('the third scan', () => scans.length === 3);
      assert.ok((await Promise.all(asked)).every((isExcluded) => !isExcluded));
      assert.equal(scans.length, 3);
      // Timers may be early by a part of a millisecond.
      scans.reduce((before, start) => (assert.ok(start - before > 990, String(scans)), start));
    });

    it('further when the scan is slow: what was not found in half a second is found later', async () => {
      let goOn: (found: readonly string[]) => void = () => undefined;
      folders = new Promise((resolve) => (goOn = resolve));
      const secret = await changed('c.txt', -hour);
      assert.equal(await links.hasExcludedName(secret), false);
      goOn([at('ws')]);
      await until('the end of the scan', () => links.hasExcludedName(secret));
      assert.equal(scans.length, 1);
    });

    it('anew when a file has changed since a slow scan began, which ends first', async () => {
      let goOn: (found: readonly string[]) => void = () => undefined;
      folders = new Promise((resolve) => (goOn = resolve));
      const secret = await changed('c.txt', hour);
      assert.equal(await links.hasExcludedName(secret), false);
      folders = Promise.resolve([at('ws')]);
      const again = links.hasExcludedName(secret);
      const answered = performance.now();
      goOn([at('ws')]);
      assert.equal(await again, true);
      const [, second = 0, ...more] = scans;
      assert.ok(second >= answered, `${answered} ${second}`);
      assert.deepEqual(more, []);
    });
  });
});
