import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { existsSync } from 'node:fs';
import * as path from 'node:path';
import { nullLogger } from '../../../../src/base/common/log';
import { NodeFiles } from '../../../../src/base/node/filePort';
import { systemClock } from '../../../../src/base/node/systemClock';
import { WindowRegistry } from '../../../../src/chat/node/windows/windowRegistry';
import { watchRunningWindows } from '../../../../src/chat/node/windows/watchRunningWindows';
import { until } from '../../../support/eventually';
import type { Disposable } from '../../../../src/base/common/disposable';

describe('A window that has not loaded the chat', () => {
  let parent: string;
  let folder: string;
  let calls: number;
  let watching: Disposable | undefined;
  let registry: WindowRegistry;
  beforeEach(async () => {
    parent = await mkdtemp(path.join(tmpdir(), 'windows-'));
    folder = path.join(parent, 'windows');
    calls = 0;
    registry = new WindowRegistry({ folder, id: 'one', files: new NodeFiles(), clock: systemClock, log: nullLogger });
  });
  afterEach(async () => {
    watching?.dispose();
    await registry.stop();
    await rm(parent, { recursive: true, force: true });
  });
  const watch = (): void => void (watching = watchRunningWindows(folder, () => calls++));
  const running = { a: { state: 'busy' as const, turn: 1 } };
  const isWritten = (): boolean => existsSync(path.join(folder, 'one.json'));

  it('loads it once when another window begins to run a conversation', async () => {
    watch();
    await until('it watches', async () => (await readdir(parent)).includes('windows'));
    registry.publish({}, ['idle']);
    await until('it is written', isWritten);
    assert.equal(calls, 0);
    registry.publish(running, []);
    await until('the call', () => calls > 0);
    registry.publish({ ...running, b: running.a }, []);
    assert.equal(calls, 1);
  });

  it('loads it if another window runs a conversation already', async () => {
    registry.publish(running, []);
    await until('it is written', isWritten);
    watch();
    await until('the call', () => calls === 1);
  });

  it('does not load it for what a window has left that was killed, or for a file that cannot be read', async () => {
    registry.publish(running, []);
    await until('it is written', isWritten);
    await utimes(path.join(folder, 'one.lock'), 1, 1);
    await writeFile(path.join(folder, 'two.json'), '{"conv');
    let wasThere: boolean | undefined;
    watching = watchRunningWindows(folder, () => (wasThere = existsSync(path.join(folder, 'four.lock'))));
    await writeFile(path.join(folder, 'three.json'), JSON.stringify({ conversations: {} }));
    await until('a living window is found', async () => {
      await writeFile(path.join(folder, 'four.json'), JSON.stringify({ conversations: running }));
      await writeFile(path.join(folder, 'four.lock'), '');
      return wasThere !== undefined;
    });
    assert.equal(wasThere, true);
  });
});
