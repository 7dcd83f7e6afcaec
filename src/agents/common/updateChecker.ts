import * as z from 'zod';
import type { Clock } from '../../base/common/async';
import type { Disposable } from '../../base/common/disposable';
import { DisposableStore } from '../../base/common/disposable';
import type { Logger } from '../../base/common/log';
import type { Memento } from '../../base/common/memento';
import { toVisibleText } from '../../base/common/text/visibleText';
import type { AgentManager } from './agentManager';
import type { AgentBackends } from './agentPorts';
import type { AgentOfCard } from './page/agentsView';

/** Why the user is told about updates: they are there, or they are not what the user has allowed. */
export type UpdateOfferReason = 'available' | 'needConsent';

interface UpdateCheckerDeps {
  readonly manager: Pick<AgentManager, 'refreshRegistryIfDue' | 'updates' | 'installQuietly'>;
  readonly backends: Pick<AgentBackends, 'isWorking' | 'onDidEndTurn'>;
  readonly isAutomatic: () => boolean;
  /** Shows one notification that names the agents. */
  readonly offer: (names: readonly string[], reason: UpdateOfferReason) => void;
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
    if (!isAutomatic()) {
      await this.offerAtMostDaily(updates, 'available');
      return;
    }
    const refused = await this.installIdle(updates);
    if (refused.length > 0) await this.offerAtMostDaily(refused, 'needConsent');
  }

  /** Resolves to the updates that the user has to agree to first. */
  private async installIdle(updates: readonly AgentOfCard[]): Promise<readonly AgentOfCard[]> {
    const { backends, isAutomatic, manager } = this.deps;
    const refused: AgentOfCard[] = [];
    for (const update of updates) {
      const { backend, listed } = update;
      if (this.disposables.isDisposed || !isAutomatic()) break;
      const version = `${listed?.id ?? ''} ${listed?.version ?? ''}`;
      if (!listed || this.triedVersions.has(version) || (backend && backends.isWorking(backend.id))) continue;
      this.triedVersions.add(version);
      if ((await manager.installQuietly(listed)).needsConsent) refused.push(update);
    }
    return refused;
  }

  private async offerAtMostDaily(updates: readonly AgentOfCard[], reason: UpdateOfferReason): Promise<void> {
    const { clock, memento, offer } = this.deps;
    const offeredAt = z.number().safeParse(memento.get(memoryName)).data;
    if (isWithinDay(offeredAt, clock.now())) return;
    await memento.update(memoryName, clock.now());
    const names = updates.map(({ backend, installed }) => backend?.title ?? installed?.name ?? '');
    offer(names, reason);
  }
}

export function updateOfferText(names: readonly string[], reason: UpdateOfferReason): string {
  const list = new Intl.ListFormat('en').format(names.map((name) => toVisibleText(name)));
  const updates = names.length === 1 ? `An update of ${list} is` : `Updates of ${list} are`;
  if (reason === 'available') return `${updates} available.`;
  return `${updates} not installed, because what would run is no longer what you allowed.`;
}

/** Ignores a time in the future, because the clock was set back. */
function isWithinDay(at: number | undefined, now: number): boolean {
  return at !== undefined && at <= now && now - at < dayMs;
}
