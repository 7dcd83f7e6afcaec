import * as z from 'zod/mini';
import type { Disposable } from '../../../base/common/disposable';
import { DisposableStore } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Memento } from '../../../base/common/memento';
import type { Chats } from '../chatPorts';
import type { BackendView } from '../chatView';

interface BackendChoicePorts {
  readonly chats: Pick<Chats, 'backends' | 'onDidChangeBackends'>;
  /** Returns the id or title of the backend in the setting. Empty if the setting is not used. */
  readonly preferred: () => string;
  readonly memento: Memento;
  readonly onError: (error: unknown) => void;
}

const memoryName = 'chat.backend';

/** The known backends, and the one that new conversations use. */
export class BackendChoice implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly emitter = this.disposables.add(new Emitter<void>((error) => this.ports.onError(error)));
  readonly onDidChange = this.emitter.event;
  private knownBackends: readonly BackendView[] = [];
  private pickedId: string | undefined;
  private runningRefresh: Promise<void> | undefined;
  private isRefreshNeeded = false;

  constructor(private readonly ports: BackendChoicePorts) {}

  start(): void {
    this.disposables.add(this.ports.chats.onDidChangeBackends(() => void this.refresh()));
  }

  /** Views of the backends. Empty before the first `refresh`. */
  get backendViews(): readonly BackendView[] {
    return this.knownBackends;
  }

  /** The backend chosen in this window, or else the one in the settings, the last used one, or the demo agent. */
  get chosenBackend(): BackendView | undefined {
    const preferred = this.ports.preferred();
    return (
      this.findBackend(this.pickedId) ??
      this.findBackend(preferred) ??
      this.knownBackends.find(({ title }) => title === preferred) ??
      this.findBackend(z.safeParse(z.string(), this.ports.memento.get(memoryName)).data) ??
      this.knownBackends.find(({ source }) => source === 'demo') ??
      this.knownBackends[0]
    );
  }

  /** Whether the setting names a backend that doesn't exist. */
  get isPreferredBackendMissing(): boolean {
    const preferred = this.ports.preferred();
    return preferred !== '' && !this.knownBackends.some(({ id, title }) => id === preferred || title === preferred);
  }

  choose(id: string): void {
    this.pickedId = id;
    this.rememberLastUsed(id);
    this.emitter.fire();
  }

  /** Stores the backend as the last used one, for new windows. */
  rememberLastUsed(id: string): void {
    this.ports.memento.update(memoryName, id).then(undefined, this.ports.onError);
  }

  /** Loads the backends again. Calls during a reload cause one more reload. Never rejects. */
  refresh(): Promise<void> {
    this.isRefreshNeeded = true;
    this.runningRefresh ??= this.reload().finally(() => (this.runningRefresh = undefined));
    return this.runningRefresh;
  }

  dispose(): void {
    this.disposables.dispose();
  }

  private async reload(): Promise<void> {
    while (this.isRefreshNeeded && !this.disposables.isDisposed) {
      this.isRefreshNeeded = false;
      try {
        this.knownBackends = await this.ports.chats.backends();
      } catch (error) {
        this.ports.onError(error);
      }
    }
    this.emitter.fire();
  }

  private findBackend(id: string | undefined): BackendView | undefined {
    return this.knownBackends.find((view) => view.id === id);
  }
}
