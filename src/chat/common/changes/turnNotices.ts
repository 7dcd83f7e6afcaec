import { truncateList } from '../../../base/common/lists';
import type { LogRecord, NewRecord } from '../conversation/logRecord';

/** Maximum number of paths in a notice. */
const maxNames = 50;
const nothingFound: ScanResult = { changedCount: 0, gone: [], hasWriter: false, problems: [] };

/** What a scan of the turn has found. */
interface ScanResult {
  /** Number of files that differ from the checkpoint. */
  readonly changedCount: number;
  /** Files and folders that the checkpoint does not contain and that no longer exist. */
  readonly gone: readonly string[];
  /** Whether a call since the scan before can have written any file. */
  readonly hasWriter: boolean;
  /** Why the scan may have missed changes. */
  readonly problems: readonly string[];
}

/** Notices of a conversation about changes that can't be shown or undone. Each is shown once. */
export class TurnNotices {
  private readonly shown = new Set<string>();
  /** Of the last scan of the turn. `hasWriter` is about all of them. */
  private lastScan: ScanResult = nothingFound;

  constructor(private readonly record: (record: NewRecord) => void) {}

  applyRecord(record: LogRecord): void {
    if (record.type === 'notice') this.shown.add(record.text);
  }

  /** Adds the notices of a checkpoint with which a turn begins. */
  addForCheckpoint(problems: readonly string[], uncovered: readonly string[]): void {
    this.lastScan = nothingFound;
    for (const problem of problems) {
      this.add(`Changes made by shell commands can’t be shown or undone. ${problem}`);
    }
    if (uncovered.length > 0) this.add('Some files and folders are not included in checkpoints.', uncovered);
  }

  handleScan(found: ScanResult): void {
    this.lastScan = { ...found, hasWriter: found.hasWriter || this.lastScan.hasWriter };
  }

  handleFailedScan(problem: string): void {
    this.lastScan = { ...this.lastScan, problems: [problem] };
  }

  /** Call after the last scan of the turn. `maxListed`: the maximum number of files that are listed. */
  addForTurn(maxListed: number): void {
    const { changedCount, gone, hasWriter, problems } = this.lastScan;
    for (const problem of problems) {
      this.add(`Some changes made by shell commands in this turn can’t be shown or undone. ${problem}`);
    }
    if (changedCount > maxListed) {
      this.add(
        `This turn changed ${changedCount} files. Only the first ${maxListed} are listed. Restore to Here includes all of them.`,
      );
    }
    if (gone.length > 0 && hasWriter) {
      const text =
        gone.length === 1
          ? 'A file or folder is gone since this turn began, and can’t be restored: it was not in the checkpoint, because Git ignores it, or it is excluded or too large.'
          : `${gone.length} files and folders are gone since this turn began, and can’t be restored: they were not in the checkpoint, because Git ignores them, or they are excluded or too large.`;
      // Not only once: the same file can be created again, and be gone again in a later turn.
      this.append(text, gone);
    }
  }

  private add(text: string, paths: readonly string[] = []): void {
    if (this.shown.has(text)) return;
    this.shown.add(text);
    this.append(text, paths);
  }

  private append(text: string, paths: readonly string[]): void {
    const details = paths.length === 0 ? {} : { details: truncateList(paths, maxNames).join('\n') };
    this.record({ type: 'notice', level: 'info', text, ...details });
  }
}
