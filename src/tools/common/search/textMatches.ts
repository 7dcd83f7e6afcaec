import { withDeadline } from '../../../base/common/async';
import { TimeoutError } from '../../../base/common/errors';
import { byNearness } from './nearness';
import type { FoundText, TextQuery } from './textSearch';
import type { ToolPorts } from '../toolPorts';
import { visibleFiles } from './visibleFiles';

const searchMs = 15_000;

interface TextMatches {
  /** Visible files only, nearest first. */
  readonly files: readonly FoundText[];
  /** Whether the limit was reached. */
  readonly isCut: boolean;
  readonly isLate: boolean;
}

interface Wanted {
  /** Absolute path; files near it come first. */
  readonly anchor: string | undefined;
  /** Ends the search after this many visible lines. */
  readonly limit: number;
}

/** Searches text within a time limit. @throws ToolError for an invalid pattern */
export async function textMatches(
  query: TextQuery,
  { anchor, limit }: Wanted,
  { editor, search, clock }: Pick<ToolPorts, 'editor' | 'search' | 'clock'>,
  signal: AbortSignal,
): Promise<TextMatches> {
  const byPath = new Map<string, FoundText>();
  let lines = 0;
  const collect = async (inTime: AbortSignal): Promise<void> => {
    const both = AbortSignal.any([inTime, signal]);
    for await (const found of search.find(query, both)) {
      // Checked before counting, so that the limit does not reveal excluded files.
      const { paths } = await visibleFiles([found.path], editor, both);
      if (paths.length === 0 || both.aborted) continue;
      byPath.set(found.path, found);
      lines += found.matches.length;
      if (lines >= limit) return;
    }
  };
  let isLate = false;
  try {
    await withDeadline(clock, 'the search', searchMs, collect);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof TimeoutError)) throw error;
    isLate = true;
  }
  signal.throwIfAborted();
  const files = byNearness([...byPath.keys()], anchor).flatMap((path) => byPath.get(path) ?? []);
  return { files, isCut: lines >= limit, isLate };
}
