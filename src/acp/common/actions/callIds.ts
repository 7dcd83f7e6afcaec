import type { ToolCallPatch } from '../session/agentMessages';

const actionPrefix = 'backline-action-';
const likeActionId = /^(?:agent )*backline-action-/;

/** Id of the entry that shows an action of Backline. No id of an agent's call is ever the same. */
export function actionIdOf(number: number): string {
  return `${actionPrefix}${number}`;
}

/** Turns an id of an agent's call into an id of this session. Different ids stay different. */
export function agentCallIdOf(id: string): string {
  return likeActionId.test(id) ? `agent ${id}` : id;
}

/** Whether an update says what a call is, and that it has not ended. Some agents use the same ids in each turn. */
export function isBeginning({ kind, name, rawInput, status, title }: ToolCallPatch): boolean {
  return (
    (status === 'pending' || status === 'in_progress') &&
    [kind, name, rawInput, title].some((member) => member !== undefined && member !== null)
  );
}
