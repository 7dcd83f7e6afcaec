import { Coalescer, type Clock } from '../../base/common/async';
import { DisposableStore, type Disposable } from '../../base/common/disposable';
import { Emitter, type Event } from '../../base/common/event';
import type { EditorPort } from '../../editor/common/editorPort';
import type { ContextCollector } from './contextCollector';
import { contextKinds, type ContextChip, type ContextSwitches } from './contextSwitches';
import { serverBackendId } from './serverRegistry';

/** Often enough to follow the user, seldom enough to cost nothing. */
const refreshMs = 300;

/** What of the editor goes along with prompts by itself, for whoever shows it: a chip a kind, with its switch. */
export class ContextChips implements Disposable {
  private readonly store = new DisposableStore();
  private readonly emitter: Emitter<void>;

  constructor(
    private readonly collector: Pick<ContextCollector, 'chips'>,
    private readonly switches: ContextSwitches,
    private readonly editor: Pick<EditorPort, 'onDidChangeSelection' | 'onDidChangeVisibleFiles'>,
    private readonly clock: Clock,
    onListenerError: (error: unknown) => void,
  ) {
    this.emitter = this.store.add(new Emitter<void>(onListenerError));
  }

  /** The chips may have changed; coalesced. */
  get onDidChange(): Event<void> {
    return this.emitter.event;
  }

  start(): void {
    const later = this.store.add(new Coalescer(this.clock, refreshMs, () => this.emitter.fire()));
    this.store.add(this.switches.onDidChange(() => this.emitter.fire()));
    this.store.add(this.editor.onDidChangeSelection(() => later.schedule()));
    this.store.add(this.editor.onDidChangeVisibleFiles(() => later.schedule()));
  }

  /** Of a conversation with that backend, what there is: agents read the editor when they need it, and are sent nothing. */
  async of(backendId: string): Promise<readonly ContextChip[]> {
    if (backendId !== serverBackendId) return [];
    return (await this.collector.chips()).filter(({ count }) => count > 0);
  }

  /** Nothing happens for a kind that there is not. */
  set(kind: string, isOn: boolean): void {
    const known = contextKinds.find((name) => name === kind);
    if (known) this.switches.set(known, isOn);
  }

  dispose(): void {
    this.store.dispose();
  }
}
