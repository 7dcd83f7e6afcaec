import { countWithNoun } from '../../../base/common/text/countWithNoun';
import { messageOf } from '../../../base/common/errors';
import type { Logger } from '../../../base/common/log';
import type {
  InterruptedRestore,
  ResumeDirection,
  ResumeOutcome,
  WorkspaceCheckpoints,
} from '../../../changes/common/workspaceCheckpoints';
import type { NoticeAction, NoticeBoard } from '../../../platform/common/noticeBoard';
import type { Messages } from '../../../platform/vscode/messages';
import type { FileRestorer } from '../../common/restore/fileRestorer';
import type { Dialogs } from '../dialogs';
import { describeSkippedFiles } from './describeSkippedFiles';

interface InterruptedRestoresDeps {
  readonly checkpoints: Pick<WorkspaceCheckpoints, 'findInterruptedRestore' | 'resume'> | undefined;
  readonly restorer: Pick<FileRestorer, 'recordFinished'>;
  /** Undoes a restore of a conversation, and then shows the conversation. */
  readonly undoRestore: (sessionId: string, restoreId: string) => Promise<void>;
  readonly dialogs: Pick<Dialogs, 'choose'>;
  readonly messages: Messages;
  readonly notices: Pick<NoticeBoard, 'info'>;
  readonly log: Logger;
}

const finish = 'Finish';
const undo = 'Undo';

/** Finishes or undoes an interrupted restore, as the user chooses. */
export class InterruptedRestores {
  constructor(private readonly deps: InterruptedRestoresDeps) {}

  /** Shows a notification if a restore was interrupted. @throws CheckpointError */
  async notify(): Promise<void> {
    const { checkpoints, notices } = this.deps;
    const found = await checkpoints?.findInterruptedRestore();
    if (!found) return;
    notices.info(
      messageFor(found),
      { label: finish, run: () => this.resume('finish') },
      { label: undo, run: () => this.resume('undo') },
    );
  }

  /** Asks the user about an interrupted restore. Returns whether none remains. @throws CheckpointError */
  async finishOrUndo(): Promise<boolean> {
    const found = await this.deps.checkpoints?.findInterruptedRestore();
    if (!found) return true;
    const chosen = await this.deps.dialogs.choose({
      message: messageFor(found),
      detail: 'Finish or undo this restore first.',
      actions: [finish, undo],
    });
    if (chosen === undefined) return false;
    await this.resume(chosen === finish ? 'finish' : 'undo');
    return true;
  }

  private async resume(direction: ResumeDirection): Promise<void> {
    const { checkpoints, messages } = this.deps;
    const outcome = await checkpoints?.resume(direction, new AbortController().signal);
    if (!outcome) return;
    const { restored, skipped } = outcome;
    const actions = direction === 'finish' ? await this.recordFinished(outcome) : [];
    const done = direction === 'finish' ? 'was finished' : 'was undone';
    if (skipped.length > 0) messages.error(`The restore ${done}. ${describeSkippedFiles(skipped)}`, ...actions);
    else messages.info(`The restore of ${countWithNoun(restored.length, 'file')} ${done}.`, ...actions);
  }

  /** Returns an action to undo the restore, if its conversation still exists. Never rejects. */
  private async recordFinished(outcome: ResumeOutcome): Promise<readonly NoticeAction[]> {
    const { log, restorer, undoRestore } = this.deps;
    try {
      const found = await restorer.recordFinished(outcome, new AbortController().signal);
      return found ? [{ label: 'Undo Restore', run: () => undoRestore(found.chat.id, found.restoreId) }] : [];
    } catch (error) {
      log.warn(`A finished restore could not be recorded: ${messageOf(error)}`);
      return [];
    }
  }
}

function messageFor({ restored, total }: InterruptedRestore): string {
  return `Restoring files was interrupted after ${restored} of ${countWithNoun(total, 'file')}.`;
}
