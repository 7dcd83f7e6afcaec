import { countOf } from '../../../base/common/countOf';
import type {
  InterruptedRestore,
  ResumeDirection,
  WorkspaceCheckpoints,
} from '../../../changes/common/workspaceCheckpoints';
import type { Messages } from '../../../platform/vscode/messages';
import type { Dialogs } from '../dialogs';
import { skippedText } from './skippedText';

const finish = 'Finish';
const undo = 'Undo';

/** Finishes or undoes a restore that was cut off, as the user chooses. */
export class InterruptedRestores {
  constructor(
    private readonly checkpoints: Pick<WorkspaceCheckpoints, 'interrupted' | 'resume'> | undefined,
    private readonly dialogs: Pick<Dialogs, 'choose'>,
    private readonly messages: Messages,
  ) {}

  /** Shows a notification if a restore was cut off. @throws CheckpointError */
  async notify(): Promise<void> {
    const found = await this.checkpoints?.interrupted();
    if (!found) return;
    this.messages.info(
      messageFor(found),
      { label: finish, run: () => this.resume('finish') },
      { label: undo, run: () => this.resume('undo') },
    );
  }

  /** Asks about a restore that was cut off. Returns whether none is left. @throws CheckpointError */
  async settle(): Promise<boolean> {
    const found = await this.checkpoints?.interrupted();
    if (!found) return true;
    const chosen = await this.dialogs.choose({
      message: messageFor(found),
      detail: 'Finish or undo it first.',
      actions: [finish, undo],
    });
    if (chosen === undefined) return false;
    await this.resume(chosen === finish ? 'finish' : 'undo');
    return true;
  }

  private async resume(direction: ResumeDirection): Promise<void> {
    const outcome = await this.checkpoints?.resume(direction, new AbortController().signal);
    if (!outcome) return;
    const { restored, skipped } = outcome;
    const what = direction === 'finish' ? 'The restore is finished' : 'The restore is undone';
    if (skipped.length > 0) this.messages.error(`${what}. ${skippedText(skipped)}`);
    else this.messages.info(`${what}: ${countOf(restored.length, 'file')}.`);
  }
}

function messageFor({ restored, total }: InterruptedRestore): string {
  const is = total === 1 ? 'is' : 'are';
  return `Restoring files was interrupted: ${restored} of ${countOf(total, 'file')} ${is} restored.`;
}
