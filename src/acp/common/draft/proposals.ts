import { messageOf } from '../../../base/common/errors';
import { DiffError, parseFileDiff, type FileDiff } from './unifiedDiff';

interface Proposals {
  readonly diffs: readonly FileDiff[];
  /** The reasons why diffs are invalid, each as the end of a sentence. */
  readonly problems: readonly string[];
}

/** Finds proposed file changes in an answer: code blocks of language `diff` or `patch` that name files. */
export function parseProposals(markdown: string): Proposals {
  const lines = markdown.split(/\r?\n/);
  const diffs: FileDiff[] = [];
  const problems: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const fence = /^ {0,3}(`{3,}|~{3,})\s*(?:diff|patch)\b/i.exec(lines[at] ?? '')?.[1];
    if (fence === undefined) continue;
    try {
      const block = parseBlock(lines, at + 1, fence);
      diffs.push(...block.diffs);
      at = block.end;
    } catch (error) {
      problems.push(messageOf(error));
      while (at + 1 < lines.length && !closesFence(lines[at + 1], fence)) at++;
    }
  }
  return { diffs, problems };
}

/** Parses the diffs in a code block. @throws DiffError */
function parseBlock(lines: readonly string[], start: number, fence: string): { diffs: FileDiff[]; end: number } {
  const diffs: FileDiff[] = [];
  let at = start;
  // Within a diff, the line counts of a hunk determine where it ends, because a line can look like the end of the code
  // block.
  while (at < lines.length && !closesFence(lines[at], fence)) {
    if (isHeader(lines, at)) {
      const { diff, end } = parseFileDiff(lines, at);
      if (/^[ +-]/.test(lines[end] ?? '') && !closesFence(lines[end], fence) && !isHeader(lines, end)) {
        throw new DiffError('a hunk has more lines than its "@@" line states.');
      }
      diffs.push(diff);
      at = end;
    } else at++;
  }
  return { diffs, end: at };
}

function isHeader(lines: readonly string[], at: number): boolean {
  return lines[at]?.startsWith('--- ') === true && lines[at + 1]?.startsWith('+++ ') === true;
}

function closesFence(line: string | undefined, fence: string): boolean {
  const end = /^ {0,3}(`{3,}|~{3,})\s*$/.exec(line ?? '')?.[1];
  return end?.startsWith(fence) === true;
}
