import type { Clock } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type { Chats } from '../chatPorts';

interface AsideCleanupDeps {
  readonly chats: Pick<Chats, 'delete' | 'openAsides' | 'setMarks'>;
  readonly clock: Clock;
  readonly log: Logger;
  /** The pages of the chat that are open, each with the id of the conversation that it shows, or is about to show. */
  readonly pages: () => Iterable<{ readonly wantedId: string | undefined }>;
  /** Whether a tab of the chat is left from before a reload and was not restored yet, so that it is not known what it shows. */
  readonly mayShowMore: () => boolean;
}

/** How long after the start VS Code may still report tabs. */
const startDelayMs = 30_000;
/** Age of what a crash has left, in milliseconds. Until then, the tab of a window that is closed now may show it again. */
const maxAgeMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Deletes side questions that the user has not kept: when their last page is closed, and those that a crash has left. One whose
 * page shows another conversation is kept, because the user has not closed it.
 */
export class AsideCleanup implements Disposable {
  private idByPage: ReadonlyMap<object, string | undefined> = new Map();
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
    const before = this.idByPage;
    this.idByPage = new Map([...this.deps.pages()].map((page) => [page, page.wantedId]));
    const shown = new Set(this.idByPage.values());
    for (const [page, id] of before) {
      const aside = this.deps.chats.openAsides.find((one) => one.id === id);
      if (!aside || shown.has(aside.id)) continue;
      void (this.idByPage.has(page) ? this.keep(aside) : this.delete(aside.id));
    }
  }

  /** Once, after the start. What tabs may still show stays for the next time. Never rejects. */
  private async deleteLeftOver(): Promise<void> {
    const { chats, clock, mayShowMore } = this.deps;
    const shown = new Set(this.idByPage.values());
    const oldest = clock.now() - maxAgeMs;
    for (const { id } of chats.openAsides.filter((one) => one.updatedAt < oldest && !shown.has(one.id)))
      if (!this.isDisposed && !mayShowMore()) await this.delete(id);
  }

  /** Never rejects. */
  private async keep({ about, id }: Chats['openAsides'][number]): Promise<void> {
    await this.deps.chats.setMarks(id, { keptAside: { about } }).catch((error: unknown) => {
      this.deps.log.info(`A side question was not kept: ${messageOf(error)}`);
    });
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
