import assert from 'node:assert/strict';
import { FakeClock } from '../../fake/fakeClock';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { nullLogger } from '../../../src/base/common/log';
import { isUriInFolder } from '../../../src/context/common/providers/providerUri';
import { isInsideFolders } from '../../../src/context/node/insideFolders';
import { ProviderFactory } from '../../../src/context/node/providerFactory';
import { listOf } from './support/contextHarness';
import { OutgoingHttp } from '../../../src/wire/node/outgoingHttp';

describe('code of a workspace', () => {
  for (const [spelling, uri] of [
    ['as it is', 'file:///w/my%20app/p.js'],
    ['with doubled slashes', 'file:////w//my app///p.js'],
    ['with dots', 'file:///w/x/../my%20app/./p.js'],
    ['with escaped dots', 'file:///w/x/%2e%2e/my%20app/p.js'],
    ['in another case', 'file:///W/My%20App/p.js'],
    ['with bytes that are no text', 'file:///w/my%20app/%ff.js'],
  ] as const) {
    it(`is known when it is spelled ${spelling}`, () => assert.ok(isUriInFolder(uri, 'file:///w/my%20app')));
  }

  it('is not recognized by a common prefix', () => {
    assert.equal(isUriInFolder('file:///w/my%20app2/p.js', 'file:///w/my%20app'), false);
    assert.equal(isUriInFolder('file:///w/my%20app/../p.js', 'file:///w/my%20app'), false);
  });

  it('is known on Windows by the case of the disk, and no other machine is asked', async () => {
    const asked: string[] = [];
    const realPath = (path: string): Promise<string> => {
      asked.push(path);
      return Promise.resolve(path.replace(/^d:\\link/i, 'C:\\ws').replace(/^c:/, 'C:'));
    };
    const isCode = (url: string, ...folders: string[]): Promise<boolean> =>
      isInsideFolders(folders, url, realPath, true);
    assert.equal(await isCode('file:///d:/Link/p.mjs', 'file:///c:/ws'), true);
    assert.equal(await isCode('file:///c:/mine/p.mjs', 'file:///c:/ws'), false);
    assert.ok(asked.includes('d:\\Link\\p.mjs'));
    asked.length = 0;
    assert.equal(await isCode('file://evil/share/p.mjs', 'file:///c:/ws'), false);
    assert.equal(await isCode('file://FILES/team/ws/p.mjs', 'file://files/team/ws'), true);
    assert.deepEqual(
      asked.filter((path) => path.includes('evil')),
      [],
    );
    assert.ok(asked.some((path) => path.startsWith('\\\\files\\')));
  });

  describe('behind links', () => {
    let root = '';
    const uriOf = (...parts: string[]): string => pathToFileURL(path.join(root, ...parts)).href;
    before(async () => {
      root = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-place-')));
      for (const folder of ['repo', 'mine']) await mkdir(path.join(root, folder));
      await writeFile(path.join(root, 'repo', 'p.mjs'), 'export default {}');
      await writeFile(path.join(root, 'mine', 'p.mjs'), 'export default {}');
      await symlink(path.join(root, 'repo'), path.join(root, 'linked'), 'junction');
    });
    after(() => rm(root, { recursive: true }));

    it('is known by where it really is, whichever of both is linked', async () => {
      assert.equal(await isInsideFolders([uriOf('repo')], uriOf('linked', 'p.mjs')), true);
      assert.equal(await isInsideFolders([uriOf('linked')], uriOf('repo', 'p.mjs')), true);
      assert.equal(await isInsideFolders([uriOf('repo')], uriOf('mine', 'p.mjs')), false);
      assert.equal(await isInsideFolders([uriOf('repo')], uriOf('mine', 'gone.mjs')), false);
    });

    it('does not start a worker while the workspace is not trusted', async () => {
      const factory = new ProviderFactory({
        workerFile: path.join(root, 'there-is-no-worker.js'),
        remoteFolder: root,
        fetch: new OutgoingHttp().fetch,
        clock: new FakeClock(),
        log: nullLogger,
        isAllowed: () => false,
        untrustedFolders: () => [uriOf('repo')],
      });
      const [entry] = listOf({ [uriOf('linked', 'p.mjs')]: true }).entries;
      assert.ok(entry);
      const provider = factory.create(entry);
      await assert.rejects(provider.capabilities({}, new AbortController().signal), /which is not trusted/);
      provider.dispose();
    });
  });
});
