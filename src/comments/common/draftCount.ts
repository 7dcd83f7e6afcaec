import type { Disposable } from '../../base/common/disposable';
import { Emitter } from '../../base/common/event';

/** How many comment threads would be sent now. Known before the code of comments is loaded, which then sets it. */
export class DraftCount implements Disposable {
  private count = 0;
  private readonly emitter: Emitter<void>;
  readonly onDidChange;

  constructor(onListenerError: (error: unknown) => void) {
    this.emitter = new Emitter<void>(onListenerError);
    this.onDidChange = this.emitter.event;
  }

  get value(): number {
    return this.count;
  }

  set(count: number): void {
    if (count === this.count) return;
    this.count = count;
    this.emitter.fire();
  }

  dispose(): void {
    this.emitter.dispose();
  }
}
