import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import * as path from 'node:path';
import type { Clock } from '../../../../src/base/common/async';
import { systemClock } from '../../../../src/base/node/systemClock';
import { nullLogger } from '../../../../src/base/common/log';
import type { CheckpointScanLimits } from '../../../../src/changes/common/checkpoint';
import type { FolderCheckpoint } from '../../../../src/changes/common/workspaceCheckpoints';
import { FolderCheckpoints } from '../../../../src/changes/node/folderCheckpoints';
import { until } from '../../../support/eventually';
import { only } from '../../../support/only';
import { contentsOf, TestWorkspace, writesIn, patientScans } from '../support/workspace';

interface Options {
  readonly folders?: () => readonly string[];
  readonly searchPath?: string;
  readonly storageFolder?: string;
  readonly limits?: Partial<CheckpointScanLimits>;
  readonly clock?: Clock;
}

const onPosix = only('with POSIX shells and links', process.platform !== 'win32');

describe('checkpoints of a window, when something fails', () => {
  let workspace: TestWorkspace;
  let second: string;
  let opened: FolderCheckpoints[];
  const { signal } = new AbortController();
  beforeEach(() => {
    workspace = new TestWorkspace();
    second = path.join(workspace.root, 'second');
    mkdirSync(second);
    opened = [];
    workspace.write({ 'a.txt': 'a\n', '../second/b.txt': 'b\n' });
  });
  afterEach(async () => {
    for (const checkpoints of opened) await checkpoints.stop();
    await workspace.dispose();
  });

  function open(options: Options = {}): FolderCheckpoints {
    const checkpoints = new FolderCheckpoints({
      folders: () => [workspace.folder, second],
      storageFolder: workspace.storage,
      isTrusted: () => true,
      excludes: () => false,
      decode: (bytes) => Promise.resolve(Buffer.from(bytes).toString()),
      retention: () => ({ maxAgeMs: 1e9, maxBytes: 1e9 }),
      log: nullLogger,
      clock: systemClock,
      limits: patientScans,
      ...options,
    });
    opened.push(checkpoints);
    return checkpoints;
  }

  /** A folder for PATH with a Git that runs `script` before the real one. */
  function gitThat(script: string, place = path.join(workspace.root, 'bin')): string {
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    mkdirSync(place, { recursive: true });
    writeFileSync(path.join(place, 'git'), `#!/bin/sh\n${script}\nexec '${real}' "$@"\n`);
    chmodSync(path.join(place, 'git'), 0o755);
    return place;
  }

  async function changed(checkpoints: FolderCheckpoints, folders: readonly FolderCheckpoint[]): Promise<string[]> {
    const { files, problems } = await checkpoints.changesSince(folders);
    assert.deepEqual(problems, []);
    return files.map((file) => path.relative(workspace.root, file.path)).sort();
  }

  it('tell the changes of the other folders when one is removed or renamed in the turn, and of that when it is back', async () => {
    const checkpoints = open();
    const { folders } = await checkpoints.take('first', signal);
    workspace.write({ '../second/b.txt': 'agent\n', 'a.txt': 'agent\n' });
    const away = path.join(workspace.root, 'renamed');
    renameSync(workspace.folder, away);
    const { files, problems } = await checkpoints.changesSince(folders);
    assert.deepEqual(
      files.map((file) => file.path),
      [path.join(second, 'b.txt')],
    );
    assert.deepEqual(problems, [`The folder ${workspace.folder} was removed or renamed. Open it again.`]);
    assert.equal((await checkpoints.take('next', signal)).folders.length, 1);
    renameSync(away, workspace.folder);
    assert.deepEqual(await changed(checkpoints, folders), ['second/b.txt', 'workspace/a.txt']);
  });

  onPosix.it('follow no link that has taken the place of the folder', async () => {
    const checkpoints = open();
    const { folders } = await checkpoints.take('first', signal);
    const [place] = folders;
    assert.ok(place);
    const { files } = await checkpoints.changesSince(folders);
    assert.deepEqual(files, []);
    workspace.write({ 'a.txt': 'agent\n' });
    const [change] = (await checkpoints.changesSince(folders)).files;
    assert.ok(change);
    const outside = path.join(workspace.root, 'outside');
    renameSync(workspace.folder, outside);
    symlinkSync(outside, workspace.folder);
    const before = writesIn(outside);
    const { problems, uncovered } = await checkpoints.take('next', signal);
    assert.deepEqual(problems, [`The folder ${workspace.folder} was replaced by a symbolic link. Open it again.`]);
    assert.deepEqual(uncovered, []);
    const step = { path: change.path, before: change.after, after: change.before };
    await assert.rejects(checkpoints.restoreFile({ checkpoint: place, step }), /symbolic link/);
    assert.deepEqual(writesIn(outside), before);
  });

  onPosix.it('say that the storage cannot be written', async () => {
    const file = path.join(workspace.root, 'file');
    writeFileSync(file, '');
    const { folders, problems } = await open({ storageFolder: path.join(file, 'storage') }).take('first', signal);
    assert.deepEqual(folders, []);
    assert.equal(problems.length, 1);
    assert.match(problems[0] ?? '', /^Backline’s storage cannot be written: /);
  });

  onPosix.it('are given up at once when the prompt is cancelled in between, and go on with the next', async () => {
    workspace.commitAll();
    const gitDir = writesIn(workspace.file('.git'));
    const marker = path.join(workspace.root, 'hangs');
    const searchPath = gitThat(
      `case "$*" in *update-index*) [ -e '${marker}' ] || { touch '${marker}'; sleep 100; };; esac`,
    );
    const checkpoints = open({ searchPath, folders: () => [workspace.folder] });
    workspace.write({ 'new.txt': 'new\n' });
    const controller = new AbortController();
    const taking = checkpoints.take('first', controller.signal);
    await until('it hangs', () => existsSync(marker));
    controller.abort(new Error('stopped'));
    await assert.rejects(taking, /stopped/);
    const { folders, problems } = await checkpoints.take('second', signal);
    assert.deepEqual(problems, []);
    workspace.write({ 'new.txt': 'agent\n' });
    assert.deepEqual(await changed(checkpoints, folders), ['workspace/new.txt']);
    assert.deepEqual(writesIn(workspace.file('.git')), gitDir);
  });

  onPosix.it('are refused with a reason when Git hangs, and when it is killed', async () => {
    const searchPath = gitThat(`
case "$*" in *update-index*)
  [ -e '${workspace.root}/hang' ] && sleep 100
  [ -e '${workspace.root}/kill' ] && kill -9 $$
esac`);
    const folders = (): string[] => [workspace.folder];
    writeFileSync(path.join(workspace.root, 'hang'), '');
    const slow = await open({ searchPath, folders, limits: { maxMs: 1_000 } }).take('first', signal);
    assert.match(slow.problems.join(), /took longer than 1 s/);
    renameSync(path.join(workspace.root, 'hang'), path.join(workspace.root, 'kill'));
    const killed = await open({ searchPath, folders }).take('second', signal);
    assert.match(killed.problems.join(), /Git failed to run/);
    rmSync(path.join(workspace.root, 'kill'));
    const mended = open({ folders });
    const third = await mended.take('third', signal);
    workspace.write({ 'a.txt': 'agent\n' });
    assert.deepEqual(await changed(mended, third.folders), ['workspace/a.txt']);
  });

  onPosix.it('run no Git of any folder of the workspace', async () => {
    const marker = path.join(workspace.root, 'ran');
    const evil = gitThat(`touch '${marker}'`, path.join(second, 'bin'));
    const searchPath = `${evil}${path.delimiter}${process.env['PATH'] ?? ''}`;
    const { folders } = await open({ searchPath }).take('first', signal);
    assert.equal(folders.length, 2);
    assert.equal(existsSync(marker), false);
  });

  onPosix.it('begin when Git was installed meanwhile', async () => {
    let passedMs = 0;
    const clock: Clock = {
      now: () => systemClock.now(),
      monotonicNow: () => systemClock.monotonicNow() + passedMs,
      setTimer: (delayMs, callback) => systemClock.setTimer(delayMs, callback),
    };
    const searchPath = path.join(workspace.root, 'bin');
    const checkpoints = open({ searchPath, clock });
    assert.deepEqual((await checkpoints.take('first', signal)).problems, [
      'Git is not installed. Install Git to track all changes.',
    ]);
    gitThat('');
    assert.equal((await checkpoints.take('second', signal)).folders.length, 0, 'it is not looked for at every prompt');
    passedMs = 61_000;
    assert.equal((await checkpoints.take('third', signal)).folders.length, 2);
  });

  it('are taken by two windows on one folder at the same time', async () => {
    workspace.commitAll();
    const gitDir = writesIn(workspace.file('.git'));
    workspace.write(Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`f${at}.txt`, `${at}\n`])));
    const windows = [open(), open()];
    for (let turn = 0; turn < 3; turn++) {
      const taken = await Promise.all(windows.map((window) => window.take(`turn ${turn}`, signal)));
      for (const { problems } of taken) assert.deepEqual(problems, []);
      workspace.write({ 'a.txt': `${turn}\n`, [`f${turn}.txt`]: `${turn} changed\n` });
      const found = await Promise.all(windows.map((window, at) => changed(window, taken[at]?.folders ?? [])));
      for (const one of found) assert.deepEqual(one, ['workspace/a.txt', `workspace/f${turn}.txt`]);
    }
    assert.deepEqual(writesIn(workspace.file('.git')), gitDir);
  });

  it('tell a change once when one folder of the workspace is inside another', async () => {
    const inner = workspace.file('inner');
    workspace.write({ 'inner/c.txt': 'c\n' });
    const checkpoints = open({ folders: () => [workspace.folder, inner] });
    const { folders } = await checkpoints.take('first', signal);
    assert.equal(folders.length, 2);
    workspace.write({ 'inner/c.txt': 'agent\n', 'a.txt': 'agent\n' });
    assert.deepEqual(await changed(checkpoints, folders), ['workspace/a.txt', 'workspace/inner/c.txt']);
    const { files } = await checkpoints.changesSince(folders);
    assert.equal((await checkpoints.textsBefore(files)).get(path.join(inner, 'c.txt')), 'c\n');
  });

  const asUser = only('as root on Linux', process.platform === 'linux' && process.getuid?.() === 0);

  asUser.it('leave out what the user may not read, say so, and take it for unchanged', async () => {
    const root = path.join(workspace.root, 'of nobody');
    mkdirSync(root);
    chmodSync(workspace.root, 0o755);
    chmodSync(root, 0o777);
    const folder = path.join(root, 'ws');
    await asNobody(async () => {
      mkdirSync(path.join(folder, 'closed'), { recursive: true });
      writeFileSync(path.join(folder, 'closed', 'in.txt'), 'in');
      writeFileSync(path.join(folder, 'secret.txt'), 'secret');
      writeFileSync(path.join(folder, 'a.txt'), 'a');
      const checkpoints = open({ folders: () => [folder], storageFolder: path.join(root, 'storage') });
      const first = await checkpoints.take('first', signal);
      assert.deepEqual([first.problems, first.uncovered], [[], []]);
      chmodSync(path.join(folder, 'closed'), 0);
      chmodSync(path.join(folder, 'secret.txt'), 0);
      writeFileSync(path.join(folder, 'secret2.txt'), 'secret', { mode: 0 });
      writeFileSync(path.join(folder, 'a.txt'), 'agent');
      const second = await checkpoints.take('second', signal);
      assert.deepEqual(second.problems, []);
      assert.deepEqual([...second.uncovered].sort(), [
        `${folder}/closed/`,
        `${folder}/secret.txt`,
        `${folder}/secret2.txt`,
      ]);
      assert.deepEqual(
        (await checkpoints.changesSince(first.folders)).files.map((file) => path.basename(file.path)),
        ['a.txt'],
      );
      chmodSync(path.join(folder, 'closed'), 0o755);
    });
    assert.ok(contentsOf(folder)['closed/in.txt']);
  });
});

async function asNobody(work: () => Promise<void>): Promise<void> {
  const nobody = 65_534;
  process.setegid?.(nobody);
  process.seteuid?.(nobody);
  try {
    await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
