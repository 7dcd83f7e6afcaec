export const textKinds = [
  'prompt',
  'answer',
  'thinking',
  'command',
  'path',
  'call',
  'output',
  'note',
  'details',
] as const;
export type TextKind = (typeof textKinds)[number];

/** Labels in the list of search results. */
export const textKindLabels: Readonly<Record<TextKind, string>> = {
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

/** The number of documents that are indexed for the search. */
export interface TextCoverage {
  readonly indexed: number;
  readonly total: number;
}

export interface SearchableText {
  /** Id of the entry that shows the text. Empty for details of the whole document. */
  readonly entryId: string;
  readonly kind: TextKind;
  readonly text: string;
}

/** Whether a text is part of the conversation. Other texts are much longer and stored separately. */
export function isConversationKind(kind: TextKind): kind is 'prompt' | 'answer' {
  return kind === 'prompt' || kind === 'answer';
}

/** Maximum length of a tool's input or output, in UTF-16 units. Of longer ones, both ends are indexed. */
export const maxToolTextUnits = 2048;
const toolTextEndUnits = 512;
/** Maximum length of a text, in UTF-16 units. Only the beginning of longer texts is indexed. */
export const maxTextUnits = 1_000_000;
/** Maximum length of all texts of a document that are neither prompts nor answers, in UTF-16 units. */
export const maxNonConversationUnits = 8 * 1024 * 1024;

/** Truncates a text to the part that is indexed. */
export function cutToSearchablePart(text: string, kind: TextKind): string {
  if (kind !== 'output' && kind !== 'call') return text.length > maxTextUnits ? text.slice(0, maxTextUnits) : text;
  if (text.length <= maxToolTextUnits) return text;
  return `${text.slice(0, maxToolTextUnits - toolTextEndUnits)}\n${text.slice(-toolTextEndUnits)}`;
}
