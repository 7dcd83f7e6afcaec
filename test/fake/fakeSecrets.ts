import type { Disposable } from '../../src/base/common/disposable';
import { Emitter } from '../../src/base/common/event';

/** VS Code's secret storage, in memory. */
export class FakeSecrets {
  readonly values = new Map<string, string>();
  isLocked = false;
  private readonly emitter = new Emitter<{ readonly key: string }>(() => undefined);

  get(name: string): Promise<string | undefined> {
    return this.isLocked ? Promise.reject(new Error('The keyring is locked')) : Promise.resolve(this.values.get(name));
  }

  store(name: string, value: string): Promise<void> {
    if (this.isLocked) return Promise.reject(new Error('The keyring is locked'));
    this.values.set(name, value);
    this.emitter.fire({ key: name });
    return Promise.resolve();
  }

  delete(name: string): Promise<void> {
    if (this.isLocked) return Promise.reject(new Error('The keyring is locked'));
    this.values.delete(name);
    this.emitter.fire({ key: name });
    return Promise.resolve();
  }

  onDidChange(listener: (change: { readonly key: string }) => void): Disposable {
    return this.emitter.event(listener);
  }
}
