import type { AuthorTurn } from './authorSteps';
import type { Certainty, LineAuthor } from './lineAuthors';

const certaintyTexts: Readonly<Record<Certainty, string>> = {
  written: 'Written in this turn',
  reformatted: 'Written in this turn, reformatted since',
  edited: 'Edited since by you or another program',
  command: 'Changed while this turn ran a command',
};

export function certaintyText({ certainty }: LineAuthor<AuthorTurn>): string {
  return certaintyTexts[certainty];
}

const minuteMs = 60_000;
const units = [
  ['minute', minuteMs],
  ['hour', 60 * minuteMs],
  ['day', 24 * 60 * minuteMs],
] as const;

/** Returns how long ago a moment is, in the largest unit that fits. */
function ageText(atMs: number, nowMs: number): string {
  const ageMs = Math.max(0, nowMs - atMs);
  const [unit, sizeMs] = units.findLast(([, size]) => ageMs >= size) ?? ['minute', minuteMs];
  return new Intl.RelativeTimeFormat('en', { numeric: 'auto' }).format(
    ageMs < minuteMs ? 0 : -Math.floor(ageMs / sizeMs),
    unit,
  );
}

/** Returns the agent, its model and the age of a turn, in one line. Names of agents and models are untrusted text. */
export function turnText(agent: string, { model, startedAt }: AuthorTurn, nowMs: number): string {
  return [agent, ...(model ? [model.name] : []), ageText(startedAt, nowMs)].join(' · ');
}

export function promptText({ promptLine }: AuthorTurn): string {
  return promptLine === '' ? 'The agent did this without a prompt.' : `“${promptLine}”`;
}
