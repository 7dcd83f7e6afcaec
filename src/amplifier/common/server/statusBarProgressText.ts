import { oneLine } from '../../../base/common/text/oneLine';

export interface SessionProgress {
  readonly message: string;
  /** Progress from 0 to 100; undefined if unknown. */
  readonly percent: number | undefined;
}

const maxLength = 60;

/** Returns the text for the status bar: the newest activity and the number of others. Undefined if none. */
export function statusBarProgressText(newestFirst: readonly SessionProgress[]): string | undefined {
  const [newest, ...others] = newestFirst;
  if (!newest) return undefined;
  const percent = newest.percent === undefined ? '' : ` ${Math.round(newest.percent)}%`;
  const more = others.length === 0 ? '' : ` (+${others.length})`;
  return `$(sync~spin) ${plain(newest.message)}${percent}${more}`;
}

/** Converts a text to one line without the syntax for icons in the status bar. */
function plain(message: string): string {
  const line = oneLine(message).replaceAll('$(', '$ (');
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}
