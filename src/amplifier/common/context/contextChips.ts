import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { Emitter, type Event } from '../../../base/common/event';
import type { ContextCollector } from './contextCollector';
import { contextKinds, type ContextChip, type ContextSwitches } from './contextSwitches';
import { serverBackendId } from '../server/serverRegistry';

const refreshMs = 300;

interface ContextChipsPorts {
  readonly collector: Pick<ContextCollector, 'chips'>;
  readonly switches: ContextSwitches;
  /** Events after which the collected context may differ. */
  readonly changes: readonly Event<void>[];
  readonly clock: Clock;
  readonly onListenerError: (error: unknown) => void;
}

/** The editor context that is sent automatically with prompts, as chips: one per kind, each with a switch. */
export class ContextChips implements Disposable {
  private readonly store = new DisposableStore();
  private readonly emitter = this.store.add(new Emitter<void>((error) => this.ports.onListenerError(error)));
  /** The chips may have changed. Coalesced. */
  readonly onDidChange = this.emitter.event;
  private readonly later: Coalescer;
  private isFollowing = false;

  constructor(private readonly ports: ContextChipsPorts) {
    this.later = this.store.add(new Coalescer(ports.clock, refreshMs, () => this.emitter.fire()));
  }

  start(): void {
    this.store.add(this.ports.switches.onDidChange(() => this.emitter.fire()));
  }

  /** The nonempty chips for an Amplifier server; none for agents, which read the editor themselves. */
  async of(backendId: string): Promise<readonly ContextChip[]> {
    if (backendId !== serverBackendId) return [];
    this.follow();
    return (await this.ports.collector.chips()).filter(({ count }) => count > 0);
  }

  /** Ignores unknown kinds. */
  set(kind: string, isOn: boolean): void {
    const known = contextKinds.find((name) => name === kind);
    if (known) this.ports.switches.set(known, isOn);
  }

  dispose(): void {
    this.store.dispose();
  }

  /** Starts with the first use of the chips, because most windows have no Amplifier server. */
  private follow(): void {
    if (this.isFollowing || this.store.isDisposed) return;
    this.isFollowing = true;
    for (const change of this.ports.changes) this.store.add(change(() => this.later.schedule()));
  }
}
