import * as z from 'zod/mini';
import type { Disposable } from '../../../base/common/disposable';
import { DisposableStore } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Memento } from '../../../base/common/memento';
import type { Chats } from '../chatPorts';
import type { BackendView } from '../chatView';

interface BackendChoicePorts {
  readonly chats: Pick<Chats, 'backends' | 'onDidChangeBackends'>;
  /** The id or the title of the setting; empty for none. */
  readonly preferred: () => string;
  readonly memento: Memento;
  readonly onError: (error: unknown) => void;
}

const memoryName = 'chat.backend';

/** The backends of a window as the user last saw them, and which one a new conversation is with. */
export class BackendChoice implements Disposable {
  private readonly store = new DisposableStore();
  private readonly emitter = this.store.add(new Emitter<void>((error) => this.ports.onError(error)));
  /** The views, or which one is chosen, may have changed. */
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

  /** What was picked in this window, else the setting's, else what was used last, else the demo agent. */
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

  /** The setting names none that there is. */
  get isPreferredMissing(): boolean {
    const preferred = this.ports.preferred();
    return preferred !== '' && !this.known.some(({ id, title }) => id === preferred || title === preferred);
  }

  choose(id: string): void {
    this.picked = id;
    this.remember(id);
    this.emitter.fire();
  }

  /** The last one used is the first choice of the next window. */
  remember(id: string): void {
    this.ports.memento.update(memoryName, id).then(undefined, this.ports.onError);
  }

  /** Looks again; calls that come meanwhile make it look once more. Never rejects. */
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
