import type { Disposable } from '../../base/common/disposable';
import { DisposableStore } from '../../base/common/disposable';
import { userMessageOf } from '../../base/common/errors';
import { Emitter } from '../../base/common/event';
import type { Logger } from '../../base/common/log';
import type { BackendState } from '../../session/common/sessionBackend';
import type { AgentBackends, AgentQuestions, Installer, InstallOptions, RegistrySource } from './agentPorts';
import { formatBytes } from './formatBytes';
import type { InstallProgress } from './install/agentInstall';
import type { InstallConsents } from './terms/installConsents';
import { agentsAndTheirAccounts } from './agentAccounts';
import { InstallError } from './install/installError';
import { jobsAfterEvent, type InstallJobs, type JobEvent } from './install/installJobs';
import type { AgentsSituation } from './page/agentsSituation';
import { listCardAgents, hasUpdate, type AgentOfCard } from './page/agentsView';
import type { PlatformKey, RegistryAgent } from './registry/registryAgent';

interface AgentManagerDeps {
  readonly registry: RegistrySource;
  readonly installer: Installer;
  readonly backends: AgentBackends;
  readonly questions: AgentQuestions;
  readonly consents: InstallConsents;
  /** Deletes the stored keys of an agent. */
  readonly deleteKeys: (backendId: string) => Promise<void>;
  /** Ids of agents in the user settings. */
  readonly ownIds: () => ReadonlySet<string>;
  readonly isTrusted: () => boolean;
  readonly platform: PlatformKey | undefined;
  readonly log: Logger;
}

interface RunningJob {
  readonly isInstallation: boolean;
  readonly controller: AbortController;
  readonly done: Promise<void>;
}

const untrustedMessage = 'Agents can’t be installed in an untrusted workspace. Trust it first.';

/** Installs, updates and removes agents, and tracks their states. */
export class AgentManager implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly changeEmitter = this.disposables.add(
    new Emitter<void>((error) => this.deps.log.error('a listener of the agents failed', error)),
  );
  readonly onDidChange = this.changeEmitter.event;
  private jobs: InstallJobs = new Map();
  private readonly runningJobs = new Map<string, RunningJob>();
  /** Ids of backends that are running an older version than the installed one. */
  private readonly outdatedBackendIds = new Set<string>();
  private runningRefreshCount = 0;
  private readonly stopController = new AbortController();

  constructor(private readonly deps: AgentManagerDeps) {}

  start(): void {
    const { backends, installer, registry } = this.deps;
    const changed = (): void => this.changeEmitter.fire();
    this.disposables.add(registry.onDidChange(changed));
    this.disposables.add(installer.onDidChange(changed));
    this.disposables.add(
      backends.onDidChange(() => {
        // Checked at each change, because a restarted agent is stopped only for a moment.
        this.cleanUpStoppedBackends();
        changed();
      }),
    );
  }

  /** Collects what the page shows. @throws if the backends cannot be listed */
  async situation(): Promise<AgentsSituation> {
    const { backends, installer, isTrusted, ownIds, platform, registry } = this.deps;
    const listed = await backends.list();
    return {
      registry: registry.registryState(),
      isChecking: this.runningRefreshCount > 0,
      installed: installer.installed(),
      jobs: this.jobs,
      backends: listed,
      ownIds: ownIds(),
      outdated: this.outdatedBackendIds,
      isTrusted: isTrusted(),
      platform,
      backendIdOf: (agent) => backends.backendIdOf(agent),
    };
  }

  /**
   * Loads the list of the registry again. Resolves when it is loaded, also if that had begun before. A failure is part of
   * the view.
   */
  async refreshRegistry(): Promise<void> {
    this.runningRefreshCount++;
    this.changeEmitter.fire();
    try {
      await this.deps.registry.refresh(this.stopController.signal);
    } finally {
      this.runningRefreshCount--;
      this.changeEmitter.fire();
    }
  }

  /** Loads the list of the registry again if that is due. Never rejects. */
  async refreshRegistryIfDue(): Promise<void> {
    await this.deps.registry.refreshIfDue(this.stopController.signal);
  }

  /** Agents with a newer version, and whether the user has agreed to its origin. */
  async updates(): Promise<readonly AgentOfCard[]> {
    return listCardAgents(await this.situation()).filter(hasUpdate);
  }

  /** Asks the user unless they have agreed before. A failure becomes the state of the agent. Never rejects. */
  async install(agent: RegistryAgent): Promise<void> {
    await this.runJob(agent, (signal) => this.installNow(agent, signal, true));
  }

  /** Installs an update without asking. Resolves to whether it was skipped, because the user has to agree first. Never rejects. */
  async installQuietly(agent: RegistryAgent): Promise<{ readonly needsConsent: boolean }> {
    let needsConsent = false;
    await this.runJob(agent, async (signal) => {
      needsConsent = (await this.installNow(agent, signal, false)) === 'needsConsent';
    });
    return { needsConsent };
  }

  cancel(registryId: string): void {
    this.runningJobs.get(registryId)?.controller.abort();
  }

  /** Resolves to a sentence about what was deleted; undefined if the user did not confirm, or cancelled it. @throws InstallError */
  async remove(registryId: string): Promise<string | undefined> {
    const { backends, consents, installer, questions } = this.deps;
    const agent = installer.installed().find(({ id }) => id === registryId);
    if (!agent) return undefined;
    const backendId = backends.backendIdOf(agent);
    if (!(await questions.confirmRemove(agent, backends.isWorking(backendId)))) return undefined;
    this.cancel(registryId);
    await this.runningJobs.get(registryId)?.done;
    const ids = agentsAndTheirAccounts([agent]).map((entry) => backends.backendIdOf(entry));
    await Promise.all(ids.map((id) => backends.stop(id)));
    const removed = await this.runChange(registryId, (options) => installer.remove(registryId, options));
    if (!removed) return undefined;
    for (const id of ids) await this.forgetKeys(id);
    await consents.forget(registryId);
    this.applyJobEvent(registryId, { kind: 'ended' });
    return `Removed ${agent.name}: ${formatBytes(removed.bytes)} freed.`;
  }

  /** Resolves to the backend id of the new account; undefined if the user cancels. @throws InstallError */
  async addAccount(registryId: string): Promise<string | undefined> {
    const { backends, installer, questions } = this.deps;
    const agent = installer.installed().find(({ id }) => id === registryId);
    if (!agent) return undefined;
    const account = await questions.askAccount(agent);
    if (account === undefined) return undefined;
    const isChanged = await this.changeAccounts(registryId, (names) =>
      names.includes(account) ? names : [...names, account],
    );
    return isChanged ? backends.backendIdOf({ ...agent, account }) : undefined;
  }

  /** Removes an account with its keys, if the user confirms. @throws InstallError */
  async removeAccount(registryId: string, account: string): Promise<void> {
    const { backends, installer, questions } = this.deps;
    const agent = installer.installed().find(({ id }) => id === registryId);
    if (!agent) return;
    const backendId = backends.backendIdOf({ ...agent, account });
    if (!(await questions.confirmRemoveAccount(agent, account, backends.isWorking(backendId)))) return;
    await backends.stop(backendId);
    if (await this.changeAccounts(registryId, (names) => names.filter((name) => name !== account)))
      await this.forgetKeys(backendId);
  }

  /** Resolves to whether it was not cancelled. @throws InstallError */
  private async changeAccounts(
    registryId: string,
    change: (names: readonly string[]) => readonly string[],
  ): Promise<boolean> {
    const { installer } = this.deps;
    const changed = await this.runChange(registryId, async (options) => {
      await installer.changeAccounts(registryId, change, options);
      return true;
    });
    return changed ?? false;
  }

  /**
   * Runs a change of an installed agent after its other jobs. If it has to wait for another window, the card of the agent shows
   * that, and can cancel it. Resolves to undefined if it was cancelled. @throws InstallError
   */
  private async runChange<Result>(
    id: string,
    work: (options: InstallOptions) => Promise<Result>,
  ): Promise<Result | undefined> {
    for (let other = this.runningJobs.get(id); other; other = this.runningJobs.get(id)) await other.done;
    if (this.stopController.signal.aborted) return undefined;
    const onProgress = (progress: InstallProgress): void => {
      this.applyJobEvent(id, { kind: 'started' });
      this.applyJobEvent(id, { kind: 'progressed', progress });
    };
    return await this.trackJob(id, false, async (signal) => {
      try {
        return await work({ signal, onProgress });
      } catch (error) {
        if (isCancelled(error)) return undefined;
        throw error;
      } finally {
        if (this.jobs.get(id)?.kind === 'installing') this.applyJobEvent(id, { kind: 'ended' });
      }
    });
  }

  /** Records a job while it runs, so that it can be cancelled, and others can wait for it. */
  private async trackJob<Result>(
    id: string,
    isInstallation: boolean,
    run: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> {
    const controller = new AbortController();
    const result = run(controller.signal).finally(() => this.runningJobs.delete(id));
    const done = result.then(
      () => undefined,
      () => undefined,
    );
    this.runningJobs.set(id, { isInstallation, controller, done });
    return await result;
  }

  /** Never rejects. */
  private async forgetKeys(backendId: string): Promise<void> {
    await this.deps
      .deleteKeys(backendId)
      .catch((error: unknown) => this.deps.log.error('the keys of an agent cannot be deleted', error));
  }

  /** Cancels running jobs. Resolves when they have ended. */
  async stop(): Promise<void> {
    this.stopController.abort();
    for (const { controller } of this.runningJobs.values()) controller.abort();
    await Promise.all([...this.runningJobs.values()].map(({ done }) => done));
  }

  dispose(): void {
    this.stopController.abort();
    for (const { controller } of this.runningJobs.values()) controller.abort();
    this.disposables.dispose();
  }

  private cleanUpStoppedBackends(): void {
    const { backends, installer } = this.deps;
    for (const id of this.outdatedBackendIds) {
      if (isRunning(backends.stateOf(id))) continue;
      this.outdatedBackendIds.delete(id);
      void installer.removeUnusedVersions();
    }
  }

  private async runJob({ id }: RegistryAgent, work: (signal: AbortSignal) => Promise<unknown>): Promise<void> {
    for (let other = this.runningJobs.get(id); other; other = this.runningJobs.get(id)) {
      await other.done;
      if (other.isInstallation) return;
    }
    await this.trackJob(id, true, async (signal) => {
      this.applyJobEvent(id, { kind: 'started' });
      try {
        await work(signal);
        this.applyJobEvent(id, { kind: 'ended' });
      } catch (error) {
        this.applyJobEvent(id, this.toEndEvent(error, signal));
      }
    });
  }

  private async installNow(
    agent: RegistryAgent,
    signal: AbortSignal,
    mayAsk: boolean,
  ): Promise<'installed' | 'needsConsent' | 'declined'> {
    const { backends, consents, installer, isTrusted, questions } = this.deps;
    if (!isTrusted()) throw new Error(untrustedMessage);
    const plan = await installer.plan(agent, signal);
    if (plan.problem !== undefined) throw new PlanProblem(plan.problem, plan.advice);
    const before = installer.installed().find(({ id }) => id === agent.id);
    const changes = consents.changesOf(plan, before);
    if (changes?.length !== 0) {
      if (!mayAsk) return 'needsConsent';
      const isAllowed = await this.askToInstall(agent, () => questions.confirmInstall(plan, agent, changes));
      if (!isAllowed || signal.aborted) return 'declined';
    }
    // Also completes what an older version of Backline has recorded.
    await consents.remember(plan);
    const installed = await installer.install(agent, {
      signal,
      agreed: plan.terms,
      onProgress: (progress) => this.applyJobEvent(agent.id, { kind: 'progressed', progress }),
    });
    for (const entry of agentsAndTheirAccounts([installed])) {
      const backendId = backends.backendIdOf(entry);
      if (isRunning(backends.stateOf(backendId))) this.outdatedBackendIds.add(backendId);
    }
    return 'installed';
  }

  private async askToInstall(agent: RegistryAgent, ask: () => Promise<boolean>): Promise<boolean> {
    this.applyJobEvent(agent.id, { kind: 'progressed', progress: { stage: 'Waiting for your answer…' } });
    const isAllowed = await ask();
    if (isAllowed) this.applyJobEvent(agent.id, { kind: 'progressed', progress: { stage: 'Preparing…' } });
    return isAllowed;
  }

  private toEndEvent(error: unknown, signal: AbortSignal): JobEvent {
    if (signal.aborted || isCancelled(error)) return { kind: 'ended' };
    this.deps.log.error('an agent cannot be installed', error);
    const advice = error instanceof InstallError || error instanceof PlanProblem ? error.advice : undefined;
    return { kind: 'failed', message: userMessageOf(error), ...(advice === undefined ? {} : { advice }) };
  }

  private applyJobEvent(id: string, event: JobEvent): void {
    const next = jobsAfterEvent(this.jobs, id, event);
    if (next === this.jobs) return;
    this.jobs = next;
    this.changeEmitter.fire();
  }
}

/** Why a plan cannot be carried out. */
class PlanProblem extends Error {
  override readonly name = 'PlanProblem';
  constructor(
    message: string,
    readonly advice: string | undefined,
  ) {
    super(message);
  }
}

function isCancelled(error: unknown): boolean {
  return error instanceof InstallError && error.code === 'cancelled';
}

/** Whether a process of the agent may exist. */
function isRunning(state: BackendState | undefined): boolean {
  const kind = state?.kind;
  return kind === 'ready' || kind === 'starting' || kind === 'authRequired';
}
