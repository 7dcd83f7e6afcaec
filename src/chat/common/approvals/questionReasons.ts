/** What names a question: ids are unique only within one session of an agent, and one that starts again gives them once more. */
interface QuestionName {
  readonly sessionId: string;
  readonly id: string;
  readonly prompt: string;
}

/** Why the user denies what a question asks for, as far as it is written. */
export interface QuestionReason extends QuestionName {
  readonly reason: string;
  /** It has gone to the agent, and is only shown until the question is gone. */
  readonly isSent?: boolean | undefined;
}

/** The oldest go first. */
const mostReasons = 20;

export function reasonFor(kept: readonly QuestionReason[], question: QuestionName): string | undefined {
  return kept.find((each) => isSame(each, question))?.reason;
}

/** With another reason for the question, or none. */
export function withReason(
  kept: readonly QuestionReason[],
  { id, prompt, sessionId }: QuestionName,
  reason: string | undefined,
): readonly QuestionReason[] {
  const others = kept.filter((each) => each.sessionId !== sessionId || each.id !== id);
  return reason === undefined ? others : [...others, { sessionId, id, prompt, reason }].slice(-mostReasons);
}

export function withReasonSent(kept: readonly QuestionReason[], question: QuestionName): readonly QuestionReason[] {
  return kept.map((each) => (isSame(each, question) ? { ...each, isSent: true } : each));
}

/** Without those of the conversation's questions that are not open any more. Of other conversations nothing is known. */
export function withoutGone(
  kept: readonly QuestionReason[],
  sessionId: string,
  open: readonly Omit<QuestionName, 'sessionId'>[],
): readonly QuestionReason[] {
  const left = kept.filter(
    (each) => each.sessionId !== sessionId || open.some(({ id, prompt }) => isSame(each, { sessionId, id, prompt })),
  );
  return left.length === kept.length ? kept : left;
}

function isSame(one: QuestionName, other: QuestionName): boolean {
  return one.sessionId === other.sessionId && one.id === other.id && one.prompt === other.prompt;
}
