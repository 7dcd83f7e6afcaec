import { Emitter } from '../../../base/common/event';
import { toDisposable, type Disposable } from '../../../base/common/disposable';
import { rejectOnAbort } from '../../../session/common/rejectOnAbort';

/** A session that needs the agent's process. */
export interface ProcessUser {
  /** Whether an answer, a request or a command would be lost if the process ended now. */
  readonly isWorking: boolean;
  /** Whether the process remembers a conversation for it. */
  readonly isRemembered: boolean;
  /** What the user knows it by. */
  readonly name?: string | undefined;
}

/** Knows who uses the process of one agent, so that it does not end for one session while another one needs it. */
export class ProcessUsers implements Disposable {
  private readonly users = new Set<ProcessUser>();
  private readonly changeEmitter: Emitter<void>;
  /** Fires after a user may have stopped working. */
  readonly onDidChange;

  constructor(onListenerError: (error: unknown) => void) {
    this.changeEmitter = new Emitter<void>(onListenerError);
    this.onDidChange = this.changeEmitter.event;
  }

  add(user: ProcessUser): Disposable {
    this.users.add(user);
    return toDisposable(() => {
      this.users.delete(user);
      this.handleChange();
    });
  }

  /** Runs one or more requests that must not be lost, such as a change of an option. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    const user = this.add({ isWorking: true, isRemembered: false });
    try {
      return await work();
    } finally {
      user.dispose();
    }
  }

  /** Call when a user may have stopped working. */
  handleChange(): void {
    this.changeEmitter.fire();
  }

  /** The names of those who are working. */
  get namesOfWorking(): readonly string[] {
    return [...this.users].flatMap(({ isWorking, name }) => (isWorking && name !== undefined ? [name] : []));
  }

  isInUse(except?: ProcessUser): boolean {
    return this.some(except, ({ isWorking }) => isWorking);
  }

  /** Whether nobody but `user` would lose anything. `canRestore`: sessions can be restored in another process. */
  mayEndProcess(canRestore: boolean, user?: ProcessUser): boolean {
    return !this.isInUse(user) && (canRestore || !this.some(user, ({ isRemembered }) => isRemembered));
  }

  /** Resolves when nobody is working. @throws BackendError `cancelled` */
  async whenUnused(signal: AbortSignal): Promise<void> {
    while (this.isInUse()) {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      const subscription = this.onDidChange(() => resolve(undefined));
      await rejectOnAbort(promise, signal).finally(() => subscription.dispose());
    }
  }

  dispose(): void {
    this.changeEmitter.dispose();
  }

  private some(except: ProcessUser | undefined, test: (user: ProcessUser) => boolean): boolean {
    return [...this.users].some((user) => user !== except && test(user));
  }
}
