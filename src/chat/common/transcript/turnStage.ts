/** The state of a conversation with respect to its turns. `Turn` is the data kept for one. */
export type TurnStage<Turn> =
  | { readonly at: 'rest' }
  /** The agent began the turn without a prompt. */
  | { readonly at: 'unasked'; readonly turn: Turn }
  /** The user sent a prompt here; the backend has not reported it yet. */
  | { readonly at: 'sent'; readonly turn: Turn }
  | { readonly at: 'running'; readonly turn: Turn }
  /** The backend replays a past turn. */
  | { readonly at: 'replayed'; readonly turn: Turn }
  /**
   * The user stopped a turn, and the backend has still to report its end; with `owesPrompt`, its prompt before that.
   * `next` is the turn of a newer prompt.
   */
  | { readonly at: 'stopped'; readonly owesPrompt: boolean; readonly next: Turn | undefined };

export type TurnStep<Turn> =
  /** The user sent a prompt. */
  | { readonly kind: 'prompted'; readonly turn: Turn }
  /** The backend reported a prompt that was sent here. */
  | { readonly kind: 'echoed' }
  /** The backend reported a prompt that was sent elsewhere, or a turn that seemed over continues. */
  | { readonly kind: 'begun'; readonly turn: Turn; readonly isReplayed: boolean }
  | { readonly kind: 'unasked'; readonly turn: Turn }
  /** The user stopped the turn. `inBackend`: the backend has the prompt, or is about to get it. */
  | { readonly kind: 'stopped'; readonly inBackend: boolean }
  /** The last prompt was not accepted. */
  | { readonly kind: 'withdrawn' }
  /** The turn ended; if it was stopped, the backend has confirmed that. */
  | { readonly kind: 'ended' };

export function nextStage<Turn>(stage: TurnStage<Turn>, step: TurnStep<Turn>): TurnStage<Turn> {
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

/** Returns the open turn, even if the backend has still to report the end of the one before. */
export function openTurn<Turn>(stage: TurnStage<Turn>): Turn | undefined {
  if (stage.at === 'rest') return undefined;
  return stage.at === 'stopped' ? stage.next : stage.turn;
}

/** Whether a turn with a prompt is open. */
export function hasPromptedTurn<Turn>(stage: TurnStage<Turn>): boolean {
  return stage.at !== 'unasked' && openTurn(stage) !== undefined;
}

/** Whether the backend has not yet reported the prompt of the open turn. */
export function isStarting<Turn>(stage: TurnStage<Turn>): boolean {
  return stage.at === 'sent' || (stage.at === 'stopped' && stage.next !== undefined);
}
