import type { EntryOf, Part } from './entries';

/** Returns a short reason why a call failed although its state is `done`. */
export function toolFailureText({ error, parts, state }: EntryOf<'tool'>): string | undefined {
  if (state !== 'done') return undefined;
  const exits = parts.flatMap((part) => (part.type === 'terminal' ? (exitFailureText(part) ?? []) : []));
  return exits[0] ?? (error === undefined ? undefined : 'error');
}

function exitFailureText({ exitCode, signal }: Extract<Part, { type: 'terminal' }>): string | undefined {
  if (signal !== undefined) return `ended by ${signal}`;
  if (exitCode === null) return 'ended by a signal';
  return exitCode === undefined || exitCode === 0 ? undefined : `exit code ${exitCode}`;
}
