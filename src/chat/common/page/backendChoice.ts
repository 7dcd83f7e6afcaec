import * as z from 'zod/mini';
import type { Disposable } from '../../../base/common/disposable';
import { DisposableStore } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Memento } from '../../../base/common/memento';
import type { Chats } from '../chatPorts';
import type { BackendView } from '../chatView';

interface BackendChoicePorts {
  readonly chats: Pick<Chats, 'backends' | 'onDidChangeBackends'>;
  /** Backend id or title from the setting; empty if unset. */
  readonly preferred: () => string;
  readonly memento: Memento;
  readonly onError: (error: unknown) => void;
}

const memoryName = 'chat.backend';

/** The known backends, and the one that new conversations use. */
export class BackendChoice implements Disposable {
  private readonly store = new DisposableStore();
  private readonly emitter = this.store.add(new Emitter<void>((error) => this.ports.onError(error)));
  readonly onDidChange = this.emitter.event;
  private known: readonly BackendView[] = [];
  private picked: string | undefined;
  private looking: Promise<void> | undefined;
  private isStale = false;

  constructor(private readonly ports: BackendChoicePorts) {}

  start(): void {
    this.store.add(this.ports.chats.onDidChangeBackends(() => void this.refresh()));
  }

  /** Empty before the first `refresh`. */
  get views(): readonly BackendView[] {
    return this.known;
  }

  /** Picked in this window, else set in settings, else used last, else the demo agent. */
  get chosen(): BackendView | undefined {
    const preferred = this.ports.preferred();
    return (
      this.find(this.picked) ??
      this.find(preferred) ??
      this.known.find(({ title }) => title === preferred) ??
      this.find(z.safeParse(z.string(), this.ports.memento.get(memoryName)).data) ??
      this.known.find(({ source }) => source === 'demo') ??
      this.known[0]
    );
  }

  /** The setting names a backend that doesn't exist. */
  get isPreferredMissing(): boolean {
    const preferred = this.ports.preferred();
    return preferred !== '' && !this.known.some(({ id, title }) => id === preferred || title === preferred);
  }

  choose(id: string): void {
    this.picked = id;
    this.remember(id);
    this.emitter.fire();
  }

  /** Remembers the backend as the one used last, for new windows. */
  remember(id: string): void {
    this.ports.memento.update(memoryName, id).then(undefined, this.ports.onError);
  }

  /** Reloads the backends; a call during a reload causes one more. Never rejects. */
  refresh(): Promise<void> {
    this.isStale = true;
    this.looking ??= this.look().finally(() => (this.looking = undefined));
    return this.looking;
  }

  dispose(): void {
    this.store.dispose();
  }

  private async look(): Promise<void> {
    while (this.isStale && !this.store.isDisposed) {
      this.isStale = false;
      try {
        this.known = await this.ports.chats.backends();
      } catch (error) {
        this.ports.onError(error);
      }
    }
    this.emitter.fire();
  }

  private find(id: string | undefined): BackendView | undefined {
    return this.known.find((view) => view.id === id);
  }
}
