import type { EntryOf, Part } from './entries';

/** Returns a short reason why a call failed although its state is `done`. */
export function toolFailureText({ error, parts, state }: EntryOf<'tool'>): string | undefined {
  if (state !== 'done') return undefined;
  const exits = parts.flatMap((part) => (part.type === 'terminal' ? (exitFailureText(part) ?? []) : []));
  return exits[0] ?? (error === undefined ? undefined : 'Error');
}

function exitFailureText({ exitCode, signal }: Extract<Part, { type: 'terminal' }>): string | undefined {
  if (signal !== undefined) return `Ended by ${signal}`;
  if (exitCode === null) return 'Ended by a signal';
  return exitCode === undefined || exitCode === 0 ? undefined : `Exit code ${exitCode}`;
}
