import type {
  OwnWorkerReason,
  PoolEffect,
  PoolEvent,
  PoolQuestion,
  PoolState,
  PoolWorker,
  WorkerEndReason,
} from './poolState';

interface Step {
  readonly state: PoolState;
  readonly effects: readonly PoolEffect[];
}

/**
 * Decides in which worker each provider runs. After the shared worker was ended by what runs in it, none of its providers
 * shares a worker again, because any of them may be the cause. So a question is interrupted only once by a bad event.
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
    case 'ended':
      return handleEnd(state, event.worker, event.reason, event.question);
    case 'idle':
      return hasQuestion(state, ({ worker }) => worker === event.worker)
        ? same(state)
        : endWorker(state, event.worker, () => true);
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

function isWaiting(state: PoolState, question: number): boolean {
  const found = state.questions.get(question);
  return found !== undefined && found.worker === undefined;
}

function without(state: PoolState, ended: readonly number[]): PoolState {
  const questions = new Map(state.questions);
  for (const question of ended) questions.delete(question);
  return { ...state, questions };
}

function giveOwnWorker(state: PoolState, providers: Iterable<number>, reason: OwnWorkerReason): PoolState {
  const ownWorkerReasons = new Map(state.ownWorkerReasons);
  for (const provider of providers) if (!ownWorkerReasons.has(provider)) ownWorkerReasons.set(provider, reason);
  return { ...state, ownWorkerReasons };
}

/** Each provider answers one question at a time. */
function ask(state: PoolState, { question, provider }: { readonly question: number; readonly provider: number }): Step {
  const isBusy = hasQuestion(state, (other) => other.provider === provider);
  const questions = new Map(state.questions).set(question, { provider, worker: undefined });
  return isBusy ? same({ ...state, questions }) : send({ ...state, questions }, question, provider);
}

function send(state: PoolState, question: number, provider: number): Step {
  const owner = state.ownWorkerReasons.has(provider) ? provider : undefined;
  const found = [...state.workers].find(([, known]) => known.owner === owner);
  const worker = found?.[0] ?? state.lastWorker + 1;
  const members = new Set(found?.[1].members).add(provider);
  const effect: PoolEffect = { kind: 'send', worker, question };
  return {
    state: {
      ...state,
      lastWorker: Math.max(worker, state.lastWorker),
      workers: new Map(state.workers).set(worker, { owner, members }),
      questions: new Map(state.questions).set(question, { provider, worker }),
    },
    effects: found ? [effect] : [{ kind: 'start', worker, question, isShared: owner === undefined }, effect],
  };
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

/** `isFailed` tells which of the worker's questions fail. The others are asked again. */
function endWorker(state: PoolState, worker: number, isFailed: (question: number, provider: number) => boolean): Step {
  const ended = state.workers.get(worker);
  if (!ended) return same(state);
  const workers = new Map(state.workers);
  workers.delete(worker);
  const affected = [...state.questions].filter(([, question]) => isAffected(question, worker, ended));
  const effects = affected.map(([question, { provider }]): PoolEffect => {
    return { kind: isFailed(question, provider) ? 'fail' : 'askAgain', question };
  });
  const questions = affected.map(([question]) => question);
  return { state: without({ ...state, workers }, questions), effects: [{ kind: 'end', worker }, ...effects] };
}

/** Includes questions that wait until their provider has answered an earlier one. */
function isAffected(question: PoolQuestion, worker: number, { members }: PoolWorker): boolean {
  return question.worker === worker || (question.worker === undefined && members.has(question.provider));
}

function handleEnd(state: PoolState, worker: number, reason: WorkerEndReason, late: number | undefined): Step {
  const members = state.workers.get(worker)?.members ?? new Set();
  // With one provider, the cause is known.
  return endWorker(
    giveOwnWorker(state, members, members.size === 1 ? 'alone' : reason),
    worker,
    (question) => members.size === 1 || question === late,
  );
}

/** The module cannot be loaded again in this worker. The other providers there are not affected and continue. */
function failModule(state: PoolState, question: number): Step {
  const found = state.questions.get(question);
  if (found?.worker === undefined) return same(state);
  const { worker, provider } = found;
  if (state.workers.get(worker)?.owner !== undefined) return endWorker(state, worker, () => true);
  const all = [...state.questions].filter(([, other]) => other.provider === provider).map(([id]) => id);
  return {
    state: giveOwnWorker(without(state, all), [provider], 'unloadable'),
    effects: all.map((id) => ({ kind: 'fail', question: id })),
  };
}

function unload(state: PoolState, provider: number): Step {
  const ownWorkerReasons = new Map(state.ownWorkerReasons);
  if (ownWorkerReasons.get(provider) === 'unloadable') ownWorkerReasons.delete(provider);
  let step: Step = same({ ...state, ownWorkerReasons });
  for (const [worker, { members }] of state.workers) {
    if (!members.has(provider)) continue;
    const ended = endWorker(step.state, worker, (_question, asked) => asked === provider);
    step = { state: ended.state, effects: [...step.effects, ...ended.effects] };
  }
  return step;
}
