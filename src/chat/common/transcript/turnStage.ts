/** The current stage of a conversation's turns. `Turn` is the data that is kept for a turn. */
export type TurnStage<Turn> =
  | { readonly kind: 'idle' }
  /** The agent has started the turn without a prompt. */
  | { readonly kind: 'unprompted'; readonly turn: Turn }
  /**
   * This window has sent a prompt that the backend has not reported yet. What is complete before that is a turn that the agent
   * began itself.
   */
  | { readonly kind: 'sent'; readonly turn: Turn }
  | { readonly kind: 'running'; readonly turn: Turn }
  /** The turn of another client, which began before the backend got the prompt that this window has sent (`next`). */
  | { readonly kind: 'others'; readonly turn: Turn; readonly next: Turn }
  /** The backend replays a past turn. */
  | { readonly kind: 'replayed'; readonly turn: Turn }
  /**
   * The user has stopped a turn, and the backend has not reported its end yet. `unreported`: that turn, if the backend has not
   * reported its prompt either. `next` is the turn of a newer prompt.
   */
  | { readonly kind: 'stopped'; readonly unreported: Turn | undefined; readonly next: Turn | undefined };

export type StageInput<Turn> =
  | { readonly kind: 'prompted'; readonly turn: Turn }
  /** The backend has reported a prompt that this window has sent. */
  | { readonly kind: 'echoed' }
  /**
   * The backend has reported a prompt from another client, or a turn that was recorded as ended continues. `next`: the prompt of
   * this window that waits for its end.
   */
  | { readonly kind: 'begun'; readonly turn: Turn; readonly isReplayed: boolean; readonly next?: Turn | undefined }
  | { readonly kind: 'unprompted'; readonly turn: Turn }
  /** The user has stopped the turn. `inBackend`: the backend has received the prompt or will receive it. */
  | { readonly kind: 'stopped'; readonly inBackend: boolean }
  /** The last prompt was not accepted. */
  | { readonly kind: 'withdrawn' }
  /** The turn has ended. If the user had stopped it, the backend has confirmed that. */
  | { readonly kind: 'ended' };

export function nextStage<Turn>(stage: TurnStage<Turn>, step: StageInput<Turn>): TurnStage<Turn> {
  switch (step.kind) {
    case 'prompted':
      return stage.kind === 'stopped' ? { ...stage, next: step.turn } : { kind: 'sent', turn: step.turn };
    case 'echoed':
      if (stage.kind === 'sent') return { kind: 'running', turn: stage.turn };
      if (stage.kind !== 'stopped') return stage;
      if (stage.unreported !== undefined) return { ...stage, unreported: undefined };
      return stage.next ? { kind: 'running', turn: stage.next } : { kind: 'idle' };
    case 'begun':
      if (step.next !== undefined) return { kind: 'others', turn: step.turn, next: step.next };
      return { kind: step.isReplayed ? 'replayed' : 'running', turn: step.turn };
    case 'unprompted':
      return { kind: 'unprompted', turn: step.turn };
    case 'stopped':
      if (step.inBackend) {
        const unreported = isPromptUnconfirmed(stage) ? turnOf(stage) : undefined;
        return { kind: 'stopped', unreported, next: undefined };
      }
      return stage.kind === 'stopped' ? { ...stage, next: undefined } : { kind: 'idle' };
    case 'withdrawn':
      if (stage.kind === 'others') return { kind: 'running', turn: stage.turn };
      return stage.kind === 'stopped' ? { ...stage, next: undefined } : { kind: 'idle' };
    case 'ended':
      return stage.kind === 'stopped' && stage.next ? { kind: 'sent', turn: stage.next } : { kind: 'idle' };
  }
}

/** Returns the open turn, even if the backend has not reported the end of the previous turn yet. */
export function turnOf<Turn>(stage: TurnStage<Turn>): Turn | undefined {
  if (stage.kind === 'idle') return undefined;
  return stage.kind === 'stopped' ? stage.next : stage.turn;
}

export function hasPromptedTurn<Turn>(stage: TurnStage<Turn>): boolean {
  return stage.kind !== 'unprompted' && turnOf(stage) !== undefined;
}

/** Whether the backend has not yet reported the prompt of the open turn. */
export function isPromptUnconfirmed<Turn>(stage: TurnStage<Turn>): boolean {
  return stage.kind === 'sent' || stage.kind === 'others' || (stage.kind === 'stopped' && stage.next !== undefined);
}
