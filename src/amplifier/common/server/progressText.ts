import { oneLine } from '../../../base/common/oneLine';

export interface SessionProgress {
  readonly message: string;
  /** 0 to 100; undefined when it is not known. */
  readonly percent: number | undefined;
}

const maxLength = 60;

/** What the status bar shows of what agents are doing: the newest, and how many more there are. Undefined for nothing. */
export function progressText(newestFirst: readonly SessionProgress[]): string | undefined {
  const [newest, ...others] = newestFirst;
  if (!newest) return undefined;
  const percent = newest.percent === undefined ? '' : ` ${Math.round(newest.percent)}%`;
  const more = others.length === 0 ? '' : ` (+${others.length})`;
  return `$(sync~spin) ${plain(newest.message)}${percent}${more}`;
}

/** On one line, short, and without what the status bar would draw as an icon. */
function plain(message: string): string {
  const line = oneLine(message).replaceAll('$(', '$ (');
  return line.length <= maxLength ? line : `${line.slice(0, maxLength - 1)}…`;
}
