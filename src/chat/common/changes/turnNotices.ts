import { truncateList } from '../../../base/common/lists';
import type { LogRecord, NewRecord } from '../conversation/logRecord';

/** Maximum number of paths in a notice. */
const maxNames = 50;

/** Notices of a conversation about changes that can't be shown or undone. Each is shown once. */
export class TurnNotices {
  private readonly shown = new Set<string>();

  constructor(private readonly record: (record: NewRecord) => void) {}

  applyRecord(record: LogRecord): void {
    if (record.type === 'notice') this.shown.add(record.text);
  }

  addForCheckpoint(problems: readonly string[], uncovered: readonly string[]): void {
    for (const problem of problems) {
      this.add(`Changes made by shell commands can’t be shown or undone. ${problem}`);
    }
    if (uncovered.length > 0) this.add('Some files and folders are not included in checkpoints.', uncovered);
  }

  /** `problems`: why the scans of the turn may have missed changes. `maxListed`: the maximum number of files that are listed. */
  addForTurn(problems: readonly string[], changedCount: number, maxListed: number): void {
    for (const problem of problems) {
      this.add(`Some changes made by shell commands in this turn can’t be shown or undone. ${problem}`);
    }
    if (changedCount > maxListed) {
      this.add(
        `This turn changed ${changedCount} files. Only the first ${maxListed} are listed. Restore to Here includes all of them.`,
      );
    }
  }

  private add(text: string, paths: readonly string[] = []): void {
    if (this.shown.has(text)) return;
    this.shown.add(text);
    const details = paths.length === 0 ? {} : { details: truncateList(paths, maxNames).join('\n') };
    this.record({ type: 'notice', level: 'info', text, ...details });
  }
}
