import { DisposableStore, toDisposable, type Disposable } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Chats, FoundConversations } from '../chatPorts';
import type { ConversationRow } from '../chatView';
import type { ConversationSource } from '../conversationSource';

/** The conversations that Backline stores and those of other sources, as one list. */
export class ConversationList implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly emitter = this.disposables.add(new Emitter<void>((error) => this.onError(error)));
  /** Fires when rows may have changed. Other sources are only read while the list is shown. */
  readonly onDidChange = this.emitter.event;
  private readonly rowsBySource = new Map<ConversationSource, readonly ConversationRow[]>();
  /** The number of the last read of each source. */
  private readonly lastReads = new Map<ConversationSource, number>();
  /** Made once for each list, as many rows are looked for in one. */
  private readonly rowByIdOf = new WeakMap<readonly ConversationRow[], ReadonlyMap<string, ConversationRow>>();
  private shownCount = 0;

  constructor(
    private readonly chats: Pick<Chats, 'rows' | 'onDidChange' | 'search'>,
    private readonly sources: readonly ConversationSource[],
    private readonly onError: (error: unknown) => void,
  ) {
    this.disposables.add(chats.onDidChange(() => this.emitter.fire()));
    for (const source of sources) this.disposables.add(source.onDidChange(() => this.readIfShown(source)));
  }

  get rows(): readonly ConversationRow[] {
    return [...this.chats.rows, ...[...this.rowsBySource.values()].flat()];
  }

  find(id: string): ConversationRow | undefined {
    const source = this.sourceOf(id);
    const rows = source ? (this.rowsBySource.get(source) ?? []) : this.chats.rows;
    const rowById = this.rowByIdOf.get(rows) ?? new Map(rows.map((row) => [row.id, row]));
    this.rowByIdOf.set(rows, rowById);
    return rowById.get(id);
  }

  /** Returns the source of a row. Undefined if Backline stores the conversation. */
  sourceOf(rowId: string): ConversationSource | undefined {
    return this.sources.find(({ id }) => rowId.startsWith(`${id}:`));
  }

  /** Call when the list is shown. Dispose the result when it is hidden. */
  show(): Disposable {
    const shown = new DisposableStore();
    this.shownCount++;
    shown.add(toDisposable(() => this.shownCount--));
    for (const source of this.sources) {
      shown.add(source.show());
      void this.read(source);
    }
    return shown;
  }

  /** Finds conversations by their title and text, those of Backline first. Never rejects. */
  async search(query: string, signal: AbortSignal): Promise<FoundConversations> {
    const [own, ...others] = await Promise.all([
      this.chats.search(query, signal),
      ...this.sources.map((source) => source.search(query)),
    ]);
    return { ...own, found: [...own.found, ...others.flat()] };
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private readIfShown(source: ConversationSource): void {
    if (this.shownCount > 0) void this.read(source);
  }

  /** Never rejects. */
  private async read(source: ConversationSource): Promise<void> {
    const number = (this.lastReads.get(source) ?? 0) + 1;
    this.lastReads.set(source, number);
    const rows = await source.rows();
    // A later read has newer rows.
    if (this.disposables.isDisposed || this.lastReads.get(source) !== number) return;
    this.rowsBySource.set(source, rows);
    this.emitter.fire();
  }
}
