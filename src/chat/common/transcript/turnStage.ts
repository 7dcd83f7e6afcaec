/** The state of a conversation with respect to its turns. `Turn` is the data kept for one. */
export type TurnStage<Turn> =
  | { readonly kind: 'idle' }
  /** The agent began the turn without a prompt. */
  | { readonly kind: 'unprompted'; readonly turn: Turn }
  /** The user sent a prompt here; the backend has not reported it yet. */
  | { readonly kind: 'sent'; readonly turn: Turn }
  | { readonly kind: 'running'; readonly turn: Turn }
  /** The backend replays a past turn. */
  | { readonly kind: 'replayed'; readonly turn: Turn }
  /**
   * The user stopped a turn, and the backend has yet to report its end; with `awaitsPrompt`, its prompt before that.
   * `next` is the turn of a newer prompt.
   */
  | { readonly kind: 'stopped'; readonly awaitsPrompt: boolean; readonly next: Turn | undefined };

export type TurnStep<Turn> =
  | { readonly kind: 'prompted'; readonly turn: Turn }
  /** The backend reported a prompt that was sent here. */
  | { readonly kind: 'echoed' }
  /** The backend reported a prompt that was sent elsewhere, or a turn that seemed over continues. */
  | { readonly kind: 'begun'; readonly turn: Turn; readonly isReplayed: boolean }
  | { readonly kind: 'unprompted'; readonly turn: Turn }
  /** The user stopped the turn. `inBackend`: the backend has the prompt, or is about to get it. */
  | { readonly kind: 'stopped'; readonly inBackend: boolean }
  /** The last prompt was not accepted. */
  | { readonly kind: 'withdrawn' }
  /** The turn ended; if it was stopped, the backend has confirmed that. */
  | { readonly kind: 'ended' };

export function nextStage<Turn>(stage: TurnStage<Turn>, step: TurnStep<Turn>): TurnStage<Turn> {
  switch (step.kind) {
    case 'prompted':
      return stage.kind === 'stopped' ? { ...stage, next: step.turn } : { kind: 'sent', turn: step.turn };
    case 'echoed':
      if (stage.kind === 'sent') return { kind: 'running', turn: stage.turn };
      if (stage.kind !== 'stopped') return stage;
      if (stage.awaitsPrompt) return { ...stage, awaitsPrompt: false };
      return stage.next ? { kind: 'running', turn: stage.next } : { kind: 'idle' };
    case 'begun':
      return { kind: step.isReplayed ? 'replayed' : 'running', turn: step.turn };
    case 'unprompted':
      return { kind: 'unprompted', turn: step.turn };
    case 'stopped':
      if (step.inBackend) return { kind: 'stopped', awaitsPrompt: isPromptUnconfirmed(stage), next: undefined };
      return stage.kind === 'stopped' ? { ...stage, next: undefined } : { kind: 'idle' };
    case 'withdrawn':
      return stage.kind === 'stopped' ? { ...stage, next: undefined } : { kind: 'idle' };
    case 'ended':
      return stage.kind === 'stopped' && stage.next ? { kind: 'sent', turn: stage.next } : { kind: 'idle' };
  }
}

/** Returns the open turn, even if the backend has yet to report the end of the one before. */
export function turnOf<Turn>(stage: TurnStage<Turn>): Turn | undefined {
  if (stage.kind === 'idle') return undefined;
  return stage.kind === 'stopped' ? stage.next : stage.turn;
}

export function hasPromptedTurn<Turn>(stage: TurnStage<Turn>): boolean {
  return stage.kind !== 'unprompted' && turnOf(stage) !== undefined;
}

/** Whether the backend has not yet reported the prompt of the open turn. */
export function isPromptUnconfirmed<Turn>(stage: TurnStage<Turn>): boolean {
  return stage.kind === 'sent' || (stage.kind === 'stopped' && stage.next !== undefined);
}
