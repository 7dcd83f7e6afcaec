import { DisposableStore, type Disposable } from '../../../base/common/disposable';
import type { NoticeBoard } from '../../../platform/common/noticeBoard';
import { ConflictNotices, type ConflictNoticesDeps } from './conflictNotices';
import { ConflictWatch, type ConflictWatchDeps } from './conflictWatch';
import { OtherEditorConflicts } from './otherEditorConflicts';

type UnsavedConflictsDeps = ConflictWatchDeps & Omit<ConflictNoticesDeps, 'watch'> & { readonly notices: NoticeBoard };

/** Notifies the user of files that an agent has written on disk while an editor of any kind had unsaved changes of them. */
export class UnsavedConflicts implements Disposable {
  private readonly disposables = new DisposableStore();
  private readonly parts: readonly { start(): void }[];

  constructor(deps: UnsavedConflictsDeps) {
    const { disposables } = this;
    const watch = disposables.add(new ConflictWatch(deps));
    const notices = disposables.add(new ConflictNotices({ ...deps, watch }));
    const others = disposables.add(new OtherEditorConflicts(deps));
    this.parts = [watch, notices, others];
  }

  start(): void {
    for (const part of this.parts) part.start();
  }

  dispose(): void {
    this.disposables.dispose();
  }
}
