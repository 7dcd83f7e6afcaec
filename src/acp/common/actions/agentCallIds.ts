const actionPrefix = 'backline-action-';
const likeActionId = /^(?:agent )*backline-action-/;

/** Id of the entry that shows an action of Backline. No id of an agent's call is ever the same. */
export function actionIdOf(number: number): string {
  return `${actionPrefix}${number}`;
}

/** The agent's own id of a call, from its id of this session. */
export function wireIdOf(callId: string): string {
  return likeActionId.test(callId) ? callId.replace(/^agent /, '') : callId;
}

/** Turns an id of an agent's call into an id of this session. Different ids stay different. */
export function agentCallIdOf(id: string): string {
  return likeActionId.test(id) ? `agent ${id}` : id;
}
