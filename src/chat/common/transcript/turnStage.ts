/** Where a conversation is in its turns. `Turn` is what is kept of one. */
export type TurnStage<Turn> =
  | { readonly at: 'rest' }
  /** The agent says something without having been asked. */
  | { readonly at: 'unasked'; readonly turn: Turn }
  /** The prompt was written here, and the backend has not told it yet. */
  | { readonly at: 'sent'; readonly turn: Turn }
  | { readonly at: 'running'; readonly turn: Turn }
  /** The backend tells a turn of the past. */
  | { readonly at: 'replayed'; readonly turn: Turn }
  /**
   * The user has stopped a turn whose end the backend has still to tell, and before that its prompt when it `owesPrompt`.
   * `next` is the turn of a prompt that was written since.
   */
  | { readonly at: 'stopped'; readonly owesPrompt: boolean; readonly next: Turn | undefined };

export type TurnStep<Turn> =
  /** The user has written a prompt. */
  | { readonly kind: 'prompted'; readonly turn: Turn }
  /** The backend tells a prompt that was written here. */
  | { readonly kind: 'echoed' }
  /** The backend tells a prompt that was written elsewhere, or a turn goes on that seemed to be over. */
  | { readonly kind: 'begun'; readonly turn: Turn; readonly isReplayed: boolean }
  | { readonly kind: 'unasked'; readonly turn: Turn }
  /** By the user. `inBackend`: the backend has the prompt, or is about to get it. */
  | { readonly kind: 'stopped'; readonly inBackend: boolean }
  /** The prompt that was written last was never said. */
  | { readonly kind: 'withdrawn' }
  /** The turn has ended; of one that was stopped, in the backend too. */
  | { readonly kind: 'ended' };

export function stageAfter<Turn>(stage: TurnStage<Turn>, step: TurnStep<Turn>): TurnStage<Turn> {
  switch (step.kind) {
    case 'prompted':
      return stage.at === 'stopped' ? { ...stage, next: step.turn } : { at: 'sent', turn: step.turn };
    case 'echoed':
      if (stage.at === 'sent') return { at: 'running', turn: stage.turn };
      if (stage.at !== 'stopped') return stage;
      if (stage.owesPrompt) return { ...stage, owesPrompt: false };
      return stage.next ? { at: 'running', turn: stage.next } : { at: 'rest' };
    case 'begun':
      return { at: step.isReplayed ? 'replayed' : 'running', turn: step.turn };
    case 'unasked':
      return { at: 'unasked', turn: step.turn };
    case 'stopped':
      if (step.inBackend) return { at: 'stopped', owesPrompt: isStarting(stage), next: undefined };
      return stage.at === 'stopped' ? { ...stage, next: undefined } : { at: 'rest' };
    case 'withdrawn':
      return stage.at === 'stopped' ? { ...stage, next: undefined } : { at: 'rest' };
    case 'ended':
      return stage.at === 'stopped' && stage.next ? { at: 'sent', turn: stage.next } : { at: 'rest' };
  }
}

/** The turn that is open here, whatever the backend has still to tell of the one before it. */
export function openTurn<Turn>(stage: TurnStage<Turn>): Turn | undefined {
  if (stage.at === 'rest') return undefined;
  return stage.at === 'stopped' ? stage.next : stage.turn;
}

/** Whether a turn is open that somebody has asked for. */
export function isAsked<Turn>(stage: TurnStage<Turn>): boolean {
  return stage.at !== 'unasked' && openTurn(stage) !== undefined;
}

/** Whether the backend has still to tell the prompt of the open turn. */
export function isStarting<Turn>(stage: TurnStage<Turn>): boolean {
  return stage.at === 'sent' || (stage.at === 'stopped' && stage.next !== undefined);
}
