import { Coalescer, type Clock } from '../../../base/common/async';
import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { Emitter, type Event } from '../../../base/common/event';
import type { ContextCollector } from './contextCollector';
import { contextKinds, type EditorContextChip, type ContextSwitches } from './contextSwitches';
import { configuredServerBackendId } from '../server/configuredServerBackendRegistry';

const refreshMs = 300;

interface EditorContextChipsDeps {
  readonly collector: Pick<ContextCollector, 'describeKinds'>;
  readonly switches: ContextSwitches;
  /** Events after which the collected context may have changed. */
  readonly changes: readonly Event<void>[];
  readonly clock: Clock;
  readonly onListenerError: (error: unknown) => void;
}

/** The editor context that is sent automatically with prompts. There is one chip with a switch for each kind. */
export class EditorContextChips implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly emitter = this.disposables.add(new Emitter<void>((error) => this.deps.onListenerError(error)));
  readonly onDidChange = this.emitter.event;
  private readonly refreshCoalescer: Coalescer;
  private isObservingChanges = false;

  constructor(private readonly deps: EditorContextChipsDeps) {
    this.refreshCoalescer = this.disposables.add(new Coalescer(deps.clock, refreshMs, () => this.emitter.fire()));
  }

  start(): void {
    this.disposables.add(this.deps.switches.onDidChange(() => this.emitter.fire()));
  }

  /** Returns the non-empty chips for an Amplifier server. Agents have none: they read the editor themselves. */
  async chipsFor(backendId: string): Promise<readonly EditorContextChip[]> {
    if (backendId !== configuredServerBackendId) return [];
    this.followChanges();
    return (await this.deps.collector.describeKinds()).filter(({ count }) => count > 0);
  }

  set(kind: string, isOn: boolean): void {
    const known = contextKinds.find((name) => name === kind);
    if (known) this.deps.switches.setEnabled(known, isOn);
  }

  dispose(): void {
    this.disposables.dispose();
  }

  /** Starts to observe changes. Called on the first use of chips, because most windows have no Amplifier server. */
  private followChanges(): void {
    if (this.isObservingChanges || this.disposables.isDisposed) return;
    this.isObservingChanges = true;
    for (const change of this.deps.changes) this.disposables.add(change(() => this.refreshCoalescer.schedule()));
  }
}
