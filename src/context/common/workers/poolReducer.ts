import {
  maxProvidersPerWorker,
  type OwnWorkerReason,
  type PoolEffect,
  type PoolEvent,
  type PoolQuestion,
  type PoolState,
  type PoolWorker,
  type Suspects,
} from './poolState';

interface Step {
  readonly state: PoolState;
  readonly effects: readonly PoolEffect[];
}

/**
 * Decides in which worker each provider runs. After a worker was ended by its own code, at least one provider no
 * longer shares a worker, or the next worker is careful. So a question is interrupted only a limited number of times.
 */
export function reducePool(state: PoolState, event: PoolEvent): Step {
  switch (event.kind) {
    case 'asked':
      return ask(event.isOwnWorkerRequired ? giveOwnWorker(state, [event.provider], 'required') : state, event);
    case 'answered':
      return finish(state, event.questions);
    case 'cancelled':
      return isWaiting(state, event.question) ? { state: without(state, [event.question]), effects: [] } : same(state);
    case 'moduleFailed':
      return failModule(state, event.question);
    case 'timedOut':
      return timeOut(state, event.question, event.running);
    case 'blocked':
      return isShared(state, event.worker)
        ? endWorker(state, event.worker, { suspects: [event.provider], reason: 'blocked', failed: [] })
        : same(state);
    case 'ended':
      return handleEnd(state, event.worker, event.reason, event.suspects);
    case 'interfered':
      return handleInterference(state, event.worker, event.reason, event.providers);
    case 'overloaded':
      return divide(state, event.worker, event.half);
    case 'idle':
      return endIdle(state, event.worker);
    case 'unloaded':
      return unload(state, event.provider);
  }
}

function same(state: PoolState): Step {
  return { state, effects: [] };
}

function hasQuestion({ questions }: PoolState, test: (question: PoolQuestion) => boolean): boolean {
  for (const question of questions.values()) if (test(question)) return true;
  return false;
}

function isShared(state: PoolState, worker: number): boolean {
  const found = state.workers.get(worker);
  return found !== undefined && found.owner === undefined;
}

function sharedWorkersOf({ workers }: PoolState): (readonly [number, PoolWorker])[] {
  return [...workers].filter(([, { owner }]) => owner === undefined);
}

function isWaiting(state: PoolState, question: number): boolean {
  const found = state.questions.get(question);
  return found !== undefined && found.worker === undefined;
}

function without(state: PoolState, ended: readonly number[]): PoolState {
  const questions = new Map(state.questions);
  for (const question of ended) questions.delete(question);
  return { ...state, questions };
}

function giveOwnWorker(state: PoolState, providers: readonly number[], reason: OwnWorkerReason): PoolState {
  const added = providers.filter((provider) => !state.ownWorkerReasons.has(provider));
  if (added.length === 0) return state;
  const ownWorkerReasons = new Map(state.ownWorkerReasons);
  for (const provider of added) ownWorkerReasons.set(provider, reason);
  return { ...state, ownWorkerReasons };
}

/** Each provider answers one question at a time. */
function ask(state: PoolState, { question, provider }: { readonly question: number; readonly provider: number }): Step {
  const isBusy = hasQuestion(state, (other) => other.provider === provider);
  const questions = new Map(state.questions).set(question, { provider, worker: undefined });
  return isBusy ? same({ ...state, questions }) : send({ ...state, questions }, question, provider);
}

function send(state: PoolState, question: number, provider: number): Step {
  const found = findWorker(state, provider);
  const worker = found ?? state.lastWorker + 1;
  const place = placeOf(state, provider);
  const questions = new Map(state.questions).set(question, { provider, worker });
  const known = state.workers.get(worker);
  const workers = known?.members.has(provider)
    ? state.workers
    : new Map(state.workers).set(worker, {
        ...place,
        members: new Set([...(known?.members ?? []), provider]),
      });
  const effect: PoolEffect = { kind: 'send', worker, question };
  return found === undefined
    ? {
        state: { ...state, lastWorker: worker, workers, questions },
        effects: [{ kind: 'start', worker, question, isShared: place.owner === undefined }, effect],
      }
    : { state: { ...state, workers, questions }, effects: [effect] };
}

/** Which kind of worker a provider needs. */
function placeOf(
  { ownWorkerReasons, secondHalf }: PoolState,
  provider: number,
): Pick<PoolWorker, 'owner' | 'isSecondHalf'> {
  return ownWorkerReasons.has(provider)
    ? { owner: provider, isSecondHalf: false }
    : { owner: undefined, isSecondHalf: secondHalf.has(provider) };
}

/** Returns the worker of a provider, or a shared worker that can run one more. */
function findWorker(state: PoolState, provider: number): number | undefined {
  const place = placeOf(state, provider);
  let roomy: number | undefined;
  for (const [worker, { owner, isSecondHalf, members }] of state.workers) {
    if (owner !== place.owner) continue;
    if (members.has(provider)) return worker;
    const hasRoom = owner === undefined && members.size < maxProvidersPerWorker;
    if (hasRoom && isSecondHalf === place.isSecondHalf) roomy ??= worker;
  }
  return roomy;
}

function finish(state: PoolState, ended: readonly number[]): Step {
  const known = ended.filter((question) => state.questions.has(question));
  const providers = new Set(known.map((question) => state.questions.get(question)?.provider));
  return sendWaiting(without(state, known), providers);
}

/** Sends the next waiting question of each of these providers. */
function sendWaiting(before: PoolState, providers: ReadonlySet<number | undefined>): Step {
  let state = before;
  const effects: PoolEffect[] = [];
  for (const [question, { provider, worker }] of before.questions) {
    if (!providers.has(provider) || worker !== undefined) continue;
    if (hasQuestion(state, (other) => other.provider === provider && other.worker !== undefined)) continue;
    const sent = send(state, question, provider);
    state = sent.state;
    effects.push(...sent.effects);
  }
  return { state, effects };
}

interface WorkerEnd {
  readonly suspects: readonly number[];
  readonly reason: OwnWorkerReason;
  /** The providers whose questions fail. Questions to the other providers in the worker are asked again. */
  readonly failed: readonly number[];
}

function endWorker(state: PoolState, worker: number, { suspects, reason, failed }: WorkerEnd): Step {
  const ended = state.workers.get(worker);
  if (!ended) return same(state);
  const workers = new Map(state.workers);
  workers.delete(worker);
  const affected = [...state.questions].filter(([, question]) => isAffected(question, worker, ended.members));
  const effects = affected.map(([question, { provider }]): PoolEffect => {
    return { kind: failed.includes(provider) ? 'fail' : 'askAgain', question };
  });
  const questions = affected.map(([question]) => question);
  return {
    state: giveOwnWorker(without({ ...state, workers }, questions), suspects, reason),
    effects: [{ kind: 'end', worker }, ...effects],
  };
}

/** Includes questions that wait until their provider has answered an earlier one. */
function isAffected(question: PoolQuestion, worker: number, members: ReadonlySet<number>): boolean {
  return question.worker === worker || (question.worker === undefined && members.has(question.provider));
}

function handleEnd(state: PoolState, worker: number, reason: OwnWorkerReason, found: Suspects): Step {
  const ended = state.workers.get(worker);
  if (!ended) return same(state);
  const { members } = ended;
  const { running, isProven } = found;
  const pending = found.pending.filter((provider) => members.has(provider));
  if (members.size === 1) return endWorker(state, worker, { suspects: [...members], reason, failed: [...members] });
  if (running !== undefined && members.has(running))
    return endWorker(state, worker, { suspects: [running], reason, failed: isProven ? [running] : [] });
  return endWorker(state, worker, { suspects: pending.length > 0 ? pending : [...members], reason, failed: [] });
}

function timeOut(state: PoolState, question: number, running: number | undefined): Step {
  const found = state.questions.get(question);
  if (found?.worker === undefined) return same(state);
  const { worker, provider } = found;
  const isHeldUp = running !== undefined && running !== provider;
  if (isHeldUp && isShared(state, worker) && state.workers.get(worker)?.members.has(running))
    return endWorker(state, worker, { suspects: [running], reason: 'blocked', failed: [] });
  return endWorker(state, worker, { suspects: [provider], reason: 'hung', failed: [provider] });
}

/** The module cannot be loaded again in this worker. The other providers there are not affected and continue. */
function failModule(state: PoolState, question: number): Step {
  const found = state.questions.get(question);
  if (found?.worker === undefined) return same(state);
  const { worker, provider } = found;
  if (!isShared(state, worker)) return endWorker(state, worker, { suspects: [], reason: 'ended', failed: [provider] });
  const all = [...state.questions].filter(([, other]) => other.provider === provider).map(([id]) => id);
  return {
    state: giveOwnWorker(without(state, all), [provider], 'unloadable'),
    effects: all.map((id) => ({ kind: 'fail', question: id })),
  };
}

function handleInterference(
  state: PoolState,
  worker: number,
  reason: 'globals' | 'files',
  providers: readonly number[],
): Step {
  const found = state.workers.get(worker);
  if (!found || found.owner !== undefined) return same(state);
  const known = providers.filter((provider) => found.members.has(provider));
  const [only] = found.members;
  if (found.members.size > 1 || only === undefined) {
    const suspects = known.length > 0 ? known : [...found.members];
    // If several are suspects, the next worker checks after each provider to find the cause.
    return suspects.length > 1 && !state.isCareful
      ? endWorker({ ...state, isCareful: true }, worker, { suspects: [], reason, failed: [] })
      : endWorker(state, worker, { suspects, reason, failed: [] });
  }
  // No other provider was affected, so this one keeps the worker as its own.
  const workers = new Map(state.workers).set(worker, { ...found, owner: only, isSecondHalf: false });
  return same(giveOwnWorker({ ...state, workers }, [only], reason));
}

/**
 * Ends the only shared worker, so that later questions start two. There are never more halves, because each worker must read
 * the text, and a computer has other work. Nothing happens while questions are open. The worker may report again.
 */
function divide(state: PoolState, worker: number, half: readonly number[]): Step {
  const [shared, ...otherShared] = sharedWorkersOf(state);
  if (shared?.[0] !== worker || otherShared.length > 0) return same(state);
  const { members } = shared[1];
  const others = [...state.secondHalf].filter((provider) => !members.has(provider));
  const moved = half.filter((provider) => members.has(provider));
  return moved.length === 0 || moved.length === members.size
    ? same(state)
    : endIfUnused(state, worker, new Set([...others, ...moved]));
}

/** When no shared worker is left, the providers may share one again, because the user may do something else now. */
function endIdle(state: PoolState, worker: number): Step {
  const ended = endIfUnused(state, worker);
  return sharedWorkersOf(ended.state).length > 0
    ? ended
    : { ...ended, state: { ...ended.state, secondHalf: new Set() } };
}

/** Ends a worker without open questions. The next question starts another. */
function endIfUnused(state: PoolState, worker: number, secondHalf = state.secondHalf): Step {
  return hasQuestion(state, (question) => question.worker === worker)
    ? same(state)
    : endWorker({ ...state, secondHalf }, worker, { suspects: [], reason: 'ended', failed: [] });
}

function unload(state: PoolState, provider: number): Step {
  const ownWorkerReasons = new Map(state.ownWorkerReasons);
  if (ownWorkerReasons.get(provider) === 'unloadable') ownWorkerReasons.delete(provider);
  let step: Step = same({ ...state, ownWorkerReasons });
  for (const [worker, { members }] of state.workers) {
    if (!members.has(provider)) continue;
    const ended = endWorker(step.state, worker, { suspects: [], reason: 'ended', failed: [provider] });
    step = { state: ended.state, effects: [...step.effects, ...ended.effects] };
  }
  return step;
}
