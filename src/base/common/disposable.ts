/** Same shape as `vscode.Disposable`, so the two are interchangeable. */
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

/** Owns the added items and disposes them once, in reverse order. After that, disposes added items immediately. */
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

  removeWithoutDisposing(item: Disposable): void {
    this.items.delete(item);
  }

  /** @throws AggregateError if any item threw; all items are disposed nevertheless */
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
