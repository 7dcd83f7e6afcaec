/** What the user is about to name: a thing after `@`, or a command of the agent after `/` at the very start. */
export interface Trigger {
  readonly kind: 'mention' | 'command';
  /** Where the sign stands, as an index of the text. */
  readonly start: number;
  /** What stands between the sign and the cursor. */
  readonly query: string;
}

const longestQuery = 200;

/** `caret` is an index of the text; undefined when nothing is being named there. */
export function triggerAt(text: string, caret: number): Trigger | undefined {
  const before = text.slice(Math.max(caret - longestQuery, 0), caret);
  const command = /^\/(\S*)$/.exec(text.slice(0, Math.min(caret, longestQuery)));
  if (command && caret <= longestQuery) return { kind: 'command', start: 0, query: command[1] ?? '' };
  const mention = /(?:^|[\s([{"'`])@([^\s@]*)$/.exec(before);
  if (!mention) return undefined;
  const query = mention[1] ?? '';
  return { kind: 'mention', start: caret - query.length - 1, query };
}

/** The text with the name in the place of what was typed of it, and where the cursor goes. */
export function completed(
  text: string,
  caret: number,
  { kind, start }: Trigger,
  name: string,
): { readonly text: string; readonly caret: number } {
  const written = `${kind === 'mention' ? '@' : '/'}${name}`;
  const rest = text.slice(caret);
  const space = /^\s/.test(rest) ? '' : ' ';
  return { text: text.slice(0, start) + written + space + rest, caret: start + written.length + 1 };
}

/** The text with the word of a kind behind the sign, whose list stays open. */
export function narrowed(
  text: string,
  caret: number,
  { start }: Trigger,
  word: string,
): { readonly text: string; readonly caret: number } {
  const written = `@${word}:`;
  return { text: text.slice(0, start) + written + text.slice(caret), caret: start + written.length };
}
