/** Same shape as `vscode.Disposable`, so that either can stand where the other is asked for. */
export interface Disposable {
  dispose(): void;
}

export function toDisposable(dispose: () => void): Disposable {
  let done = false;
  return {
    dispose() {
      if (done) return;
      done = true;
      dispose();
    },
  };
}

/**
 * Owns what is added to it and disposes it once, last in first out. What is added after `dispose` is disposed at once,
 * so that an `await` between opening and registering cannot leak.
 */
export class DisposableStore implements Disposable {
  private readonly items = new Set<Disposable>();
  private disposed = false;

  get isDisposed(): boolean {
    return this.disposed;
  }

  add<T extends Disposable>(item: T): T {
    if (this.disposed) item.dispose();
    else this.items.add(item);
    return item;
  }

  /** Forgets the item without disposing it: ownership goes back to the caller. */
  release(item: Disposable): void {
    this.items.delete(item);
  }

  /** @throws AggregateError when one or more items threw; all of them were still disposed. */
  dispose(): void {
    if (this.disposed) return;
    this.disposed = true;
    const errors: unknown[] = [];
    for (const item of [...this.items].reverse()) {
      try {
        item.dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    this.items.clear();
    if (errors.length > 0) throw new AggregateError(errors, 'Could not dispose everything');
  }
}
