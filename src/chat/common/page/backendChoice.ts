import * as z from 'zod/mini';
import { withDeadline, type Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { DisposableStore } from '../../../base/common/disposable';
import { Emitter } from '../../../base/common/event';
import type { Memento } from '../../../base/common/memento';
import type { Chats } from '../chatPorts';
import type { BackendView } from '../chatView';

/** The id or title of the backend that each level of the settings names. Empty if it names none. */
export interface BackendPreference {
  readonly ofUser: string;
  readonly ofWorkspace: string;
}

interface BackendChoicePorts {
  readonly chats: Pick<Chats, 'backends' | 'onDidChangeBackends'>;
  /** Returns the ids or titles of the backends in the settings. */
  readonly preferred: () => BackendPreference;
  readonly memento: Memento;
  readonly onError: (error: unknown) => void;
}

const memoryName = 'chat.backend';

/** How long a prompt waits for the backends to be listed. */
const listTimeoutMs = 10_000;

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

  /**
   * The backend chosen in this window, or else the one in the user settings, the last used one, the one in the workspace
   * settings, or the demo agent. A workspace does not replace a choice of the user.
   */
  get chosenBackend(): BackendView | undefined {
    const { ofUser, ofWorkspace } = this.ports.preferred();
    return (
      this.findBackend(this.pickedId) ??
      this.findByIdOrTitle(ofUser) ??
      this.findBackend(this.lastUsedId) ??
      this.findByIdOrTitle(ofWorkspace) ??
      this.knownBackends.find(({ source }) => source === 'demo') ??
      this.knownBackends[0]
    );
  }

  /**
   * Returns `chosenBackend`. If there is none, which may only mean that the backends are not listed yet, it waits for the list.
   * @throws Error with a message for the user, if that takes longer than 10 s
   */
  async waitForChosenBackend(clock: Clock): Promise<BackendView | undefined> {
    if (this.chosenBackend) return this.chosenBackend;
    const list = (): Promise<void> => this.runningRefresh ?? this.refresh();
    await withDeadline(clock, 'Listing the backends', listTimeoutMs, list).catch((error: unknown) => {
      throw new Error('The list of agents is still loading. Send the prompt again in a moment.', { cause: error });
    });
    return this.chosenBackend;
  }

  /** Whether the setting names a backend that doesn't exist. */
  get isPreferredBackendMissing(): boolean {
    const { ofUser, ofWorkspace } = this.ports.preferred();
    const isUsed = ofUser !== '' || this.findBackend(this.lastUsedId) === undefined;
    const preferred = ofUser === '' ? ofWorkspace : ofUser;
    return isUsed && preferred !== '' && this.findByIdOrTitle(preferred) === undefined;
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

  private get lastUsedId(): string | undefined {
    return z.safeParse(z.string(), this.ports.memento.get(memoryName)).data;
  }

  private findByIdOrTitle(name: string): BackendView | undefined {
    return this.findBackend(name) ?? this.knownBackends.find(({ title }) => title === name);
  }

  private findBackend(id: string | undefined): BackendView | undefined {
    return this.knownBackends.find((view) => view.id === id);
  }
}
