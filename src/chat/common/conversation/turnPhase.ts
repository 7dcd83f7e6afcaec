import { BackendError, type BackendSession, type PromptInput } from '../../../session/common/sessionBackend';
import type { QueuedPrompt } from '../chatView';
import type { NewRecord } from './logRecord';

/** A prompt with all that goes along, and the session that it goes to. */
export interface Delivery {
  readonly session: BackendSession;
  readonly input: PromptInput;
  /** What was said before goes along: the session does not know it. */
  readonly hasDigest: boolean;
}

/** Where the turn of a conversation stands. What the transcript shows of it is told by the effects. */
export type TurnPhase =
  /** `failure`: why the last prompt was not taken. */
  | { readonly kind: 'idle'; readonly failure?: BackendError }
  /** Its session is found or made, and what is attached is read. Nothing was sent. */
  | { readonly kind: 'connecting'; readonly prompt: QueuedPrompt }
  /** The backend has the prompt, or gets it: then `promptId` is its id. */
  | { readonly kind: 'sent'; readonly session: BackendSession; readonly promptId?: string }
  /** The backend is made to end a turn that the user has ended. */
  | {
      readonly kind: 'stopping';
      readonly session: BackendSession;
      /** How many answers of the backend are missing: of the calls that cancel, and of the prompt when that was on its way. */
      readonly waits: number;
      /** Of the prompt that was on its way. */
      readonly promptId?: string | undefined;
      readonly next?: QueuedPrompt | undefined;
    }
  /** It is found out whether the turn that ended with its window still runs. `isStopped`: the user wants it to end. */
  | { readonly kind: 'resuming'; readonly isStopped: boolean; readonly next?: QueuedPrompt | undefined }
  /** Nothing is sent any more. */
  | { readonly kind: 'closed' };

export type TurnInput =
  | { readonly type: 'prompt'; readonly prompt: QueuedPrompt }
  | { readonly type: 'connected'; readonly promptId: string; readonly delivery: Delivery }
  | { readonly type: 'taken'; readonly promptId: string }
  /** `isUnheard`: the backend has told nothing of its turn. */
  | { readonly type: 'refused'; readonly promptId: string; readonly error: BackendError; readonly isUnheard: boolean }
  /** An event has ended the turn. */
  | { readonly type: 'ended' }
  /** The session is over. `isBusy`: in a turn; `isSettling`: it had still to say that one has ended. */
  | { readonly type: 'lost'; readonly isBusy: boolean; readonly isSettling: boolean }
  /** By the user. A turn may run that was begun elsewhere, in `session`. */
  | { readonly type: 'stop'; readonly isBusy: boolean; readonly session: BackendSession | undefined }
  | { readonly type: 'cancelled' }
  | { readonly type: 'resume' }
  /** `session` is the one in which a turn runs. `isBusy`: its prompt was told. */
  | { readonly type: 'looked'; readonly session: BackendSession | undefined; readonly isBusy: boolean }
  | { readonly type: 'close' };

export type TurnEffect =
  | { readonly type: 'begin'; readonly prompt: QueuedPrompt }
  | { readonly type: 'record'; readonly record: NewRecord }
  /** Answered by `connected` or `refused`. */
  | { readonly type: 'connect'; readonly prompt: QueuedPrompt }
  /** Answered by `taken` or `refused`. */
  | { readonly type: 'send'; readonly promptId: string; readonly delivery: Delivery }
  /** What is on its way is given up, as far as that is possible. */
  | { readonly type: 'abort'; readonly promptId: string }
  /** Answered by `cancelled`. */
  | { readonly type: 'cancel'; readonly session: BackendSession }
  /** Answered by `looked`. */
  | { readonly type: 'look' }
  /** The turn that was told as ended goes on. */
  | { readonly type: 'goOn' }
  /** The session was lost in the middle of the turn. */
  | { readonly type: 'breakOff' }
  /** The prompt was never said. */
  | { readonly type: 'withdraw'; readonly promptId: string; readonly isFailure: boolean }
  /** The prompt was told and has to wait: it is the next one of the queue. */
  | { readonly type: 'queue'; readonly prompt: QueuedPrompt }
  /** The turn has ended: the queue may go on. */
  | { readonly type: 'end' }
  /** Who has sent the prompt learns what became of it. */
  | { readonly type: 'answer'; readonly promptId: string; readonly error?: BackendError };

interface TurnStep {
  readonly phase: TurnPhase;
  readonly effects: readonly TurnEffect[];
}

type Phase<Kind extends TurnPhase['kind']> = Extract<TurnPhase, { kind: Kind }>;
type Input<Type extends TurnInput['type']> = Extract<TurnInput, { type: Type }>;

const idle: TurnPhase = { kind: 'idle' };

/** Whether a prompt of ours waits for the backend, or is answered by it. */
export function hasPrompt(phase: TurnPhase): boolean {
  if (phase.kind === 'stopping' || phase.kind === 'resuming') return phase.next !== undefined;
  return phase.kind === 'connecting' || phase.kind === 'sent';
}

/** The user has ended a turn that may still run. */
export function isStopping(phase: TurnPhase): boolean {
  return phase.kind === 'stopping' || (phase.kind === 'resuming' && phase.isStopped);
}

/** What happens next. A prompt is sent once or withdrawn; a turn that is stopped is ended in the backend. */
export function reduce(phase: TurnPhase, input: TurnInput): TurnStep {
  switch (input.type) {
    case 'prompt':
      return prompted(phase, input.prompt);
    case 'connected':
      return connected(phase, input);
    case 'taken':
      return taken(phase, input.promptId);
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
      return phase.kind === 'idle' ? step({ kind: 'resuming', isStopped: false }, { type: 'look' }) : step(phase);
    case 'looked':
      return looked(phase, input);
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
  const { session } = delivery;
  return step({ kind: 'sent', session, promptId }, { type: 'send', promptId, delivery });
}

function taken(phase: TurnPhase, promptId: string): TurnStep {
  const isOnItsWay = 'promptId' in phase && phase.promptId === promptId;
  // Cancelled again: the first time, the backend may not have had it.
  if (isOnItsWay && phase.kind === 'stopping') return step(phase, { type: 'cancel', session: phase.session });
  const next: TurnPhase = isOnItsWay ? { kind: 'sent', session: phase.session } : phase;
  return step(next, { type: 'answer', promptId });
}

function refused(phase: TurnPhase, { error, isUnheard, promptId }: Input<'refused'>): TurnStep {
  const isOnItsWay = 'promptId' in phase && phase.promptId === promptId;
  // What was never taken is never told as ended.
  if (isOnItsWay && phase.kind === 'stopping') return answered(phase, { type: 'record', record: { type: 'settled' } });
  const answer: TurnEffect = { type: 'answer', promptId, error };
  const isUnsent = phase.kind === 'connecting' && phase.prompt.id === promptId;
  if (isUnsent || (isOnItsWay && isUnheard)) {
    return step({ kind: 'idle', failure: error }, { type: 'withdraw', promptId, isFailure: true }, answer);
  }
  // A turn that has begun tells of its failure by itself.
  return step(isOnItsWay ? { kind: 'sent', session: phase.session } : phase, answer);
}

function lost(phase: TurnPhase, { isBusy, isSettling }: Input<'lost'>): TurnStep {
  const isInTurn = phase.kind === 'sent' || (phase.kind === 'idle' && isBusy);
  if (isInTurn) return step(idle, { type: 'breakOff' }, { type: 'end' });
  return isSettling ? step(phase, { type: 'record', record: { type: 'settled' } }) : step(phase);
}

function stopped(phase: TurnPhase, { isBusy, session }: Input<'stop'>): TurnStep {
  switch (phase.kind) {
    case 'connecting':
      return step(idle, ...dropped(phase.prompt));
    case 'sent': {
      const { promptId } = phase;
      const waits = promptId === undefined ? 1 : 2;
      const abort: TurnEffect[] = promptId === undefined ? [] : [{ type: 'abort', promptId }];
      return step({ ...phase, kind: 'stopping', waits }, ...abort, ...ended(true), cancel(phase.session));
    }
    case 'stopping':
      return phase.next ? step({ ...phase, next: undefined }, ...dropped(phase.next)) : step(phase);
    case 'resuming':
      return step({ kind: 'resuming', isStopped: true }, ...(phase.next ? dropped(phase.next) : []));
    case 'idle':
      if (!isBusy) return step(phase);
      if (!session) return step(idle, ...ended(false));
      return step({ kind: 'stopping', session, waits: 1 }, ...ended(true), cancel(session));
    case 'closed':
      return step(phase);
  }
}

/** One answer of the backend less is missing. */
function answered(phase: Phase<'stopping'>, ...effects: TurnEffect[]): TurnStep {
  const { next, promptId } = phase;
  const waits = phase.waits - 1;
  if (waits > 0) return step({ ...phase, waits }, ...effects);
  const answer: TurnEffect[] = promptId === undefined ? [] : [{ type: 'answer', promptId }];
  const { effects: more, phase: after } = goOn(next);
  return step(after, ...effects, ...answer, ...more);
}

function looked(phase: TurnPhase, { isBusy, session }: Input<'looked'>): TurnStep {
  if (phase.kind !== 'resuming') return step(phase);
  const { isStopped, next } = phase;
  if (session && isStopped) return step({ kind: 'stopping', session, waits: 1, next }, cancel(session));
  if (!session) return goOn(next);
  const effects: TurnEffect[] = [];
  if (next) effects.push({ type: 'queue', prompt: next });
  // A turn whose prompt was told need not be told to go on.
  if (next || !isBusy) effects.push({ type: 'goOn' });
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
  if ('promptId' in phase && phase.promptId !== undefined) {
    effects.push({ type: 'abort', promptId: phase.promptId }, { type: 'answer', promptId: phase.promptId });
  }
  return step({ kind: 'closed' }, ...effects);
}

function goOn(next: QueuedPrompt | undefined): TurnStep {
  return next ? step({ kind: 'connecting', prompt: next }, { type: 'connect', prompt: next }) : step(idle);
}

/** The turn ends for the user before anything was sent. */
function dropped({ id: promptId }: QueuedPrompt): TurnEffect[] {
  return [{ type: 'abort', promptId }, ...ended(false), { type: 'answer', promptId }];
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
