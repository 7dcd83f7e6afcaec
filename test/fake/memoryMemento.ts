import type { ContextMemento } from '../../../../src/context/common/contextMemento';

export class MemoryMemento implements ContextMemento {
  private readonly values = new Map<string, unknown>();

  get(name: string): unknown {
    return this.values.get(name);
  }

  update(name: string, value: unknown): Promise<void> {
    this.values.set(name, value);
    return Promise.resolve();
  }
}
