import { KeyedQueue, withDeadline } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { errorCode, messageOf, userMessageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import { withoutUndefined } from '../../base/common/withoutUndefined';
import { watchFolder } from '../../base/node/watchFolder';
import type { InstallOptions } from '../common/agentPorts';
import type { ImpossiblePlan, InstalledAgent, InstallPlan } from '../common/install/agentInstall';
import { cancelledError, diskError, InstallError, isInstallError } from '../common/install/installError';
import { termChanges, type InstallTerms } from '../common/terms/installTerms';
import type { AgentStart, VersionManifest } from '../common/install/versionManifest';
import type { Distribution, RegistryAgent } from '../common/registry/registryAgent';
import { BinaryInstaller } from './binary/binaryInstaller';
import { toAgentCommand, toInstalledAgent } from './installedCommand';
import type { InstallContext, InstallationResult, PreparedInstall } from './distributionInstaller';
import type { InstallPorts } from './installPorts';
import { NpxInstaller } from './npm/npxInstaller';
import type { NpmRelease } from './npm/npmPackage';
import type { ArchiveLimits } from './archive/archiveFolder';
import { AgentStorage, folderSizeOf } from './storage/agentStorage';
import { acquireInstallLock, otherWindowError } from './storage/installLock';
import { UvxInstaller } from './uv/uvxInstaller';

export interface AgentInstallerOptions {
  /** Absolute path of a folder in our storage, which all windows share. Created by `start`. */
  readonly folder: string;
  readonly ports: InstallPorts;
  /** Maximum time without data from a server. */
  readonly silenceMs?: number;
  /** Maximum time to wait for another window that is installing. */
  readonly lockWaitMs?: number;
  /** Time limit for an agent's first answer. */
  readonly tryMs?: number;
  readonly archiveLimits?: ArchiveLimits;
  readonly npm?: NpmRelease;
}

const waitingStage = 'Waiting for another window that is installing an agent';

/** Npm packages come before archives, because they always have hashes. */
const kindOrder: readonly Distribution['kind'][] = ['npx', 'binary', 'uvx'];

/** Installs agents of the registry into our storage, for all windows. */
export class AgentInstaller implements Disposable {
  private readonly emitter = new Emitter<void>((error) =>
    this.options.ports.log.error('A listener of the installed agents failed', error),
  );
  /** Fires when the installed agents have changed, here or in another window. */
  readonly onDidChange = this.emitter.event;
  private readonly storage: AgentStorage;
  private readonly npx: NpxInstaller;
  private readonly binary: BinaryInstaller;
  private readonly uvx: UvxInstaller;
  /** Ensures that only one version at a time is moved into place or removed. */
  private readonly placementQueue = new KeyedQueue();
  private agents: readonly InstalledAgent[] = [];
  private watcher: Disposable | undefined;
  private isDisposed = false;

  constructor(private readonly options: AgentInstallerOptions) {
    const { folder, ports, silenceMs = 30_000, archiveLimits, npm } = options;
    this.storage = new AgentStorage({ folder, clock: ports.clock, log: ports.log });
    const makeStaging = (): Promise<string> => this.storage.makeStaging();
    const discard = (staging: string): Promise<void> => this.storage.discard(staging);
    const npmOptions = { folder: this.storage.npmFolder, makeStaging, discard, silenceMs };
    this.npx = new NpxInstaller(ports, npm ? { ...npmOptions, release: npm } : npmOptions);
    this.binary = new BinaryInstaller(ports, archiveLimits ? { silenceMs, archiveLimits } : { silenceMs });
    this.uvx = new UvxInstaller(ports);
  }

  /** Reads the installed agents and removes leftovers of ended windows. Call once, before all other methods. @throws InstallError */
  async start(): Promise<void> {
    try {
      await this.storage.open();
    } catch (error) {
      throw toInstallError(error);
    }
    await this.reload();
    if (this.isDisposed) return;
    this.watcher = watchFolder(this.storage.folder, (name) => {
      if (name === undefined || name === 'installed.json') void this.reload();
    });
    await this.storage.removeLeftovers();
    await this.removeUnusedVersions();
  }

  /** The installed agents as of the last change. */
  installed(): readonly InstalledAgent[] {
    return this.agents;
  }

  /**
   * Determines what `install` would do. A plan with a `problem` cannot be installed.
   * @throws InstallError if cancelled
   */
  async plan(agent: RegistryAgent, signal: AbortSignal): Promise<InstallPlan | ImpossiblePlan> {
    try {
      return (await this.prepareFirstInstallable(agent, { signal, onProgress: () => undefined })).plan;
    } catch (error) {
      const failure = toInstallError(error);
      if (signal.aborted || failure.code === 'cancelled') throw failure;
      const { id, name, version } = agent;
      const kind = this.orderDistributions(agent)[0]?.kind ?? 'binary';
      const plan = { id, name, version, kind, problem: failure.message };
      return failure.advice === undefined ? plan : { ...plan, advice: failure.advice };
    }
  }

  /**
   * Installs or updates an agent. It counts as installed only after a test start. A failure changes nothing.
   * A version that is running is kept until no process uses it. If `agreed` is given, only what has these terms is
   * installed. @throws InstallError
   */
  async install(
    agent: RegistryAgent,
    context: InstallContext & { readonly agreed?: InstallTerms },
  ): Promise<InstalledAgent> {
    const { ports, lockWaitMs = 10 * 60_000 } = this.options;
    const { onProgress } = context;
    try {
      const lock = await acquireInstallLock({
        file: this.storage.lockFile,
        clock: ports.clock,
        signal: context.signal,
        waitMs: lockWaitMs,
        onWait: () => onProgress({ stage: waitingStage }),
      });
      try {
        const signal = AbortSignal.any([context.signal, lock.lost]);
        return await this.installLocked(agent, { signal, onProgress }, context.agreed);
      } catch (error) {
        if (lock.lost.aborted) throw otherWindowError();
        throw error;
      } finally {
        await lock.release();
      }
    } catch (error) {
      if (context.signal.aborted) throw cancelledError();
      throw toInstallError(error);
    } finally {
      void this.removeUnusedVersions();
    }
  }

  /** Removes an agent that is not running, with all its versions. Returns the number of freed bytes. @throws InstallError */
  async remove(id: string, options: InstallOptions): Promise<{ readonly bytes: number }> {
    return await this.changeLocked(options, async () => {
      const versions = await this.storage.readAllVersions(id);
      const others = (await this.storage.readInstalled()).filter(({ manifest }) => manifest.id !== id);
      await this.storage.writeInstalled(others);
      let bytes = 0;
      for (const version of versions) bytes += await this.storage.removeVersion(version);
      return { bytes };
    });
  }

  /** Changes the names of the further accounts of an installed agent. @throws InstallError */
  async changeAccounts(
    id: string,
    change: (names: readonly string[]) => readonly string[],
    options: InstallOptions,
  ): Promise<void> {
    await this.changeLocked(options, async () => {
      const versions = await this.storage.readInstalled();
      await this.storage.writeInstalled(
        versions.map((version) =>
          version.manifest.id === id ? { ...version, accounts: change(version.accounts ?? []) } : version,
        ),
      );
    });
  }

  /** @throws InstallError */
  private async changeLocked<Result>(
    { signal, onProgress }: InstallOptions,
    work: () => Promise<Result>,
  ): Promise<Result> {
    const { ports, lockWaitMs = 10 * 60_000 } = this.options;
    const wait = { hasBegun: false };
    try {
      const lock = await acquireInstallLock({
        ...{ file: this.storage.lockFile, clock: ports.clock, signal, waitMs: lockWaitMs },
        onWait: () => {
          wait.hasBegun = true;
          onProgress({ stage: waitingStage });
        },
      });
      try {
        if (wait.hasBegun) onProgress({ stage: 'Finishing' });
        return await work();
      } finally {
        await lock.release();
        await this.reload();
      }
    } catch (error) {
      throw toInstallError(error);
    }
  }

  /** Removes older versions that no process uses any more. Call when an agent was stopped. Never rejects. */
  async removeUnusedVersions(): Promise<void> {
    await this.placementQueue.run('versions', () => this.removeUnusedVersionsNow());
  }

  private async removeUnusedVersionsNow(): Promise<void> {
    const installed = new Map((await this.storage.readInstalled()).map((version) => [version.manifest.id, version]));
    for (const version of await this.storage.readAllVersions()) {
      const current = installed.get(version.manifest.id);
      if (current?.folder === version.folder) continue;
      // Windows that were started later cannot be using this version.
      const replacedAt = Math.max(version.manifest.installedAt, current?.manifest.installedAt ?? 0);
      if (this.options.ports.isInUse(version.folder) || (await this.storage.hasOlderWindow(replacedAt))) continue;
      await this.storage
        .removeVersion(version)
        .catch((error: unknown) => this.options.ports.log.warn(`An old version stays: ${messageOf(error)}`));
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this.watcher?.dispose();
    this.storage.close();
    this.emitter.dispose();
  }

  private async installLocked(
    agent: RegistryAgent,
    context: InstallContext,
    agreed: InstallTerms | undefined,
  ): Promise<InstalledAgent> {
    const prepared = await this.prepareFirstInstallable(agent, context);
    const { terms } = prepared.plan;
    // Another distribution may be the first possible one by now, or the package has changed on its server.
    if (agreed && termChanges(agreed, terms).length > 0) throw termsChangedError(agent.name);
    const staged = await this.storage.makeStaging();
    try {
      const files = await prepared.install(staged);
      const start = await this.findWorkingStart(agent, staged, files, context);
      if (context.signal.aborted) throw cancelledError();
      context.onProgress({ stage: 'Finishing' });
      const manifest: VersionManifest = {
        ...{
          schemaVersion: 1,
          id: agent.id,
          name: agent.name,
          version: agent.version,
          kind: prepared.plan.kind,
          start,
          terms,
        },
        ...(files.package === undefined ? {} : { package: files.package }),
        ...{ args: [...files.args], env: { ...files.env } },
        ...{ bytes: await folderSizeOf(staged), installedAt: this.options.ports.clock.now() },
      };
      return await this.placementQueue.run('versions', () => this.switchTo(staged, manifest));
    } finally {
      await this.storage.discard(staged);
    }
  }

  /** @throws InstallError `doesNotStart` */
  private async findWorkingStart(
    agent: RegistryAgent,
    folder: string,
    files: InstallationResult,
    { signal, onProgress }: InstallContext,
  ): Promise<AgentStart> {
    const { ports, tryMs = 90_000 } = this.options;
    onProgress({ stage: 'Starting the agent to check that it works' });
    let failure: unknown;
    for (const start of files.starts) {
      const command = await toAgentCommand(
        folder,
        start,
        { args: [...files.args], env: { ...files.env } },
        ports.system,
      );
      try {
        await withDeadline(ports.clock, agent.name, tryMs, async (late) =>
          ports.tryAgent(command, AbortSignal.any([signal, late])),
        );
        return start;
      } catch (error) {
        if (signal.aborted) throw cancelledError();
        ports.log.debug(`${agent.name} does not start by '${command.command}': ${messageOf(error)}`);
        failure ??= error;
      }
    }
    const message = `${agent.name} was downloaded but did not start, so it was not installed: ${messageOf(failure)}`;
    throw new InstallError('doesNotStart', message, 'Check its website for requirements.', { cause: failure });
  }

  private async switchTo(staged: string, manifest: VersionManifest): Promise<InstalledAgent> {
    const before = await this.storage.readInstalled();
    const { accounts } = before.find((version) => version.manifest.id === manifest.id) ?? {};
    const placed = { ...(await this.storage.place(staged, manifest)), ...withoutUndefined({ accounts }) };
    try {
      await this.storage.writeInstalled([...before.filter((version) => version.manifest.id !== manifest.id), placed]);
    } catch (error) {
      await this.storage.removeVersion(placed).catch(() => this.storage.discard(placed.folder));
      throw error;
    }
    const installed = await toInstalledAgent(placed, this.options.ports.system);
    await this.reload();
    return installed;
  }

  private orderDistributions({ distributions }: RegistryAgent): readonly Distribution[] {
    return distributions.toSorted((a, b) => kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind));
  }

  /** Returns the first distribution that can be installed here. @throws InstallError of the first one, if there is none */
  private async prepareFirstInstallable(agent: RegistryAgent, context: InstallContext): Promise<PreparedInstall> {
    let failure: InstallError | undefined;
    for (const distribution of this.orderDistributions(agent)) {
      try {
        return await this.prepare(agent, distribution, context);
      } catch (error) {
        const problem = toInstallError(error);
        if (context.signal.aborted || !canTryAnother.has(problem.code)) throw failure ?? problem;
        failure ??= problem;
      }
    }
    throw failure ?? new InstallError('notSupportedHere', 'The agent is not available for this system.');
  }

  private async prepare(
    agent: RegistryAgent,
    distribution: Distribution,
    context: InstallContext,
  ): Promise<PreparedInstall> {
    switch (distribution.kind) {
      case 'npx':
        return await this.npx.prepare(agent, distribution, context);
      case 'binary':
        return await this.binary.prepare(agent, distribution, context);
      case 'uvx':
        return await this.uvx.prepare(agent, distribution, context);
    }
  }

  private async reload(): Promise<void> {
    const versions = await this.storage.readInstalled();
    const { system } = this.options.ports;
    const agents = await Promise.all(versions.map((version) => toInstalledAgent(version, system)));
    agents.sort((a, b) => a.name.localeCompare(b.name, 'en'));
    if (this.isDisposed || JSON.stringify(agents) === JSON.stringify(this.agents)) return;
    this.agents = agents;
    this.emitter.fire();
  }
}

/** Problems for which another kind of distribution is tried. */
const canTryAnother: ReadonlySet<InstallError['code']> = new Set(['nodeTooOld', 'notSupportedHere', 'uvMissing']);

function termsChangedError(name: string): InstallError {
  const message = `${name} is no longer what you allowed, so it was not installed.`;
  return new InstallError('termsChanged', message, 'Install it again to see what has changed.');
}

function toInstallError(error: unknown): InstallError {
  if (error instanceof InstallError || isInstallError(error)) return error;
  const message = `The agent’s files could not be written: ${userMessageOf(error)}`;
  return diskError(errorCode(error), error) ?? new InstallError('storage', message, undefined, { cause: error });
}
