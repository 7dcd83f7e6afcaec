import { withDeadline } from '../../../base/common/async';
import { TimeoutError } from '../../../base/common/errors';
import { byNearness } from './nearness';
import type { FoundText, TextQuery } from './textSearch';
import type { ToolPorts } from '../toolPorts';
import { visibleFiles } from './visibleFiles';

const searchMs = 15_000;

interface TextMatches {
  /** Only those that agents may see; nearest first. */
  readonly files: readonly FoundText[];
  /** There are more. */
  readonly isCut: boolean;
  readonly isLate: boolean;
}

interface Wanted {
  /** Absolute: what is near to it comes first. */
  readonly anchor: string | undefined;
  /** The search ends when it has found this many lines that agents may see. */
  readonly limit: number;
}

/** What a search finds, within a time. @throws ToolError for a pattern that is none */
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
      // Before it counts: a limit that excluded files help to reach would tell of them.
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
