import type { ApprovalOptionKind } from './sessionEvents';

/** Matches only whole options: "No" is a denial, but "No restrictions" is not. */
const denyWords =
  /^(?:deny|denied|reject|rejected|refuse|decline|no)(?:,? (?:(?:this )?once|all|always|this time))?[.!]?$/iu;

/** Returns the denying option with the smallest scope, such as "Deny" before "Deny All"; undefined without one. */
export function findDenyOption(options: readonly string[], kinds?: readonly ApprovalOptionKind[]): string | undefined {
  if (kinds?.length === options.length) {
    const once = kinds.indexOf('reject_once');
    const index = once === -1 ? kinds.indexOf('reject_always') : once;
    if (index !== -1) return options[index];
  }
  return options.find((option) => option.trim().toLowerCase() === 'deny') ?? options.find(isDenial);
}

/** Whether the decision is a known denial. Like servers, treats every other decision as permission. */
export function isDenial(decision: string): boolean {
  return denyWords.test(decision.trim());
}

export const requestWithdrawnReason = 'The request was withdrawn.';
/** The agent has changed what it asks for, and the new request follows. */
export const requestChangedReason = 'The request has changed.';

/** Reasons for which the agent withdraws approvals. The user did not deny them. */
const takenBack: ReadonlySet<string> = new Set([
  'turn_ended',
  'answered_elsewhere',
  'unanswerable',
  requestWithdrawnReason,
  requestChangedReason,
  // Conversations of earlier versions contain these reasons.
  'The question was withdrawn.',
]);

export function isWithdrawnReason(reason: string | undefined): boolean {
  return reason !== undefined && takenBack.has(reason);
}
