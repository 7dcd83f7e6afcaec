import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import type { Disposable } from '../../../../src/base/common/disposable';
import { NodeFiles } from '../../../../src/base/node/filePort';
import { WindowRegistry } from '../../../../src/chat/node/windows/windowRegistry';
import { until } from '../../../support/eventually';
import { FakeClock } from '../../../fake/fakeClock';

const running = { one: { state: 'busy', turn: 1 } } as const;

/** Files whose folders are watched by the test. */
class WatchedFiles extends NodeFiles {
  /** What is told of changes in a folder, by its path. */
  readonly watchers = new Map<string, (name: string | undefined) => void>();
  /** Called before a folder is made. */
  beforeMakeFolder: (folder: string) => Promise<void> = () => Promise.resolve();

  override async makeFolder(folder: string): Promise<void> {
    await this.beforeMakeFolder(folder);
    await super.makeFolder(folder);
  }

  override watch(folder: string, onChange: (name: string | undefined) => void): Disposable {
    this.watchers.set(folder, onChange);
    return { dispose: () => void this.watchers.delete(folder) };
  }
}

describe('WindowRegistry', () => {
  let folder: string;
  let clock: FakeClock;
  let files: WatchedFiles;
  let registry: WindowRegistry;
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'windows-'));
    clock = new FakeClock();
    files = new WatchedFiles();
    registry = new WindowRegistry({ folder, id: 'own', files, clock, log: nullLogger });
    await registry.start();
  });
  afterEach(async () => {
    await registry.stop();
    await rm(folder, { recursive: true });
  });

  it('leaves no watcher, timer or file behind if it ends while it opens its mailbox', async () => {
    const opening = Promise.withResolvers<string>();
    files.beforeMakeFolder = (made) => {
      if (made.endsWith('.mailbox')) {
        registry.dispose();
        opening.resolve(made);
      }
      return Promise.resolve();
    };
    registry.publish(running, []);
    clock.advance(100);
    await opening.promise;
    await registry.stop();
    assert.deepEqual([...files.watchers.keys()], []);
    assert.equal(clock.pending, 0);
    assert.deepEqual(await readdir(folder), []);
  });

  it('leaves no timer behind if several writes have failed', async () => {
    const first = Promise.withResolvers<undefined>();
    const failures = [first.promise, undefined];
    files.beforeMakeFolder = async () => {
      await failures.shift();
      throw new Error('The disk is full.');
    };
    for (let count = 0; count < 2; count++) {
      registry.publish(running, []);
      clock.advance(100);
    }
    first.resolve(undefined);
    await until('both have failed', () => failures.length === 0 && clock.pending === 1);
    registry.dispose();
    assert.equal(clock.pending, 0);
  });

  it('reads the other windows when any of them may have changed, but not for what it writes itself', () => {
    const change = files.watchers.get(folder);
    for (const name of ['own.json', 'own.json.1f.tmp', 'own.lock', 'own.mailbox']) change?.(name);
    assert.equal(clock.pending, 0);
    for (const name of ['other.json', 'owner.json', undefined]) {
      change?.(name);
      assert.equal(clock.pending, 1, name);
      clock.advance(100);
    }
  });
});
