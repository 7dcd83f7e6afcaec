import * as z from 'zod';
import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { DisposableStore } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import type { Memento } from '../../base/common/memento';
import type { AgentManager } from './agentManager';
import type { AgentBackends } from './agentPorts';
import type { AgentOfCard } from './page/agentsView';

interface UpdateCheckerDeps {
  readonly manager: Pick<AgentManager, 'refreshRegistryIfDue' | 'updates' | 'installQuietly'>;
  readonly backends: Pick<AgentBackends, 'isWorking' | 'onDidEndTurn'>;
  readonly isAutomatic: () => boolean;
  /** Shows one notification that names the agents. */
  readonly offer: (names: readonly string[]) => void;
  readonly memento: Memento;
  readonly clock: Clock;
  readonly log: Logger;
}

const dayMs = 24 * 60 * 60_000;
const checkEveryMs = 60 * 60_000;
const memoryName = 'agents.updatesOfferedAt';

/** Checks for updates at most daily. Offers them at most daily, or installs them if the user has chosen that. */
export class AgentUpdateChecker implements Disposable {
  private readonly disposables = new DisposableStore();
  private timer: Disposable | undefined;
  /** Versions whose automatic installation was tried, so that a version that fails is not tried after each turn. */
  private readonly triedVersions = new Set<string>();
  private runningCheck: Promise<void> | undefined;

  constructor(private readonly deps: UpdateCheckerDeps) {}

  start(): void {
    // An update that was postponed because of a turn is installed after it.
    this.disposables.add(
      this.deps.backends.onDidEndTurn(() => {
        if (this.deps.isAutomatic()) void this.checkAndOfferOrInstall();
      }),
    );
    void this.checkAndOfferOrInstall();
    this.scheduleNext();
  }

  /** Concurrent calls share one check. Never rejects. */
  checkAndOfferOrInstall(): Promise<void> {
    this.runningCheck ??= this.checkNow()
      .catch((error: unknown) => this.deps.log.error('cannot look for updates of agents', error))
      .finally(() => (this.runningCheck = undefined));
    return this.runningCheck;
  }

  dispose(): void {
    this.timer?.dispose();
    this.disposables.dispose();
  }

  private scheduleNext(): void {
    this.timer = this.deps.clock.setTimer(checkEveryMs, () => {
      void this.checkAndOfferOrInstall();
      this.scheduleNext();
    });
  }

  private async checkNow(): Promise<void> {
    const { isAutomatic, manager } = this.deps;
    await manager.refreshRegistryIfDue();
    const updates = await manager.updates();
    if (this.disposables.isDisposed || updates.length === 0) return;
    if (isAutomatic()) await this.installIdle(updates);
    else await this.offerAtMostDaily(updates);
  }

  private async installIdle(updates: readonly AgentOfCard[]): Promise<void> {
    const { backends, isAutomatic, manager } = this.deps;
    for (const { backend, listed } of updates) {
      if (this.disposables.isDisposed || !isAutomatic()) return;
      const version = `${listed?.id ?? ''} ${listed?.version ?? ''}`;
      if (!listed || this.triedVersions.has(version) || (backend && backends.isWorking(backend.id))) continue;
      this.triedVersions.add(version);
      await manager.installQuietly(listed);
    }
  }

  private async offerAtMostDaily(updates: readonly AgentOfCard[]): Promise<void> {
    const { clock, memento, offer } = this.deps;
    const offeredAt = z.number().safeParse(memento.get(memoryName)).data;
    if (isWithinDay(offeredAt, clock.now())) return;
    await memento.update(memoryName, clock.now());
    offer(updates.map(({ backend, installed }) => backend?.title ?? installed?.name ?? ''));
  }
}

/** Ignores a time in the future, because the clock was set back. */
function isWithinDay(at: number | undefined, now: number): boolean {
  return at !== undefined && at <= now && now - at < dayMs;
}
