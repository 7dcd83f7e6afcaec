import * as z from 'zod';
import type { InstalledAgent } from './install/agentInstall';

const maxAccountUnits = 40;
const accountPattern = /^[\p{L}\p{N}](?:[\p{L}\p{N} ._-]*[\p{L}\p{N}])?$/u;

/** The name of a further account of an installed agent, such as "Work". It is part of the id of its backend. */
export const AccountName = z.string().max(maxAccountUnits).regex(accountPattern);

/** An installed agent, or a further account of it: the same program with its own keys. */
export type AgentOrAccount = InstalledAgent & { readonly account?: string };

/** Each agent, followed by its accounts. */
export function agentsAndTheirAccounts(agents: readonly InstalledAgent[]): readonly AgentOrAccount[] {
  return agents.flatMap((agent) => [agent, ...(agent.accounts ?? []).map((account) => ({ ...agent, account }))]);
}

/** Returns why an account cannot have this name, as a sentence. Undefined if it can. */
export function accountNameProblem(name: string, taken: readonly string[]): string | undefined {
  const trimmed = name.trim();
  if (trimmed === '') return 'Enter a name for the account.';
  if (trimmed.length > maxAccountUnits) return `A name has at most ${maxAccountUnits} characters.`;
  if (!accountPattern.test(trimmed)) return 'Use letters, digits, spaces, dots, hyphens and underscores.';
  const isTaken = taken.some((other) => other.toLowerCase() === trimmed.toLowerCase());
  return isTaken ? `There is already an account with the name “${trimmed}”.` : undefined;
}
