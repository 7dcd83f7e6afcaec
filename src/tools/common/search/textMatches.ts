import { withDeadline } from '../../../base/common/async';
import { TimeoutError } from '../../../base/common/errors';
import { sortByNearness } from './nearness';
import type { FileMatches, TextQuery } from './textSearch';
import type { ToolPorts } from '../toolPorts';
import { filterAccessibleFiles } from './accessibleFiles';

const searchTimeoutMs = 15_000;

interface TextMatches {
  /** Visible files only, nearest first. */
  readonly files: readonly FileMatches[];
  readonly isLimitReached: boolean;
  readonly hasTimedOut: boolean;
}

interface MatchLimits {
  /** Absolute path; files near it come first. */
  readonly anchor: string | undefined;
  /** Ends the search after this many visible lines. */
  readonly limit: number;
}

/** Searches text within a time limit. @throws ToolError for an invalid pattern */
export async function findTextMatches(
  query: TextQuery,
  { anchor, limit }: MatchLimits,
  { editor, search, clock }: Pick<ToolPorts, 'editor' | 'search' | 'clock'>,
  signal: AbortSignal,
): Promise<TextMatches> {
  const byPath = new Map<string, FileMatches>();
  let lines = 0;
  const collect = async (inTime: AbortSignal): Promise<void> => {
    const both = AbortSignal.any([inTime, signal]);
    for await (const found of search.findText(query, both)) {
      // Checked before counting, so that the limit does not reveal excluded files.
      const { paths } = await filterAccessibleFiles([found.path], editor, both);
      if (paths.length === 0 || both.aborted) continue;
      byPath.set(found.path, found);
      lines += found.matches.length;
      if (lines >= limit) return;
    }
  };
  let hasTimedOut = false;
  try {
    await withDeadline(clock, 'the search', searchTimeoutMs, collect);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof TimeoutError)) throw error;
    hasTimedOut = true;
  }
  signal.throwIfAborted();
  const files = sortByNearness([...byPath.keys()], anchor).flatMap((path) => byPath.get(path) ?? []);
  return { files, isLimitReached: lines >= limit, hasTimedOut };
}
