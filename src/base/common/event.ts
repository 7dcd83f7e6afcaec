import { toDisposable, type Disposable } from './disposable';

/** Same shape as `vscode.Event`. The caller owns the returned subscription. */
export type Event<T> = (listener: (value: T) => void) => Disposable;

export class Emitter<T> implements Disposable {
  private readonly listeners = new Set<{ call: (value: T) => void }>();

  /** `onListenerError` receives the errors of listeners, so that one faulty listener cannot block the others. */
  constructor(private readonly onListenerError: (error: unknown) => void) {}

  readonly event: Event<T> = (listener) => {
    const entry = { call: listener };
    this.listeners.add(entry);
    return toDisposable(() => this.listeners.delete(entry));
  };

  fire(value: T): void {
    for (const { call } of [...this.listeners]) {
      try {
        call(value);
      } catch (error) {
        this.onListenerError(error);
      }
    }
  }

  dispose(): void {
    this.listeners.clear();
  }
}
