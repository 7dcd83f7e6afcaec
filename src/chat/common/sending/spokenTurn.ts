import type { Entry } from '../../../transcript/common/entries';

/** What an agent has said in a turn that has ended. */
export interface SpokenTurn {
  /** Id of the conversation. */
  readonly conversation: string;
  /** Title of the agent. */
  readonly agent: string;
  /** Its answers as Markdown, which is not trusted. */
  readonly text: string;
}

/** Joins what the agent has said since the prompt that began the last turn. `newestFirst`: the entries of a conversation, the last one first. */
export function answersOfLastTurn(newestFirst: Iterable<Entry>): string {
  const texts: string[] = [];
  for (const entry of newestFirst) {
    if (entry.kind === 'prompt' && entry.isSteered !== true) break;
    if (entry.kind === 'answer') texts.push(entry.text);
  }
  return texts.toReversed().join('\n\n');
}
