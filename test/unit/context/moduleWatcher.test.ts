import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import * as path from 'node:path';
import { pathToFileURL } from 'node:url';
import { ModuleWatcher } from '../../../src/context/node/moduleWatcher';
import { FakeClock } from '../../fake/fakeClock';
import { until } from '../../support/eventually';

describe('ModuleWatcher', () => {
  let folder: string;
  let changes: number;
  let clock: FakeClock;
  let watcher: ModuleWatcher;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'modules-'));
    mkdirSync(path.join(folder, 'lib'));
    changes = 0;
    clock = new FakeClock();
    watcher = new ModuleWatcher(clock, () => changes++);
  });
  afterEach(() => {
    watcher.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const file = (name: string): string => path.join(folder, name);
  const url = (name: string): string => pathToFileURL(file(name)).href;
  const write = (name: string): void => writeFileSync(file(name), String(Math.random()));

  /** All that was written before it has been seen. */
  async function nextChange(what: string): Promise<void> {
    const before = changes;
    await until(what, () => clock.pending > 0);
    clock.advance(100);
    assert.equal(changes, before + 1);
  }

  it('reports a burst of writes once, and each later write', async () => {
    write('main.mjs');
    watcher.watch([url('main.mjs')]);
    for (let time = 0; time < 5; time++) write('main.mjs');
    await nextChange('the burst');
    write('main.new');
    renameSync(file('main.new'), file('main.mjs'));
    await nextChange('the replacement');
  });

  it('tells what has happened to a file just before it is given others', async () => {
    write('main.mjs');
    watcher.watch([url('main.mjs')]);
    write('main.mjs');
    watcher.watch([url('lib/other.mjs')]);
    // A busy machine reads it only later.
    clock.advance(100);
    await nextChange('the writing');
  });

  it('watches other files as soon as they are set', async () => {
    watcher.watch([url('main.mjs')]);
    watcher.watch([url('main.mjs'), url('lib/other.mjs')]);
    assert.ok(watcher.isWatching(url('lib/other.mjs')) && !watcher.isWatching(url('lib/none.mjs')));
    // The watchers before them end.
    clock.advance(100);
    write('lib/other.mjs');
    await nextChange('the writing');
    rmSync(file('lib/other.mjs'));
    await nextChange('the removal');
  });

  it('ignores missing folders', () => {
    watcher.watch([url('nowhere/main.mjs'), 'https://127.0.0.1/main.mjs']);
    assert.equal(changes, 0);
  });
});
