/** A mention (`@`) that the user is typing, or a command (`/`) at the start of the text. */
export interface CompletionTrigger {
  readonly kind: 'mention' | 'command';
  readonly start: number;
  readonly query: string;
}

const maxQueryUnits = 200;

/** Finds the trigger before the caret. `caret` is an index into `text`. */
export function findTrigger(text: string, caret: number): CompletionTrigger | undefined {
  const before = text.slice(Math.max(caret - maxQueryUnits, 0), caret);
  const command = /^\/(\S*)$/.exec(text.slice(0, Math.min(caret, maxQueryUnits)));
  if (command && caret <= maxQueryUnits) return { kind: 'command', start: 0, query: command[1] ?? '' };
  const mention = /(?:^|[\s([{"'`])@([^\s@]*)$/.exec(before);
  if (!mention) return undefined;
  const query = mention[1] ?? '';
  return { kind: 'mention', start: caret - query.length - 1, query };
}

/** Replaces the query with the name. Returns the new text and caret. */
export function insertSuggestedName(
  text: string,
  caret: number,
  { kind, start }: CompletionTrigger,
  name: string,
): { readonly text: string; readonly caret: number } {
  const written = `${kind === 'mention' ? '@' : '/'}${name}`;
  const rest = text.slice(caret);
  const space = /^\s/.test(rest) ? '' : ' ';
  return { text: text.slice(0, start) + written + space + rest, caret: start + written.length + 1 };
}

/** Replaces the query with a kind and a colon. Returns the new text and caret. The list stays open. */
export function insertMentionKind(
  text: string,
  caret: number,
  { start }: CompletionTrigger,
  word: string,
): { readonly text: string; readonly caret: number } {
  const written = `@${word}:`;
  return { text: text.slice(0, start) + written + text.slice(caret), caret: start + written.length };
}
