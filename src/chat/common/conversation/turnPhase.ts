import { BackendError, type BackendSession, type PromptInput } from '../../../session/common/sessionBackend';
import type { DraftAttachment, QueuedPrompt } from '../chatView';
import type { NewRecord } from './logRecord';

/** A prompt that is ready to be sent, and the session for it. */
export interface PreparedPrompt {
  readonly session: BackendSession;
  readonly input: PromptInput & Required<Pick<PromptInput, 'attachments' | 'reminder'>>;
  /** What the attachments were resolved from. */
  readonly drafts: readonly DraftAttachment[];
}

/** The phase of a conversation's current turn. Effects update the transcript accordingly. */
export type TurnPhase =
  /** No turn is running. `failure`: why the last prompt was not accepted. */
  | { readonly kind: 'idle'; readonly failure?: BackendError }
  /** The session is being connected and attachments are resolved. Nothing was sent yet. */
  | { readonly kind: 'connecting'; readonly prompt: QueuedPrompt }
  /** The prompt was sent to the backend. `prompt` is set until the backend has accepted it. */
  | { readonly kind: 'sent'; readonly session: BackendSession; readonly prompt?: QueuedPrompt }
  /** The user has stopped the turn, and the backend was asked to end it. */
  | {
      readonly kind: 'stopping';
      readonly session: BackendSession;
      /** Number of outstanding responses: to cancel requests, and to the prompt if it is not accepted yet. */
      readonly pendingResponses: number;
      /** Id of the prompt if it is not accepted yet. */
      readonly promptId?: string | undefined;
      readonly next?: QueuedPrompt | undefined;
    }
  /** Checks whether the turn continues after its window was closed. `isStopped`: the user wants it to end. */
  | { readonly kind: 'resuming'; readonly isStopped: boolean; readonly next?: QueuedPrompt | undefined }
  | { readonly kind: 'closed' };

export type TurnInput =
  | { readonly type: 'prompt'; readonly prompt: QueuedPrompt }
  | { readonly type: 'connected'; readonly promptId: string; readonly delivery: PreparedPrompt }
  | { readonly type: 'accepted'; readonly promptId: string }
  /**
   * The prompt was refused. `isUnseen`: the backend has reported no event of the turn. `isOthersTurn`: because the turn of
   * another client runs.
   */
  | {
      readonly type: 'refused';
      readonly promptId: string;
      readonly error: BackendError;
      readonly isUnseen: boolean;
      readonly isOthersTurn: boolean;
    }
  /** An event has ended the turn. */
  | { readonly type: 'ended' }
  /** The session has ended. `isBusy`: during a turn; `isSettling`: before it confirmed the end of a stopped turn. */
  | { readonly type: 'lost'; readonly isBusy: boolean; readonly isSettling: boolean }
  /**
   * The user stops the turn in `session`. Another client may have started the turn. `isActing`: the agent works there, perhaps
   * without a prompt.
   */
  | {
      readonly type: 'stop';
      readonly isBusy: boolean;
      readonly isActing: boolean;
      readonly session: BackendSession | undefined;
    }
  | { readonly type: 'cancelled' }
  | { readonly type: 'resume' }
  /** The check is done. `session`: a turn still runs in it. `isBusy`: the prompt of this turn was reported. */
  | { readonly type: 'checked'; readonly session: BackendSession | undefined; readonly isBusy: boolean }
  | { readonly type: 'close' };

export type TurnEffect =
  | { readonly type: 'begin'; readonly prompt: QueuedPrompt }
  | { readonly type: 'record'; readonly record: NewRecord }
  /** Connects the session. The next input is `connected` or `refused`. */
  | { readonly type: 'connect'; readonly prompt: QueuedPrompt }
  /** Sends the prompt. The next input is `accepted` or `refused`. */
  | { readonly type: 'send'; readonly promptId: string; readonly delivery: PreparedPrompt }
  /** Aborts connecting or sending, if it is still possible. */
  | { readonly type: 'abort'; readonly promptId: string }
  /** Asks the backend to cancel the turn. The next input is `cancelled`. */
  | { readonly type: 'cancel'; readonly session: BackendSession }
  /** Checks whether the turn is still running. The next input is `checked`. */
  | { readonly type: 'check' }
  /** Reopens a turn that was recorded as ended but is still running. */
  | { readonly type: 'reopen' }
  | { readonly type: 'recordSessionLoss' }
  /** Removes a prompt that was not accepted. */
  | { readonly type: 'withdraw'; readonly promptId: string; readonly isFailure: boolean }
  /** Moves a prompt from the transcript to the front of the queue. */
  | { readonly type: 'queue'; readonly prompt: QueuedPrompt }
  | { readonly type: 'end' }
  /** Settles the promise of the caller that sent the prompt. */
  | { readonly type: 'answer'; readonly promptId: string; readonly error?: BackendError };

interface TurnStep {
  readonly phase: TurnPhase;
  readonly effects: readonly TurnEffect[];
}

type Phase<Kind extends TurnPhase['kind']> = Extract<TurnPhase, { kind: Kind }>;
type Input<Type extends TurnInput['type']> = Extract<TurnInput, { type: Type }>;

const idle: TurnPhase = { kind: 'idle' };

/** Whether a prompt is being sent or was accepted and is being answered. */
export function hasActivePrompt(phase: TurnPhase): boolean {
  if (phase.kind === 'stopping' || phase.kind === 'resuming') return phase.next !== undefined;
  return phase.kind === 'connecting' || phase.kind === 'sent';
}

/** Whether the user has stopped a turn that may still be running. */
export function isStopping(phase: TurnPhase): boolean {
  return phase.kind === 'stopping' || (phase.kind === 'resuming' && phase.isStopped);
}

/** Returns the next phase. A prompt is sent once or withdrawn; a stopped turn is also ended in the backend. */
export function nextPhase(phase: TurnPhase, input: TurnInput): TurnStep {
  switch (input.type) {
    case 'prompt':
      return prompted(phase, input.prompt);
    case 'connected':
      return connected(phase, input);
    case 'accepted':
      return accepted(phase, input.promptId);
    case 'refused':
      return refused(phase, input);
    case 'ended':
      if (phase.kind === 'sent') return step(idle, { type: 'end' });
      return phase.kind === 'idle' ? step(phase, { type: 'end' }) : step(phase);
    case 'lost':
      return lost(phase, input);
    case 'stop':
      return stopped(phase, input);
    case 'cancelled':
      return phase.kind === 'stopping' ? answered(phase) : step(phase);
    case 'resume':
      return phase.kind === 'idle' ? step({ kind: 'resuming', isStopped: false }, { type: 'check' }) : step(phase);
    case 'checked':
      return checked(phase, input);
    case 'close':
      return closed(phase);
  }
}

function prompted(phase: TurnPhase, prompt: QueuedPrompt): TurnStep {
  const begin: TurnEffect = { type: 'begin', prompt };
  if (phase.kind === 'idle') return step({ kind: 'connecting', prompt }, begin, { type: 'connect', prompt });
  const isFree = (phase.kind === 'stopping' || phase.kind === 'resuming') && phase.next === undefined;
  if (isFree) return step({ ...phase, next: prompt }, begin);
  const error =
    phase.kind === 'closed' ? closedError() : new BackendError('busy', 'Another prompt is being sent. Try again.');
  return step(phase, { type: 'answer', promptId: prompt.id, error });
}

function connected(phase: TurnPhase, { delivery, promptId }: Input<'connected'>): TurnStep {
  if (phase.kind !== 'connecting' || phase.prompt.id !== promptId) return step(phase);
  return step({ kind: 'sent', session: delivery.session, prompt: phase.prompt }, { type: 'send', promptId, delivery });
}

function accepted(phase: TurnPhase, promptId: string): TurnStep {
  const isBeingSent = idBeingSent(phase) === promptId;
  // Cancels again, because the backend may not have received the prompt before the first cancel request.
  if (isBeingSent && phase.kind === 'stopping') return step(phase, { type: 'cancel', session: phase.session });
  const next: TurnPhase = isBeingSent && phase.kind === 'sent' ? { kind: 'sent', session: phase.session } : phase;
  return step(next, { type: 'answer', promptId });
}

function refused(phase: TurnPhase, { error, isOthersTurn, isUnseen, promptId }: Input<'refused'>): TurnStep {
  const isBeingSent = idBeingSent(phase) === promptId;
  // The backend does not report an end for a prompt that it has not accepted.
  if (isBeingSent && phase.kind === 'stopping') return answered(phase, { type: 'record', record: { type: 'settled' } });
  const answer: TurnEffect = { type: 'answer', promptId, error };
  if (isBeingSent && isOthersTurn && phase.kind === 'sent' && phase.prompt)
    return step(idle, { type: 'queue', prompt: phase.prompt }, { type: 'answer', promptId });
  const isUnsent = phase.kind === 'connecting' && phase.prompt.id === promptId;
  // The user has decided not to send the prompt, so this is not a failure of the agent.
  if (isUnsent && error.code === 'cancelled')
    return step(idle, { type: 'withdraw', promptId, isFailure: false }, answer);
  if (isUnsent || (isBeingSent && isUnseen)) {
    return step({ kind: 'idle', failure: error }, { type: 'withdraw', promptId, isFailure: true }, answer);
  }
  // A turn that has already started reports its own failure.
  return step(isBeingSent && phase.kind === 'sent' ? { kind: 'sent', session: phase.session } : phase, answer);
}

function lost(phase: TurnPhase, { isBusy, isSettling }: Input<'lost'>): TurnStep {
  // A prompt that was not accepted is refused next.
  if (phase.kind === 'sent' && phase.prompt) return step(phase);
  const isInTurn = phase.kind === 'sent' || (phase.kind === 'idle' && isBusy);
  if (isInTurn) return step(idle, { type: 'recordSessionLoss' }, { type: 'end' });
  return isSettling ? step(phase, { type: 'record', record: { type: 'settled' } }) : step(phase);
}

function stopped(phase: TurnPhase, { isActing, isBusy, session }: Input<'stop'>): TurnStep {
  switch (phase.kind) {
    case 'connecting':
      return step(idle, ...dropped(phase.prompt));
    case 'sent': {
      const promptId = idBeingSent(phase);
      const pendingResponses = promptId === undefined ? 1 : 2;
      const abort: TurnEffect[] = promptId === undefined ? [] : [{ type: 'abort', promptId }];
      // The prompt may have gone to another session because the settings have changed.
      const used = session ?? phase.session;
      const stopping: TurnPhase = { kind: 'stopping', session: used, pendingResponses, promptId };
      return step(stopping, ...abort, ...ended(true), cancel(used));
    }
    case 'stopping':
      return phase.next ? step({ ...phase, next: undefined }, ...requeued(phase.next)) : step(phase);
    case 'resuming':
      return step({ kind: 'resuming', isStopped: true }, ...(phase.next ? requeued(phase.next) : []));
    case 'idle':
      if (!session) return isBusy ? step(idle, ...ended(false)) : step(phase);
      if (!isBusy && !isActing) return step(phase);
      // Without a prompt, no turn of the conversation ends.
      return step({ kind: 'stopping', session, pendingResponses: 1 }, ...(isBusy ? ended(true) : []), cancel(session));
    case 'closed':
      return step(phase);
  }
}

/** Handles one of the outstanding responses of the backend. */
function answered(phase: Phase<'stopping'>, ...effects: TurnEffect[]): TurnStep {
  const { next, promptId } = phase;
  const pendingResponses = phase.pendingResponses - 1;
  if (pendingResponses > 0) return step({ ...phase, pendingResponses }, ...effects);
  const answer: TurnEffect[] = promptId === undefined ? [] : [{ type: 'answer', promptId }];
  const { effects: more, phase: after } = phaseWithNext(next);
  return step(after, ...effects, ...answer, ...more);
}

function checked(phase: TurnPhase, { isBusy, session }: Input<'checked'>): TurnStep {
  if (phase.kind !== 'resuming') return step(phase);
  const { isStopped, next } = phase;
  if (session && isStopped) return step({ kind: 'stopping', session, pendingResponses: 1, next }, cancel(session));
  if (!session) return phaseWithNext(next);
  const effects: TurnEffect[] = [];
  if (next) effects.push({ type: 'queue', prompt: next });
  // If the prompt was reported, the turn is already open.
  if (next || !isBusy) effects.push({ type: 'reopen' });
  if (next) effects.push({ type: 'answer', promptId: next.id });
  return step({ kind: 'sent', session }, ...effects);
}

function closed(phase: TurnPhase): TurnStep {
  const effects: TurnEffect[] = [];
  const unsent = phase.kind === 'connecting' ? phase.prompt : 'next' in phase ? phase.next : undefined;
  if (unsent) {
    const { id: promptId } = unsent;
    effects.push({ type: 'abort', promptId }, { type: 'withdraw', promptId, isFailure: false });
    effects.push({ type: 'answer', promptId, error: closedError() });
  }
  const promptId = idBeingSent(phase);
  if (promptId !== undefined) effects.push({ type: 'abort', promptId }, { type: 'answer', promptId });
  return step({ kind: 'closed' }, ...effects);
}

/** The prompt that was sent and that the backend has not accepted yet. */
function idBeingSent(phase: TurnPhase): string | undefined {
  if (phase.kind === 'sent') return phase.prompt?.id;
  return phase.kind === 'stopping' ? phase.promptId : undefined;
}

function phaseWithNext(next: QueuedPrompt | undefined): TurnStep {
  return next ? step({ kind: 'connecting', prompt: next }, { type: 'connect', prompt: next }) : step(idle);
}

/** Returns the effects of stopping a turn before its prompt was sent. */
function dropped({ id: promptId }: QueuedPrompt): TurnEffect[] {
  return [{ type: 'abort', promptId }, ...ended(false), { type: 'answer', promptId }];
}

/** Returns the effects of stopping a turn again, for which a prompt waits that the user has sent since. It is not lost. */
function requeued(prompt: QueuedPrompt): TurnEffect[] {
  return [
    { type: 'queue', prompt },
    { type: 'answer', promptId: prompt.id },
  ];
}

function ended(inBackend: boolean): TurnEffect[] {
  return [{ type: 'record', record: { type: 'stopped', inBackend } }, { type: 'end' }];
}

function cancel(session: BackendSession): TurnEffect {
  return { type: 'cancel', session };
}

function closedError(): BackendError {
  return new BackendError('closed', 'The conversation was closed before the prompt was sent.');
}

function step(phase: TurnPhase, ...effects: TurnEffect[]): TurnStep {
  return { phase, effects };
}
