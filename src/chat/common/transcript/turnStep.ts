import type { OpenBlock } from './blockEntries';
import type { RunningCall } from './toolEntries';

/** What an agent is doing in its turn. `since`: milliseconds since the epoch. */
export type TurnStep = RunningCall | OpenBlock;

export function isSameStep(one: TurnStep | undefined, other: TurnStep | undefined): boolean {
  if (one?.kind === 'running' && other?.kind === 'running') {
    return one.title === other.title && one.since === other.since && one.count === other.count;
  }
  return one?.kind === other?.kind;
}
