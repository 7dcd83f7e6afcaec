import type { ApprovalOptionKind } from './sessionEvents';

/** Nothing but these: "No restrictions" denies nothing. */
const denyWords =
  /^(?:deny|denied|reject|rejected|refuse|decline|no)(?:,? (?:(?:this )?once|all|always|this time))?[.!]?$/iu;

/**
 * The listed option that denies, as it is listed. A `reject_once` before a `reject_always`, "Deny" before "Deny All":
 * the smallest denial that there is. Undefined when nothing listed denies.
 */
export function denyOption(options: readonly string[], kinds?: readonly ApprovalOptionKind[]): string | undefined {
  if (kinds?.length === options.length) {
    const once = kinds.indexOf('reject_once');
    const index = once === -1 ? kinds.indexOf('reject_always') : once;
    if (index !== -1) return options[index];
  }
  return options.find((option) => option.trim().toLowerCase() === 'deny') ?? options.find(isDenial);
}

/**
 * Whether a decision is a denial by its words, all of them. What is not known to deny counts as allowed, as servers take it.
 */
export function isDenial(decision: string): boolean {
  return denyWords.test(decision.trim());
}

/** The reason of an approval whose request was withdrawn. */
export const withdrawnReason = 'The request was withdrawn.';

/** Reasons of an approval that nobody has denied: it can no longer be answered. */
const takenBack: ReadonlySet<string> = new Set([
  'turn_ended',
  'answered_elsewhere',
  'unanswerable',
  withdrawnReason,
  // In conversations that earlier versions kept.
  'The question was withdrawn.',
]);

export function isTakenBack(reason: string | undefined): boolean {
  return reason !== undefined && takenBack.has(reason);
}
