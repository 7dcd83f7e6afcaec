import assert from 'node:assert/strict';
import { link, mkdir, mkdtemp, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { ExcludeList } from '../../../../src/editor/common/excludeList';
import { readChecked } from '../../../../src/editor/node/checkedRead';
import { PathGuard } from '../../../../src/editor/node/pathGuard';

describe('a file with several names', () => {
  let root: string;
  let exclude: ExcludeList;
  let guard: PathGuard;
  const at = (...names: string[]): string => path.join(root, ...names);
  const refused = { name: 'EditorError', code: 'excluded', message: /another name/u };

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
    await assert.rejects(readChecked(guard, at('ws', 'b.txt')), refused);
  });

  it('is let through when none of them is', async () => {
    await link(at('ws', 'a.txt'), at('ws', 'deep', 'b.txt'));
    await link(at('ws', 'a.txt'), at('outside.txt'));
    assert.equal((await readChecked(guard, at('ws', 'deep', 'b.txt'))).bytes.toString(), 'a');
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

  it('goes by the exclude list of the moment', async () => {
    await link(at('ws', 'a.txt'), at('ws', 'b.txt'));
    await guard.check(at('ws', 'b.txt'));
    exclude = new ExcludeList(['a.*']);
    guard.forget();
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
    await assert.rejects(readChecked(swapping, at('ws', 'a.txt')), refused);
  });
});
