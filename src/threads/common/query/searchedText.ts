import type { TextKind } from '../threadPorts';

/** For the list of what was found. */
export const textKindWords: Readonly<Record<TextKind, string>> = {
  prompt: 'Prompt',
  answer: 'Answer',
  thinking: 'Thinking',
  command: 'Command',
  path: 'File',
  call: 'Tool input',
  output: 'Tool output',
  note: 'Note',
  details: 'Details',
};

export interface SearchedText {
  /** Of the entry that shows it; empty for what is said of the thread as a whole. */
  readonly entryId: string;
  readonly kind: TextKind;
  readonly text: string;
}

/** Those that are most likely looked for. They are kept apart from the others, which are many times as long. */
export function isConversation(kind: TextKind): kind is 'prompt' | 'answer' {
  return kind === 'prompt' || kind === 'answer';
}

/**
 * In UTF-16 units: of what was asked of a tool, and of what it gave back, the beginning and the end can be found. It is most
 * of a store: without a limit the index would be as large.
 */
export const maxToolTextUnits = 2048;
const toolTextEndUnits = 512;
/** Of any other text its beginning can be found. */
export const maxTextUnits = 1_000_000;
/** Of all texts of a thread that are neither prompts nor answers. */
export const maxWorkUnits = 8 * 1024 * 1024;

/** What can be found of a text. */
export function searchedPart(text: string, kind: TextKind): string {
  if (kind !== 'output' && kind !== 'call') return text.length > maxTextUnits ? text.slice(0, maxTextUnits) : text;
  if (text.length <= maxToolTextUnits) return text;
  return `${text.slice(0, maxToolTextUnits - toolTextEndUnits)}\n${text.slice(-toolTextEndUnits)}`;
}
