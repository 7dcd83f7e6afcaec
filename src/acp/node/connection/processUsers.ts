import type { Clock } from '../../../base/common/async';
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

interface Use extends ProcessUser {
  /** The session that the work is for. */
  readonly owner?: object | undefined;
  /** Whether its request has been open for so long that the agent may never answer it. */
  mayBeHanging?: boolean;
}

interface UseOptions {
  /** The session that the work is for, which may end its own work with the process. */
  readonly owner?: object | undefined;
  /** The work no longer keeps a process with a stuck turn after so many milliseconds. By default, it does until its end. */
  readonly patienceMs?: number;
}

/** Knows who uses the process of one agent, so that it does not end for one session while another one needs it. */
export class ProcessUsers implements Disposable {
  private readonly users = new Set<Use>();
  private readonly changeEmitter: Emitter<void>;
  /** Fires after a user may have stopped working. */
  readonly onDidChange;

  constructor(
    private readonly clock: Clock,
    onListenerError: (error: unknown) => void,
  ) {
    this.changeEmitter = new Emitter<void>(onListenerError);
    this.onDidChange = this.changeEmitter.event;
  }

  add(user: Use): Disposable {
    this.users.add(user);
    return toDisposable(() => {
      this.users.delete(user);
      this.handleChange();
    });
  }

  /** Runs one or more requests that must not be lost, such as a change of an option. */
  async during<T>(work: () => Promise<T>, { owner, patienceMs }: UseOptions = {}): Promise<T> {
    const use: Use = { isWorking: true, isRemembered: false, owner };
    const added = this.add(use);
    const loseProtection = (): void => {
      use.mayBeHanging = true;
      this.handleChange();
    };
    const timer = patienceMs === undefined ? undefined : this.clock.setTimer(patienceMs, loseProtection);
    try {
      return await work();
    } finally {
      timer?.dispose();
      added.dispose();
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

  isInUse(): boolean {
    return [...this.users].some(({ isWorking }) => isWorking);
  }

  /**
   * Whether nobody but `user` would lose anything in a process that may be frozen. `canRestore`: sessions can be restored in
   * another process.
   */
  mayEndProcess(canRestore: boolean, user?: ProcessUser): boolean {
    return ![...this.users].some((other) => {
      const { isRemembered, isWorking, mayBeHanging = false, owner } = other;
      if (user !== undefined && (other === user || owner === user)) return false;
      return (isWorking && !mayBeHanging) || (!canRestore && isRemembered);
    });
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
}
