import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import { Emitter } from '../../../base/common/event';
import type { Logger } from '../../../base/common/log';
import type { ThreadConversations } from './threadConversations';

interface LazyThreadConversationsDeps {
  /** Loads the feature, if it is not loaded. @throws Error */
  readonly load: () => Promise<ThreadConversations>;
  /** Whether the feature is loaded, Amp is installed, or there are threads on this machine. Never rejects. */
  readonly isUsed: () => Promise<boolean>;
  readonly log: Logger;
}

type Rows = Awaited<ReturnType<ThreadConversations['rows']>>;
type Found = Awaited<ReturnType<ThreadConversations['search']>>;

/** Amp's threads for the list of all conversations. Loads the feature only where Amp is used. */
export class LazyThreadConversations implements Disposable {
  readonly id = 'amp';
  private readonly changeEmitter = new Emitter<void>((error) =>
    this.deps.log.error('a listener of the threads failed', error),
  );
  readonly onDidChange = this.changeEmitter.event;
  private loaded: { readonly conversations: ThreadConversations; readonly subscription: Disposable } | undefined;
  private isDisposed = false;

  constructor(private readonly deps: LazyThreadConversationsDeps) {}

  show(): Disposable {
    const shown = new DisposableStore();
    void this.withConversations((conversations) => {
      shown.add(conversations.show());
      return Promise.resolve([]);
    });
    return shown;
  }

  /** Call when the feature was loaded, for whatever it was. */
  noteLoaded(conversations: ThreadConversations): void {
    if (this.loaded?.conversations === conversations || this.isDisposed) return;
    this.loaded?.subscription.dispose();
    const subscription = conversations.onDidChange(() => this.changeEmitter.fire());
    this.loaded = { conversations, subscription };
    this.changeEmitter.fire();
  }

  /** Never rejects. */
  async rows(): Promise<Rows> {
    return await this.withConversations((conversations) => conversations.rows());
  }

  /** Never rejects. */
  async search(query: string): Promise<Found> {
    return await this.withConversations((conversations) => conversations.search(query));
  }

  /** @throws the error of loading the feature */
  async open(rowId: string, entryId?: string): Promise<void> {
    await (await this.load()).open(rowId, entryId);
  }

  /** @throws the error of loading the feature */
  async export(rowId: string): Promise<void> {
    await (await this.load()).export(rowId);
  }

  dispose(): void {
    this.isDisposed = true;
    this.loaded?.subscription.dispose();
    this.changeEmitter.dispose();
  }

  private async withConversations<Item>(
    work: (conversations: ThreadConversations) => Promise<readonly Item[]>,
  ): Promise<readonly Item[]> {
    const { isUsed, log } = this.deps;
    try {
      return (await isUsed()) ? await work(await this.load()) : [];
    } catch (error) {
      if (!this.isDisposed) log.warn(`The Amp threads are not in the list of conversations: ${messageOf(error)}`);
      return [];
    }
  }

  private async load(): Promise<ThreadConversations> {
    const conversations = await this.deps.load();
    this.noteLoaded(conversations);
    return conversations;
  }
}
