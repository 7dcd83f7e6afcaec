import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { Chats } from '../chatPorts';

interface AsideCleanupDeps {
  readonly chats: Pick<Chats, 'delete' | 'openAsides'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Ids of the conversations that pages show, or are about to show. */
  readonly shownIds: () => ReadonlySet<string>;
  /** Whether a tab of the chat is left from before a reload and was not restored yet, so that it is not known what it shows. */
  readonly mayShowMore: () => boolean;
}

/** How long after the start VS Code may still report tabs. */
const startDelayMs = 30_000;
/** Age after which one is deleted although its workspace was not opened again. */
const maxAgeMs = 30 * 24 * 60 * 60 * 1000;

/** Deletes side questions that the user has not kept: with their last page, and those that a crash has left. */
export class AsideCleanup implements Disposable {
  private shown: ReadonlySet<string> = new Set();
  private timer: Disposable | undefined;
  private isDisposed = false;

  constructor(private readonly deps: AsideCleanupDeps) {}

  start(): void {
    this.timer = this.deps.clock.setTimer(startDelayMs, () => void this.deleteLeftOver());
    this.update();
  }

  /** Call when a page was added or removed, or shows another conversation. */
  update(): void {
    if (this.isDisposed) return;
    const before = this.shown;
    this.shown = this.deps.shownIds();
    for (const { id } of this.deps.chats.openAsides) if (before.has(id) && !this.shown.has(id)) void this.delete(id);
  }

  /** Once, after the start. What tabs may still show stays for the next time. Never rejects. */
  private async deleteLeftOver(): Promise<void> {
    const { chats, clock, mayShowMore } = this.deps;
    const oldest = clock.now() - maxAgeMs;
    const isLeftOver = ({ id, isHere, updatedAt }: Chats['openAsides'][number]): boolean =>
      !this.shown.has(id) && (updatedAt < oldest || (isHere && !mayShowMore()));
    for (const { id } of chats.openAsides.filter(isLeftOver)) if (!this.isDisposed) await this.delete(id);
  }

  /** Leaves one that another window holds. Never rejects. */
  private async delete(id: string): Promise<void> {
    try {
      await this.deps.chats.delete(id);
    } catch (error) {
      this.deps.log.info(`A side question was not deleted: ${messageOf(error)}`);
    }
  }

  dispose(): void {
    this.isDisposed = true;
    this.timer?.dispose();
  }
}
