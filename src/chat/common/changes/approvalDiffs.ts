import type { SessionEvent } from '../../../session/common/sessionEvents';
import { shownDiffsOf } from '../approvals/approvalEvidence';
import type { DiffTexts } from '../chatPorts';
import type { FileText } from './fileTexts';
import { withUnixLineEndings } from './reportedFileChanges';

/** Maximum number of occurrences of a replaced text that are considered. */
const maxOccurrences = 50;

/** Stores the file contents that approvals have shown, to compare them with the contents that the agent writes. */
export class ApprovalDiffs {
  /** Diffs of approvals that are still pending, by approval id. */
  private readonly pendingDiffs = new Map<string, readonly DiffTexts[]>();
  private allowedDiffs: readonly DiffTexts[] = [];

  observeEvent(event: SessionEvent): void {
    switch (event.event) {
      case 'approval:required':
        this.pendingDiffs.set(event.data.approval_id, shownDiffsOf(event.data.context ?? {}));
        break;
      case 'approval:granted':
        this.allowedDiffs = [...this.allowedDiffs, ...(this.pendingDiffs.get(event.data.approval_id) ?? [])];
        this.pendingDiffs.delete(event.data.approval_id);
        break;
      case 'approval:denied':
        this.pendingDiffs.delete(event.data.approval_id);
        break;
      default:
    }
  }

  /** Paths of files, as shown, that the agent may write but has not written yet. */
  get unwrittenPaths(): readonly string[] {
    return [...new Set(this.allowedDiffs.map(({ path }) => path))];
  }

  /** Whether a write matches all shown diffs, or the first of them; these are removed. True if there are none. */
  takeMatchingDiffs(path: string, before: FileText, after: FileText): boolean {
    const shown = this.allowedDiffs.filter((diff) => diff.path === path);
    if (shown.length === 0 || before === undefined || after === undefined) {
      this.removeAllowedDiffs(shown);
      return true;
    }
    let states: readonly string[] = [before ?? ''];
    for (const [index, diff] of shown.entries()) {
      states = states.flatMap((state) => possibleResults(state, diff)).slice(0, maxOccurrences);
      if (!states.some((state) => isSame(state, after ?? ''))) continue;
      this.removeAllowedDiffs(shown.slice(0, index + 1));
      return true;
    }
    this.removeAllowedDiffs(shown);
    return false;
  }

  endTurn(): void {
    this.pendingDiffs.clear();
    this.allowedDiffs = [];
  }

  private removeAllowedDiffs(diffs: readonly DiffTexts[]): void {
    this.allowedDiffs = this.allowedDiffs.filter((diff) => !diffs.includes(diff));
  }
}

/** Returns possible results of a diff: agents show the whole file, or a part that is replaced once or everywhere. */
function possibleResults(text: string, { after, before }: DiffTexts): string[] {
  if (before === null || isSame(text, before)) return [after];
  if (before === '') return [];
  const [file, piece, other] = [withUnixLineEndings(text), withUnixLineEndings(before), withUnixLineEndings(after)];
  if (!file.includes(piece)) return [];
  const results = [file.replaceAll(piece, () => other)];
  for (let at = file.indexOf(piece); at >= 0 && results.length < maxOccurrences; at = file.indexOf(piece, at + 1)) {
    results.push(file.slice(0, at) + other + file.slice(at + piece.length));
  }
  return results;
}

/** Whether two texts are equal except for line endings and trailing white space, which editors may change. */
function isSame(one: string, other: string): boolean {
  return withUnixLineEndings(one).trimEnd() === withUnixLineEndings(other).trimEnd();
}
