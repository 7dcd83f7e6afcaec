export interface PathCandidate {
  /** Path relative to the workspace, with `/` as separator. */
  readonly relative: string;
  /** `relative` in lower case. */
  readonly lower: string;
}

const separators = new Set(['/', '-', '_', '.', ' ']);

/**
 * Scores a path for `query` (lower case, no spaces). Undefined if the path does not contain the characters in this
 * order. Prefers matches in the file name, consecutive characters, starts of words and short paths.
 */
function scorePath(query: string, { relative, lower }: PathCandidate): number | undefined {
  if (query === '') return 0;
  const nameStart = lower.lastIndexOf('/') + 1;
  const inName = query.includes('/') ? undefined : scoreFrom(query, relative, lower, nameStart);
  const score = inName === undefined ? scoreFrom(query, relative, lower, 0) : inName + 40;
  return score === undefined ? undefined : score - lower.length * 0.1;
}

function scoreFrom(query: string, text: string, lower: string, start: number): number | undefined {
  const whole = lower.indexOf(query, start);
  if (whole !== -1) {
    const end = whole + query.length;
    const endsName = end === lower.length || lower.charAt(end) === '.';
    return query.length * 8 + (isWordStart(text, whole) ? 30 : 0) + (whole === start ? 20 : 0) + (endsName ? 15 : 0);
  }
  let score = 0;
  let previous = -2;
  let from = start;
  for (const letter of query) {
    const at = lower.indexOf(letter, from);
    if (at === -1) return undefined;
    score += 1 + (at === previous + 1 ? 4 : 0) + (isWordStart(text, at) ? 5 : 0);
    previous = at;
    from = at + letter.length;
  }
  return score;
}

function isWordStart(text: string, at: number): boolean {
  if (at === 0) return true;
  if (separators.has(text.charAt(at - 1))) return true;
  const letter = text.charAt(at);
  const before = text.charAt(at - 1);
  return letter !== letter.toLowerCase() && before === before.toLowerCase();
}

/** Returns the best `count` candidates, best first. `bonus` is added to the score. Ignores white space. */
export function findBestPaths<Candidate extends PathCandidate>(
  query: string,
  candidates: Iterable<Candidate>,
  { count, bonus }: { count: number; bonus: (candidate: Candidate) => number },
): Candidate[] {
  const wanted = query.toLowerCase().replaceAll('\\', '/').replace(/\s+/g, '');
  const best: { readonly candidate: Candidate; readonly score: number }[] = [];
  for (const candidate of candidates) {
    const score = scorePath(wanted, candidate);
    if (score === undefined) continue;
    const found = { candidate, score: score + bonus(candidate) };
    const last = best[count - 1];
    if (last && last.score >= found.score) continue;
    const place = best.findIndex((other) => other.score < found.score);
    best.splice(place === -1 ? best.length : place, 0, found);
    best.length = Math.min(best.length, count);
  }
  return best.map(({ candidate }) => candidate);
}
