import { clip } from '../../base/common/text/clip';

/** Longer answers are cut, in UTF-16 units. The conversation has the whole. */
const maxAnswerUnits = 10_000;
/** Of a longer text, only the end is read, in UTF-16 units: that is where the answers are. */
const maxReadUnits = 1024 * 1024;

/** An item, a heading or bold text may begin with the number; several numbers may share an answer. */
const beginning =
  /^ {0,3}(?:[-*+] +|\d+[.)] +|#{1,6} +)?(?:\*\*|__|`)?(C\d+(?:(?: *, *| *& *| +and +)C\d+)*)(?:\*\*|__|`)?(?=$|[\s:.–—-])/;
const afterNumber = /^(?:\*\*|__)?[\s:.–—-]*(?:\*\*|__)?\s*/;

/** What an agent has said about a comment. */
interface FoundAnswer {
  readonly number: number;
  /** Markdown, which is not trusted. */
  readonly text: string;
}

/**
 * Returns the paragraphs, list items and sections that begin with one of these numbers. What has no number is nobody's answer: it
 * is never guessed. Of several for one number, all are joined.
 */
export function findAnswers(answer: string, numbers: ReadonlySet<number>): FoundAnswer[] {
  const found = new Map<number, string[]>();
  let open: OpenAnswer | undefined;
  const close = (): void => {
    const text = open?.lines.join('\n').trim() ?? '';
    for (const number of text === '' ? [] : (open?.numbers ?? [])) {
      const texts = found.get(number);
      if (texts) texts.push(text);
      else found.set(number, [text]);
    }
    open = undefined;
  };
  let fence: string | undefined;
  for (const line of answer.slice(-maxReadUnits).split(/\r\n|\r|\n/)) {
    const isInFence = fence !== undefined;
    fence = fenceAfter(line, fence);
    const begun = isInFence ? undefined : beginningOf(line, numbers);
    if (begun || (open && !isInFence && isEnd(line, open))) close();
    if (begun) open = begun;
    else open?.lines.push(line);
  }
  close();
  return [...found].map(([number, texts]) => ({ number, text: clip(texts.join('\n\n'), maxAnswerUnits) }));
}

interface OpenAnswer {
  readonly numbers: ReadonlySet<number>;
  readonly kind: 'paragraph' | 'item' | 'section';
  readonly lines: string[];
}

function beginningOf(line: string, numbers: ReadonlySet<number>): OpenAnswer | undefined {
  const match = beginning.exec(line);
  const named = new Set((match?.[1]?.match(/\d+/g) ?? []).map(Number).filter((number) => numbers.has(number)));
  if (!match || named.size === 0) return undefined;
  const start = line.trimStart();
  const kind = start.startsWith('#') ? 'section' : /^(?:[-*+]|\d+[.)]) /.test(start) ? 'item' : 'paragraph';
  return { numbers: named, kind, lines: [line.slice(match[0].length).replace(afterNumber, '')] };
}

/** Whether a line no longer belongs to the answer. */
function isEnd(line: string, { kind, lines }: OpenAnswer): boolean {
  if (/^ {0,3}#{1,6} /.test(line)) return true;
  if (kind === 'section') return false;
  const isAfterGap = lines.length > 1 && lines.at(-1)?.trim() === '';
  const isBlank = line.trim() === '';
  if (kind === 'paragraph') return isAfterGap && !isBlank && !/^ {0,3}(?:```|~~~)/.test(line);
  return !isBlank && !/^\s{2,}/.test(line) && (isAfterGap || /^(?:[-*+]|\d+[.)]) /.test(line));
}

/** The fence that is open after a line. */
function fenceAfter(line: string, open: string | undefined): string | undefined {
  const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
  if (mark === undefined) return open;
  if (open === undefined) return mark;
  return mark.startsWith(open) && line.trim() === mark ? undefined : open;
}
