import type { ApprovalView } from '../chatView';

type Question = Pick<ApprovalView, 'id' | 'asks' | 'expiresInMs'>;

/**
 * In which order open questions are gone through: those that have a deadline first, the nearest before the others; then
 * agent by agent, each as it asked.
 */
export function inOrder<Open extends Question>(questions: readonly Open[]): Open[] {
  const agents = [...new Set(questions.map(({ asks }) => asks))];
  return questions.toSorted((one, other) => {
    const [first, second] = [one.expiresInMs, other.expiresInMs];
    if (first !== undefined && second !== undefined) return first - second;
    if (first !== undefined || second !== undefined) return first === undefined ? 1 : -1;
    return agents.indexOf(one.asks) - agents.indexOf(other.asks);
  });
}

/**
 * The question to show. The one in view stays as long as it is open, whatever comes; after it one with a deadline, then one
 * of the same agent.
 */
export function shownQuestion<Open extends Question>(
  ordered: readonly Open[],
  inView: Pick<Question, 'id' | 'asks'> | undefined,
): Open | undefined {
  return (
    ordered.find(({ id }) => id === inView?.id) ??
    ordered.find(({ expiresInMs }) => expiresInMs !== undefined) ??
    ordered.find(({ asks }) => asks === inView?.asks) ??
    ordered[0]
  );
}
