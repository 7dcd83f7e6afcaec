import type { Memento } from '../../src/base/common/memento';

export class MemoryMemento implements Memento {
  readonly values = new Map<string, unknown>();

  get(name: string): unknown {
    return this.values.get(name);
  }

  update(name: string, value: unknown): Promise<void> {
    this.values.set(name, value);
    return Promise.resolve();
  }
}
