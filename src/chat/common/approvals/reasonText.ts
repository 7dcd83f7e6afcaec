/** The approval in view, if it can be denied with a reason. */
export interface ReasonTarget {
  /** Unique among the approvals of all conversations. */
  readonly key: string;
  /** Whether an answer is on its way, so that no reason for it can be begun. */
  readonly isAnswering: boolean;
}

/** The composer's text, and the key of the approval that was in view when the user began to type it. */
export interface BegunText {
  readonly text: string;
  readonly begunFor: string | undefined;
}

/**
 * What Enter makes of the text: a `reason` that denies the approval in view, or else a prompt. The others say why it is no
 * reason: a `command` of the agent, begun `earlier` than the approval came, or for one that has `changed` to another or is `over`.
 */
export type TextPurpose = 'prompt' | 'reason' | 'command' | 'earlier' | 'changed' | 'over';

/**
 * Returns the state after the text has changed. `typed` is set if the user has typed it in the composer: text from elsewhere,
 * such as the history, the queue or a saved draft, was a prompt, and is never a reason.
 */
export function changeText(
  before: BegunText,
  text: string,
  typed?: { readonly target: ReasonTarget | undefined },
): BegunText {
  if (isBlank(text)) return { text, begunFor: undefined };
  if (!typed) return { text, begunFor: text === before.text ? before.begunFor : undefined };
  if (!isBlank(before.text)) return { text, begunFor: before.begunFor };
  return { text, begunFor: typed.target?.isAnswering ? undefined : typed.target?.key };
}

/** Without text there is no reason, so that Enter alone never answers an approval. */
export function purposeOfText(
  { begunFor, text }: BegunText,
  target: ReasonTarget | undefined,
  commandNames: readonly string[],
): TextPurpose {
  if (isBlank(text)) return 'prompt';
  if (begunFor !== undefined && begunFor !== target?.key) return target ? 'changed' : 'over';
  if (!target) return 'prompt';
  if (isCommandText(text, commandNames)) return 'command';
  if (begunFor !== undefined) return 'reason';
  return target.isAnswering ? 'prompt' : 'earlier';
}

function isBlank(text: string): boolean {
  return text.trim() === '';
}

/** Agents also run commands that the page does not know. A path is none. */
export function isCommandText(text: string, names: readonly string[]): boolean {
  const name = /^\s*\/(\S+)/.exec(text)?.[1];
  return name !== undefined && (names.includes(name) || !name.includes('/'));
}
