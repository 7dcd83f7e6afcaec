import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import * as path from 'node:path';
import type { VersionManifest } from '../../../../src/agents/common/install/versionManifest';
import { AgentInstaller } from '../../../../src/agents/node/agentInstaller';
import type { RegistryAgent } from '../../../../src/agents/common/registry/registryAgent';
import type { InstallPorts } from '../../../../src/agents/node/installPorts';
import { AgentStorage, type StoredVersion } from '../../../../src/agents/node/storage/agentStorage';
import { acquireInstallLock } from '../../../../src/agents/node/storage/installLock';
import { currentOwner, formatOwner, isOwnerAlive, parseOwner } from '../../../../src/agents/node/storage/windowOwner';
import { nullLogger } from '../../../../src/base/common/log';
import { systemClock } from '../../../../src/base/node/systemClock';
import { FakeClock } from '../../../fake/fakeClock';
import { realInstallPorts } from '../../../fake/agents/installPorts';
import { until } from '../../../support/eventually';
import { turns } from '../../../support/turns';

const { signal } = new AbortController();
const progress = { signal, onProgress: () => undefined };

describe('the files of installed agents', () => {
  let folder: string;
  let storage: AgentStorage;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'backline-storage-')));
    storage = new AgentStorage({ folder, clock: systemClock, log: nullLogger });
    await storage.open();
  });
  afterEach(async () => {
    storage.close();
    await rm(folder, { recursive: true, force: true });
  });

  async function place(id: string, version: string, installedAt = 1): Promise<StoredVersion> {
    const staged = await storage.makeStaging();
    await writeFile(path.join(staged, 'agent'), 'x'.repeat(1_000));
    const manifest: VersionManifest = {
      ...{ schemaVersion: 1, id, name: id.toUpperCase(), version, kind: 'binary', args: [], env: {}, bytes: 1_000 },
      ...{ installedAt, start: { kind: 'program', program: 'agent' } },
    };
    return await storage.place(staged, manifest);
  }

  function installer(ports: Partial<InstallPorts> = {}): AgentInstaller {
    return new AgentInstaller({ folder, ports: { ...realInstallPorts({ PATH: '' }), ...ports } });
  }
  const versionsOf = async (id: string): Promise<string[]> => (await readdir(path.join(folder, id))).toSorted();

  /** The id of a process that has ended. */
  async function deadPid(): Promise<number> {
    const child = spawn(process.execPath, ['-e', '']);
    await once(child, 'exit');
    return child.pid ?? 0;
  }

  it('lists what is in the index', async () => {
    const [one, two] = [await place('one', '1.0.0'), await place('two', '2.0.0')];
    await storage.writeInstalled([one, two]);
    assert.deepEqual(await storage.readInstalled(), [one, two]);
  });

  it('keeps the names of accounts with the installed version, and leaves out what is no name', async () => {
    const one = { ...(await place('one', '1.0.0')), accounts: ['Work', 'Second team'] };
    await storage.writeInstalled([one]);
    assert.deepEqual(await storage.readInstalled(), [one]);
    const started = installer();
    await started.start();
    assert.deepEqual(started.installed()[0]?.accounts, one.accounts);
    await started.changeAccounts('one', (names) => [...names, 'Home'], progress);
    assert.deepEqual(started.installed()[0]?.accounts, [...one.accounts, 'Home']);
    started.dispose();
    const text = await readFile(storage.indexFile, 'utf8');
    await writeFile(storage.indexFile, text.replace('"Home"', '"../../home"'));
    assert.deepEqual((await storage.readInstalled())[0]?.accounts, undefined);
  });

  it('loses nothing when the index is damaged or gone: the newest version of each folder counts', async () => {
    await place('one', '1.0.0', 1);
    const newer = await place('one', '0.9.0', 2);
    const two = await place('two', '2.0.0');
    const damaged = [
      '',
      '{',
      '[]',
      '{"schemaVersion":2,"agents":{}}',
      '{"schemaVersion":1,"agents":{"one":{"folder":"../x"}}}',
    ];
    for (const text of damaged) {
      await writeFile(storage.indexFile, text);
      assert.deepEqual(await storage.readInstalled(), [newer, two], text);
    }
    await rm(storage.indexFile);
    assert.deepEqual(await storage.readInstalled(), [newer, two]);
    const started = installer();
    await started.start();
    started.dispose();
    assert.deepEqual(
      started.installed().map(({ version }) => version),
      ['0.9.0', '2.0.0'],
    );
  });

  it('does not use a folder whose manifest is damaged, or of another agent', async () => {
    const one = await place('one', '1.0.0');
    await storage.writeInstalled([one]);
    const file = path.join(one.folder, 'backline-agent.json');
    const whole = await readFile(file, 'utf8');
    for (const text of ['', '{}', whole.replace('"id": "one"', '"id": "two"')]) {
      await writeFile(file, text);
      assert.deepEqual(await storage.readInstalled(), []);
    }
    await writeFile(file, whole);
    assert.deepEqual(await storage.readInstalled(), [one]);
  });

  it('removes at a start what a window left that was killed, and not what others do', async () => {
    const mine = await storage.makeStaging();
    const dead = { ...currentOwner(), pid: await deadPid() };
    const names = [
      `${formatOwner(dead)}-0a0a0a0a`,
      // The same process id in an earlier life of this computer.
      `${formatOwner({ ...currentOwner(), startedAt: 1 })}-0a0a0a0a`,
      `${formatOwner({ ...currentOwner(), pid: process.ppid, startedAt: 5 })}-0b0b0b0b`,
      `${formatOwner({ ...dead, host: '00000000' })}-0c0c0c0c`,
      'unknown',
    ];
    for (const name of names) {
      await mkdir(path.join(folder, '.staging', name, 'node_modules'), { recursive: true });
      await writeFile(path.join(folder, '.windows', name), '');
    }
    const started = installer();
    await started.start();
    started.dispose();
    const left = await readdir(path.join(folder, '.staging'));
    assert.deepEqual(left.toSorted(), [path.basename(mine), ...names.slice(2)].toSorted());
    const old = new Date(Date.now() - 2 * 24 * 60 * 60_000);
    for (const name of names.slice(3)) await utimes(path.join(folder, '.staging', name), old, old);
    await storage.removeLeftovers();
    const still = await readdir(path.join(folder, '.staging'));
    assert.deepEqual(still.toSorted(), [path.basename(mine), names[2]].toSorted());
  });

  it('keeps an old version while a window runs that may use it', async () => {
    const old = await place('one', '1.0.0', Date.now());
    const current = await place('one', '1.1.0', Date.now());
    await storage.writeInstalled([current]);
    const other = path.join(folder, '.windows', formatOwner({ ...currentOwner(), pid: process.ppid, startedAt: 5 }));
    await writeFile(other, '');
    const started = installer();
    await started.start();
    assert.deepEqual(await versionsOf('one'), ['1.0.0', '1.1.0']);
    // A window that started later never knew the old one.
    await rm(other);
    const later = { ...currentOwner(), pid: process.ppid, startedAt: Math.ceil(Date.now() / 1000) + 10 };
    await writeFile(path.join(folder, '.windows', formatOwner(later)), '');
    await started.removeUnusedVersions();
    started.dispose();
    assert.deepEqual(await versionsOf('one'), ['1.1.0']);
    await assert.rejects(readdir(old.folder));
  });

  it('shows in one window what another installs and removes', async () => {
    const started = installer();
    await started.start();
    const one = await place('one', '1.0.0');
    await storage.writeInstalled([one]);
    await until('the other window sees it', () => started.installed().length === 1);
    await storage.writeInstalled([]);
    await until('the other window sees it', () => started.installed().length === 0);
    started.dispose();
  });

  it('cannot be written to if a file is in the way', async () => {
    const file = path.join(folder, 'file');
    await writeFile(file, '');
    const blocked = new AgentInstaller({ folder: file, ports: realInstallPorts({ PATH: '' }) });
    await assert.rejects(blocked.start(), { name: 'InstallError', code: 'storage' });
    blocked.dispose();
  });

  describe('the lock', () => {
    const acquire = (waitMs = 0, onWait: () => void = () => undefined, stop = signal) =>
      acquireInstallLock({ file: storage.lockFile, clock: systemClock, signal: stop, waitMs, onWait });

    it('belongs to one at a time, and goes to the next', async () => {
      const first = await acquire();
      await assert.rejects(acquire(), { code: 'otherWindow', message: 'Another window is installing an agent.' });
      let waits = 0;
      const second = acquire(60_000, () => waits++);
      await until('the second one waits', () => waits === 1);
      await first.release();
      await (await second).release();
      assert.ok(!(await readdir(folder)).includes('install.lock'));
    });

    it('is not waited for when the user cancels', async () => {
      const first = await acquire();
      const controller = new AbortController();
      const second = acquire(60_000, () => controller.abort(), controller.signal);
      await assert.rejects(second, { code: 'cancelled' });
      await first.release();
    });

    const heldBy = (pid: number, startedAt = 1) =>
      writeFile(storage.lockFile, JSON.stringify({ owner: 'theirs', pid, host: hostname(), startedAt }));

    it('of a dead window is taken over, also if its process id is in use again', async () => {
      await heldBy(await deadPid());
      await (await acquire()).release();
      await heldBy(process.pid);
      await (await acquire()).release();
    });

    it('of a process that is silent for long is taken over while it is waited for', async () => {
      await heldBy(process.ppid);
      const clock = new FakeClock();
      const options = { file: storage.lockFile, clock, signal, waitMs: 60_000, onWait: () => undefined };
      const acquiring = acquireInstallLock(options);
      let hasIt = false;
      void acquiring.then(() => (hasIt = true));
      const isAcquired = (): boolean => hasIt;
      let waitedMs = 0;
      while (!isAcquired()) {
        // Two timers: one counts the silence, the other one ends the pause between two tries.
        if (clock.pending === 2) {
          clock.advance(500);
          waitedMs += 500;
        }
        await turns(1);
      }
      assert.equal(waitedMs, 45_000);
      await (await acquiring).release();
      assert.equal(clock.pending, 0);
    });

    it('leaves no timer behind when another window keeps it', async () => {
      await heldBy(process.ppid);
      const clock = new FakeClock();
      const options = { file: storage.lockFile, clock, signal, waitMs: 0, onWait: () => undefined };
      await assert.rejects(acquireInstallLock(options), { code: 'otherWindow' });
      assert.equal(clock.pending, 0);
    });

    it('is taken over by one only', async () => {
      await heldBy(await deadPid());
      const tries = await Promise.allSettled(Array.from({ length: 8 }, () => acquire()));
      const held = tries.filter((attempt) => attempt.status === 'fulfilled');
      assert.equal(held.length, 1);
      await held[0]?.value.release();
    });

    it('that another window took is not released', async () => {
      const lock = await acquire();
      await writeFile(storage.lockFile, 'another');
      await lock.release();
      assert.equal(await readFile(storage.lockFile, 'utf8'), 'another');
    });

    it('makes a second window wait, with a message, and refuse in the end', async () => {
      const held = await acquire();
      const stages: string[] = [];
      const second = new AgentInstaller({ folder, ports: realInstallPorts({ PATH: '' }), lockWaitMs: 50 });
      await second.start();
      const agent: RegistryAgent = {
        ...{ id: 'one', name: 'One', version: '1.0.0', description: 'x', authors: [], distributions: [] },
      };
      const refused = second.install(agent, { signal, onProgress: ({ stage }) => stages.push(stage) });
      await assert.rejects(refused, { code: 'otherWindow' });
      const options = { signal, onProgress: ({ stage }: { stage: string }) => stages.push(stage) };
      await assert.rejects(second.remove('one', options), { code: 'otherWindow' });
      const cancelled = { ...options, signal: AbortSignal.abort() };
      await assert.rejects(
        second.changeAccounts('one', () => ['Work'], cancelled),
        { code: 'cancelled' },
      );
      const waiting = 'Waiting for another window that is installing an agent';
      assert.deepEqual(stages, [waiting, waiting]);
      await held.release();
      second.dispose();
    });
  });

  describe('an agent that uv runs', () => {
    const agent: RegistryAgent = {
      ...{ id: 'fast', name: 'Fast', version: '0.10.1', description: 'x', authors: [] },
      distributions: [{ kind: 'uvx', package: 'fast-agent-acp==0.10.1', args: ['-x'], env: { MODEL: 'm' } }],
    };

    it('is not installed without uv, and reports where uv comes from', async () => {
      const without = installer();
      await without.start();
      const plan = await without.plan(agent, signal);
      assert.deepEqual([plan.kind, plan.problem], ['uvx', 'It needs uv, which is not on PATH.']);
      assert.ok(plan.problem !== undefined);
      assert.match(plan.advice ?? '', /https:\/\/docs\.astral\.sh\/uv\//);
      await assert.rejects(without.install(agent, progress), { name: 'InstallError', code: 'uvMissing' });
      without.dispose();
    });

    it('is tried and run with its exact version', async () => {
      const tried: unknown[] = [];
      const started = installer({
        findProgram: (name) => Promise.resolve(name === 'uv' ? { file: '/opt/uv', args: [] } : undefined),
        tryAgent: (command) => {
          tried.push(command.args);
          return Promise.resolve();
        },
      });
      await started.start();
      const plan = await started.plan(agent, signal);
      const words = 'tool run --no-progress --from fast-agent-acp==0.10.1 fast-agent-acp -x';
      assert.ok(plan.problem === undefined);
      assert.equal(plan.commandLine, `MODEL=m uv ${words}`);
      const installed = await started.install(agent, progress);
      assert.deepEqual([installed.command, installed.args], ['/opt/uv', words.split(' ')]);
      assert.deepEqual(tried, [words.split(' ')]);
      assert.deepEqual(await readdir(installed.folder), ['backline-agent.json']);
      started.dispose();
    });
  });
});

describe('a window in the name of a file', () => {
  it('is read as it was written', () => {
    const owner = currentOwner();
    assert.deepEqual(parseOwner(`${formatOwner(owner)}-0a0a0a0a`), owner);
    assert.equal(isOwnerAlive(owner), true);
    assert.equal(isOwnerAlive({ ...owner, host: 'ffffffff' }), undefined);
    for (const name of ['', 'x', '1-2', '1-2-xyz', '99999999999-1-00000000']) assert.equal(parseOwner(name), undefined);
  });
});
