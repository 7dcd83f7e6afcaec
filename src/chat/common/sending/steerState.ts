/**
 * The prompts that are to join the turn that runs. One at a time is prepared and sent, so that their order is kept. Some agents say when
 * they read one; until then it is not part of the turn, because an agent may still drop it.
 */
export interface SteerState {
  readonly current: JoiningPrompt | undefined;
  /** Ids of the prompts after it. */
  readonly waiting: readonly string[];
  /** Prompts that the agent has, and that it will report when it reads them. */
  readonly unread: readonly DoubtfulPrompt[];
  /** Prompts that the agent was asked to take and that are held, because it has not said whether it did. */
  readonly doubtful: readonly DoubtfulPrompt[];
}

interface JoiningPrompt {
  readonly id: string;
  /** Whether the agent was asked to take it. */
  readonly isAsked: boolean;
  /** How its turn has ended meanwhile. Undefined while it runs. */
  readonly end: SteeredTurnEnd | undefined;
}

type DoubtfulPrompt = Pick<JoiningPrompt, 'id' | 'end'>;

/** `broken`: it was stopped. The agent drops what it has not read then, and does not say so. */
type SteeredTurnEnd = 'over' | 'broken';

/**
 * What has become of a prompt. `accepted`: the agent has it, and the input `read` comes if it reads it. `refused`: the agent has not
 * taken it, `unknown`: perhaps it has. `dismissed`: the user did not want it to be sent.
 */
export type SteerOutcome =
  | { readonly kind: 'joined' | 'accepted' | 'noTurn' | 'dismissed' }
  | { readonly kind: 'refused' | 'unknown'; readonly reason: string };

export type SteerInput =
  /** The user wants a queued prompt to join the turn. */
  | { readonly type: 'wanted'; readonly id: string }
  /** Its files are saved, and its attachments are there. */
  | { readonly type: 'prepared'; readonly id: string }
  | { readonly type: 'decided'; readonly id: string; readonly outcome: SteerOutcome }
  /** The agent has read it. This can come before it is decided. */
  | { readonly type: 'read'; readonly id: string }
  | { readonly type: 'turnEnded'; readonly end: SteeredTurnEnd }
  /** The agent has neither answered nor read it for a while since the end of the turn. */
  | { readonly type: 'late'; readonly id: string }
  /** The prompt leaves the queue in another way. Not allowed for one that the agent was asked to take. */
  | { readonly type: 'taken'; readonly id: string };

export type SteerEffect =
  /** Prepares the prompt. The next input is `prepared` or `decided`. */
  | { readonly type: 'prepare'; readonly id: string }
  /** Stops preparing. */
  | { readonly type: 'abort'; readonly id: string }
  /** Asks the agent. The next input is `decided`. */
  | { readonly type: 'ask'; readonly id: string }
  /** Moves the prompt from the queue to the transcript. `isRead`: it is known that the agent has read it. */
  | { readonly type: 'join'; readonly id: string; readonly isRead: boolean }
  /** The prompt is like any other in the queue. `reason`: why the agent has not taken it. */
  | { readonly type: 'release'; readonly id: string; readonly reason?: string }
  /** The prompt stays in the queue until the user decides. */
  | { readonly type: 'hold'; readonly id: string; readonly reason?: string }
  /** Moves the prompt from the queue to the composer. */
  | { readonly type: 'giveBack'; readonly id: string }
  /** The input `late` comes after a while. */
  | { readonly type: 'startWaiting'; readonly id: string }
  /** Sends what is due in the queue, if the turn is over. */
  | { readonly type: 'sendQueue' };

interface SteerStep {
  readonly state: SteerState;
  readonly effects: readonly SteerEffect[];
}

const notRead = 'The agent has taken it into its turn, but has not said that it read it.';

export const nothingJoins: SteerState = { current: undefined, waiting: [], unread: [], doubtful: [] };

/** Returns the next state. Each prompt reaches the agent once, or stays in the queue, or goes back to the composer. */
export function nextSteerState(state: SteerState, input: SteerInput): SteerStep {
  const { current, doubtful, waiting } = state;
  switch (input.type) {
    case 'wanted':
      if (current?.id === input.id || waiting.includes(input.id)) return step(state);
      if (doubtful.some(({ id }) => id === input.id)) return step(state);
      return continued({ ...state, waiting: [...waiting, input.id] });
    case 'prepared':
      if (current?.id !== input.id || current.isAsked) return step(state);
      return step({ ...state, current: { ...current, isAsked: true } }, { type: 'ask', id: input.id });
    case 'decided':
      return decided(state, input.id, input.outcome);
    case 'read':
      return read(state, input.id);
    case 'turnEnded':
      return turnEnded(state, input.end);
    case 'late':
      return late(state, input.id);
    case 'taken':
      return taken(state, input.id);
  }
}

function decided(state: SteerState, id: string, outcome: SteerOutcome): SteerStep {
  const { current, doubtful, waiting } = state;
  const isCurrent = current?.id === id;
  const found = isCurrent ? current : doubtful.find((one) => one.id === id);
  if (!found) return step(state);
  const effect = effectOf(id, outcome, found.end);
  // What the agent says late settles the doubt.
  if (!isCurrent) {
    if (outcome.kind === 'unknown' || effect === undefined) return step(state);
    return step({ ...state, doubtful: doubtful.filter((one) => one !== found) }, effect, { type: 'sendQueue' });
  }
  const isUnread = effect === undefined;
  const unread = isUnread ? [...state.unread, { id, end: found.end }] : state.unread;
  const left = { ...state, current: undefined, unread };
  const isTaken = outcome.kind === 'joined' || outcome.kind === 'accepted';
  const isFree = found.end !== undefined || isTaken || outcome.kind === 'refused';
  // What follows it must not come before it.
  const next = isFree || outcome.kind === 'dismissed' ? continued(left) : released(left, waiting);
  const isHeld = outcome.kind === 'unknown';
  const rest = isHeld ? { ...next.state, doubtful: [...doubtful, { id, end: found.end }] } : next.state;
  return step(rest, ...(isUnread ? [] : [effect]), ...next.effects, { type: 'sendQueue' });
}

/** Undefined if the prompt waits until the agent reads it. */
function effectOf(id: string, outcome: SteerOutcome, end: SteeredTurnEnd | undefined): SteerEffect | undefined {
  switch (outcome.kind) {
    case 'joined':
      return end === 'broken' ? { type: 'giveBack', id } : { type: 'join', id, isRead: false };
    case 'accepted':
      return end === 'broken' ? { type: 'giveBack', id } : undefined;
    case 'noTurn':
      return { type: 'release', id };
    case 'refused':
      return { type: 'release', id, reason: outcome.reason };
    case 'dismissed':
      return { type: 'giveBack', id };
    case 'unknown':
      return { type: 'hold', id, reason: outcome.reason };
  }
}

function read(state: SteerState, id: string): SteerStep {
  const { current, doubtful, unread } = state;
  const others = { unread: unread.filter((one) => one.id !== id), doubtful: doubtful.filter((one) => one.id !== id) };
  const isCurrent = current?.id === id && current.isAsked;
  const isKnown = isCurrent || others.unread.length < unread.length || others.doubtful.length < doubtful.length;
  if (!isKnown) return step(state);
  const next = continued({ ...state, ...others, current: isCurrent ? undefined : current });
  return step(next.state, { type: 'join', id, isRead: true }, ...next.effects, { type: 'sendQueue' });
}

function late(state: SteerState, id: string): SteerStep {
  const { current, doubtful, unread } = state;
  const isCurrent = current?.id === id;
  const found = isCurrent ? current : unread.find((one) => one.id === id);
  if (found?.end === undefined) return step(state);
  const next = continued({
    ...state,
    current: isCurrent ? undefined : current,
    unread: unread.filter((one) => one !== found),
    doubtful: [...doubtful, { id, end: found.end }],
  });
  return withEffects(next, { type: 'hold', id, ...(!isCurrent && { reason: notRead }) });
}

function turnEnded(state: SteerState, end: SteeredTurnEnd): SteerStep {
  const ofTurn = state.unread.filter((one) => one.end === undefined);
  if (ofTurn.length === 0) return currentEnded(state, end);
  const ids = ofTurn.map(({ id }) => id);
  if (end === 'over') {
    const unread = state.unread.map((one) => (one.end === undefined ? { ...one, end } : one));
    return withEffects(currentEnded({ ...state, unread }, end), ...ids.map(toWaiting));
  }
  const unread = state.unread.filter((one) => one.end !== undefined);
  return withEffects(
    currentEnded({ ...state, unread }, end),
    ...ids.map((id): SteerEffect => ({ type: 'giveBack', id })),
  );
}

function toWaiting(id: string): SteerEffect {
  return { type: 'startWaiting', id };
}

function currentEnded(state: SteerState, end: SteeredTurnEnd): SteerStep {
  const { current, waiting } = state;
  if (current?.isAsked === true) {
    if (current.end !== undefined) return released(state, waiting);
    const asked = { ...state, current: { ...current, end } };
    return withEffects(released(asked, waiting), toWaiting(current.id));
  }
  const unsent = current ? [current.id, ...waiting] : waiting;
  const { effects, state: left } = released({ ...state, current: undefined }, unsent);
  return step(left, ...(current ? [{ type: 'abort' as const, id: current.id }] : []), ...effects);
}

function taken(state: SteerState, id: string): SteerStep {
  const { current, doubtful, waiting } = state;
  const left = {
    ...state,
    waiting: waiting.filter((one) => one !== id),
    doubtful: doubtful.filter((one) => one.id !== id),
  };
  if (current?.id !== id || current.isAsked) return step(left);
  return withEffects(continued({ ...left, current: undefined }), { type: 'abort', id });
}

/** Goes on with the next prompt, if none is under way. */
function continued(state: SteerState): SteerStep {
  const [next, ...waiting] = state.waiting;
  if (state.current || next === undefined) return step(state);
  return step(
    { ...state, current: { id: next, isAsked: false, end: undefined }, waiting },
    { type: 'prepare', id: next },
  );
}

function released(state: SteerState, ids: readonly string[]): SteerStep {
  return step({ ...state, waiting: [] }, ...ids.map((id): SteerEffect => ({ type: 'release', id })));
}

function withEffects({ effects, state }: SteerStep, ...first: readonly SteerEffect[]): SteerStep {
  return { state, effects: [...first, ...effects] };
}

function step(state: SteerState, ...effects: readonly SteerEffect[]): SteerStep {
  return { state, effects };
}
