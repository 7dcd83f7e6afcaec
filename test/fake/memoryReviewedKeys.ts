import { toDisposable } from '../../src/base/common/disposable';
import type { ReviewedKeys } from '../../src/changes/common/review/reviewedMarks';

/** Keys of reviewed changes in memory. */
export class MemoryReviewedKeys implements ReviewedKeys {
  readonly keysByPath = new Map<string, ReadonlySet<string>>();
  readonly onDidChange = () => toDisposable(() => undefined);

  of(path: string): Promise<ReadonlySet<string>> {
    return Promise.resolve(this.keysByPath.get(path) ?? new Set());
  }

  async change(path: string, { add = [], remove = [] }: Parameters<ReviewedKeys['change']>[1]): Promise<void> {
    const removed = new Set(remove);
    this.keysByPath.set(path, new Set([...(await this.of(path)), ...add].filter((key) => !removed.has(key))));
  }

  forget(path: string): Promise<void> {
    this.keysByPath.delete(path);
    return Promise.resolve();
  }
}
