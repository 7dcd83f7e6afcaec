import { formatCount, formatSize } from '../../transcript/browser/format';
import type { Part } from '../../transcript/common/entries';

/** Of what is asked, how much cannot be read here: nobody should allow what they have not seen without knowing it. */
export function whatIsMissing(parts: readonly Part[]): string | undefined {
  for (const part of parts) {
    const omitted = 'omitted' in part ? (part.omitted ?? 0) : 0;
    if (omitted === 0) continue;
    if (part.type !== 'diff') return `${formatSize(omitted)} of it are not shown here.`;
    const shown = part.hunks.flatMap(({ lines }) => lines).filter(({ kind }) => kind !== 'context').length;
    if (shown === part.added + part.removed) return 'Long lines are cut. Open the diff to see all of them.';
    return `${formatCount(shown)} of ${formatCount(part.added + part.removed)} changed lines are shown. Open the diff to see all.`;
  }
  return undefined;
}
