import assert from 'node:assert/strict';
import fc from 'fast-check';
import { AmplifierApiError } from '../../../../../src/amplifier/common/api/apiErrors';
import { SessionStatus } from '../../../../../src/amplifier/common/api/apiSchema';
import type { EffectKind, SessionEffect, SessionInput } from '../../../../../src/amplifier/common/client/sessionInput';
import { listOpenApprovals } from '../../../../../src/amplifier/common/client/approvalTable';
import {
  isTurnOpenOrPosting,
  isOwnTurnOpenOrPosting,
  type OpenApproval,
} from '../../../../../src/amplifier/common/client/clientState';
import { SessionWorld } from './sessionWorld';

/** What is still allowed once readers have got all. */
const cleaning: ReadonlySet<EffectKind> = new Set<EffectKind>([
  'setTimer',
  'clearTimer',
  'closeStream',
  'askStatus',
  'answer',
  'sendStop',
  'delete',
  'abort',
  'settle',
  'log',
  'reportSettled',
]);

const options = ['Allow', 'Deny'];
const wireEvents: readonly (readonly [string, Record<string, unknown>])[] = [
  ['session:start', {}],
  ['prompt:submit', { prompt: 'theirs', request_id: 'x' }],
  ['content_block:delta', { delta: 'a', block_index: 0 }],
  ['thinking:delta', { delta: 'b' }],
  ['tool:pre', { tool_name: 't', operation: 't', input: {} }],
  ['tool:post', { tool_name: 't', operation: 't', result: { success: true } }],
  ['approval:required', { approval_id: 'a', prompt: 'p', options, timeout: 5 }],
  ['approval:required', { approval_id: 'a', prompt: 'q', options, timeout: 300 }],
  ['approval:required', { approval_id: 'b', prompt: 'p', options: ['Yes', 'Always'], timeout: 5 }],
  ['approval:required', { approval_id: 'c', prompt: 'p', options, option_kinds: ['allow_once', 'reject_once'] }],
  ['approval:granted', { approval_id: 'a', decision: 'Allow' }],
  ['approval:denied', { approval_id: 'c', decision: 'Deny' }],
  ['prompt:complete', { response: 'a' }],
  ['prompt:complete', { response: 'a', request_id: 'x', token_usage: { input_tokens: 1, output_tokens: 1 } }],
  ['error', { error: 'no' }],
  ['session:end', { reason: 'stopped' }],
  ['plan:update', { entries: [] }],
];
const pending = { approval_id: 'a', prompt: 'p', options };
const statuses: readonly Record<string, unknown>[] = [
  { status: 'idle' },
  { status: 'processing' },
  { status: 'awaiting_approval', pending_approval: pending },
  { status: 'awaiting_approval', pending_approval: { what: 1 } },
  { status: 'awaiting_approval' },
  { status: 'error' },
  { status: 'stopped' },
];
const errors = [
  new AmplifierApiError('CONNECTION_LOST', 'lost'),
  new AmplifierApiError('NOT_FOUND', 'no such route', 404),
  new AmplifierApiError('SESSION_NOT_FOUND', 'no such session', 404),
  new AmplifierApiError('NO_PENDING_APPROVAL', 'nothing waits', 400),
  new Error('time is up'),
];

type Move =
  | { readonly kind: 'wire' | 'status' | 'fail' | 'result' | 'timer'; readonly pick: number; readonly which: number }
  | { readonly kind: 'connected' | 'lasting' | 'activity' | 'lostApproval' | 'dispose' | 'giveUp' }
  | { readonly kind: 'reconnecting' | 'streamFailed' | 'prompt' | 'cancel' | 'close' | 'jump' | 'echo' }
  | { readonly kind: 'approve'; readonly pick: number; readonly option: string };

const small = fc.nat({ max: 30 });
const drawn = (kind: 'wire' | 'status' | 'fail' | 'result' | 'timer') =>
  fc.record({ kind: fc.constant(kind), pick: small, which: small });
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 8, arbitrary: drawn('wire') },
  { weight: 6, arbitrary: drawn('status') },
  { weight: 6, arbitrary: drawn('result') },
  { weight: 2, arbitrary: drawn('fail') },
  { weight: 5, arbitrary: drawn('timer') },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom(
        'connected',
        'reconnecting',
        'lasting',
        'activity',
        'lostApproval',
        'cancel',
        'jump',
        'echo',
      ),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('prompt') }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('close', 'dispose', 'streamFailed', 'giveUp') }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('approve'), pick: small, option: fc.constantFrom(...options, 'Bogus') }),
  },
);
const schedule = fc.record({ isReal: fc.boolean(), moves: fc.array(move, { maxLength: 40 }) });

class RandomSession {
  readonly world: SessionWorld;
  readonly calls: number[] = [];
  /** What waits for the user when the user leaves. */
  readonly shownAtEnd: OpenApproval[] = [];
  prompts = 0;
  echoes = 0;
  /** How many effects there were when readers had got all. */
  private endedAt: number | undefined;

  constructor(isReal: boolean) {
    this.world = new SessionWorld({ isReal, limits: { detachedTurnMs: 20_000 } });
    this.calls.push(this.world.call((call) => ({ kind: 'start', call })));
  }

  make(move: Move): void {
    const { world } = this;
    switch (move.kind) {
      case 'wire': {
        const [name, data] = wireEvents[move.pick % wireEvents.length] ?? ['error', {}];
        world.say(name, data);
        break;
      }
      case 'status':
        this.finishRequest(move.pick, (request) => resultOf(request, move.which));
        break;
      case 'result':
        this.finishRequest(move.pick, (request) => resultOf(request, 0));
        break;
      case 'fail':
        this.finishRequest(move.pick, (request) => failureOf(request, errors[move.which % errors.length]));
        break;
      case 'timer':
        this.fire(move.pick);
        break;
      case 'prompt':
        this.prompts++;
        this.calls.push(world.call((call) => ({ kind: 'prompt', call, prompt: { text: `go ${this.prompts}` } })));
        break;
      case 'echo':
        this.echoes++;
        world.say('prompt:submit', { prompt: `go ${this.prompts}` });
        break;
      case 'cancel':
        this.calls.push(world.call((call) => ({ kind: 'cancel', call })));
        break;
      case 'close':
        this.calls.push(world.call((call) => ({ kind: 'close', call })));
        break;
      case 'approve': {
        const id = [...world.state.approvals.keys()][move.pick % 3] ?? 'none';
        this.calls.push(world.call((call) => ({ kind: 'approve', call, id, option: move.option })));
        break;
      }
      case 'reconnecting':
        world.send({ kind: 'reconnecting', attempt: 1, delayMs: 1 });
        break;
      case 'streamFailed':
        world.send({ kind: 'streamFailed', error: new AmplifierApiError('UNAUTHORIZED', 'no', 401) });
        break;
      case 'jump':
        world.jumpedMs += 400_000;
        break;
      default:
        world.send({ kind: move.kind });
    }
    this.look();
  }

  /** Lets a server answer all, and time pass, until nothing moves any more. */
  windDown(which: number): void {
    const { state } = this.world;
    // What others may be about to answer is left to them.
    const isOurs = isOwnTurnOpenOrPosting(state);
    const shown = listOpenApprovals(state).filter(
      ({ phase, isExtended }) => phase !== 'left' && (isOurs || !isExtended),
    );
    if (state.life === 'open') this.shownAtEnd.push(...shown);
    this.make({ kind: 'dispose' });
    for (let round = 0; round < 400; round++) {
      const { requests, timers } = this.world;
      if (requests.size === 0 && timers.size === 0) return;
      if (requests.size > 0) this.finishRequest(0, (request) => resultOf(request, which));
      else this.fire(0);
      this.look();
    }
    assert.fail(`still moving: ${[...this.world.timers.keys()].join()}`);
  }

  get afterEnd(): SessionEffect[] {
    return this.endedAt === undefined ? [] : this.world.effects.slice(this.endedAt);
  }

  private look(): void {
    const { state, timers, effects } = this.world;
    if (this.endedAt === undefined && state.life !== 'open') {
      this.endedAt = effects.findIndex(({ kind }) => kind === 'reportEnded') + 1;
    }
    for (const key of timers.keys()) {
      if (!key.startsWith('approval ')) continue;
      const approval = state.approvals.get(key.slice('approval '.length));
      assert.notEqual(approval?.phase ?? 'resolved', 'resolved', `a timer of nothing: ${key}`);
    }
    for (const [id, { phase }] of state.approvals) {
      const isOwned = phase === 'resolved' || phase === 'answering' || timers.has(`approval ${id}`);
      assert.ok(isOwned, `nobody looks after approval ${id}`);
    }
    if (state.ending) assert.ok(timers.has('endingDeadline'), 'an end without a time');
    if (state.detachedTurn && state.detachedTurn.stage !== 'discarding')
      assert.ok(timers.has('detachedTurn'), 'no end in sight');
    if (state.life === 'settled')
      assert.deepEqual(
        [...timers.keys()].filter((key) => key !== 'idleWait'),
        [],
      );
  }

  private fire(pick: number): void {
    const { world } = this;
    const due = [...world.timers].sort(([, a], [, b]) => a - b)[pick % Math.max(1, world.timers.size)];
    if (!due) return;
    world.passedMs = Math.max(world.passedMs, due[1]);
    world.fire(due[0]);
  }

  private finishRequest(pick: number, inputOf: (request: SessionEffect) => SessionInput | undefined): void {
    const { world } = this;
    const request = [...world.requests][pick % Math.max(1, world.requests.size)];
    const input = request && inputOf(request);
    if (!request || !input) return;
    world.requests.delete(request);
    world.send(input);
  }
}

function resultOf(request: SessionEffect, which: number): SessionInput | undefined {
  switch (request.kind) {
    case 'askStatus': {
      const status = SessionStatus.parse({ session_id: 's', ...statuses[which % statuses.length] });
      return { kind: 'status', purpose: request.purpose, status };
    }
    case 'collect': {
      const { call, text } = request;
      return { kind: 'collected', call, text, context: { workspace_root: '/' }, attached: [], wireText: text };
    }
    case 'post':
      return {
        kind: 'promptTaken',
        call: request.call,
        requestId: which % 2 === 0 ? undefined : 'r',
        isAccepted: true,
      };
    default:
      return failureOf(request, undefined);
  }
}

function failureOf(request: SessionEffect, error: unknown): SessionInput | undefined {
  switch (request.kind) {
    case 'askStatus':
      return { kind: 'statusFailed', purpose: request.purpose, error };
    case 'collect':
    case 'post':
      return { kind: 'promptFailed', call: request.call, error };
    case 'answer':
      return { kind: 'answered', purpose: request.purpose, error };
    case 'sendStop':
      return { kind: 'stopSent', way: request.way, error };
    case 'delete':
      return { kind: 'deleted', purpose: request.purpose, error };
    default:
      return undefined;
  }
}

/** Each of random sessions, left by its user at its end, with a server that answers all questions in one way or another. */
function eachSession(check: (session: RandomSession) => void): void {
  const property = fc.property(schedule, fc.nat({ max: statuses.length - 1 }), ({ isReal, moves }, which) => {
    const session = new RandomSession(isReal);
    for (const one of moves) session.make(one);
    session.windDown(which);
    check(session);
  });
  fc.assert(property, { numRuns: 2000, seed: 20_261_123 });
}

describe('any session of an Amplifier server', () => {
  it('comes to an end: nothing is on its way, no timer runs, and all who waited have heard', () => {
    eachSession(({ world, calls }) => {
      assert.equal(world.state.life, 'settled');
      assert.equal(world.made('reportEnded').length, 1);
      assert.equal(world.made('reportSettled').length, 1);
      assert.deepEqual(
        [...world.settled.keys()].sort((a, b) => a - b),
        calls,
      );
      assert.deepEqual(world.settledAgain, []);
    });
  });

  it('leaves no request for an approval to itself', () => {
    eachSession(({ world }) => {
      assert.deepEqual(
        [...world.state.approvals.values()].filter(({ phase }) => phase !== 'resolved'),
        [],
      );
      const answers = [...world.all('approval:granted'), ...world.all('approval:denied')];
      for (const { data } of world.all('approval:required')) {
        const { approval_id: id } = data;
        assert.equal(answers.filter((answer) => answer.data.approval_id === id).length, 1, id);
      }
      for (const { purpose } of world.made('answer')) {
        if (purpose.kind !== 'approval') continue;
        const asked = world.all('approval:required').find(({ data }) => data.approval_id === purpose.id);
        assert.ok(asked?.data.options.includes(purpose.option), `${purpose.option} was not listed`);
      }
    });
  });

  it('denies what is shown when its user leaves, or stops the turn when nothing listed denies', () => {
    eachSession(({ world, shownAtEnd }) => {
      const denied = new Set(
        world.made('answer').flatMap(({ purpose }) => (purpose.kind === 'approval' ? [purpose.id] : [])),
      );
      for (const { id, deny } of shownAtEnd)
        assert.ok(deny === undefined ? world.made('sendStop').length > 0 : denied.has(id), id);
    });
  });

  it('ends every turn that it has begun', () => {
    eachSession(({ world }) => {
      assert.equal(isTurnOpenOrPosting(world.state), false);
      let isOpen = false;
      for (const { event } of world.told) {
        if (event === 'prompt:submit') assert.equal(isOpen, false, 'two turns at once');
        if (event === 'prompt:submit') isOpen = true;
        if (event === 'prompt:complete' || event === 'error') isOpen = false;
      }
      assert.equal(isOpen, false);
    });
  });

  it('does nothing but clean up once its readers have heard the last', () => {
    eachSession(({ afterEnd }) => {
      const kinds = new Set(afterEnd.map(({ kind }) => kind));
      assert.deepEqual(
        [...kinds].filter((kind) => !cleaning.has(kind)),
        [],
      );
      const purposes = afterEnd.flatMap((effect) => (effect.kind === 'askStatus' ? [effect.purpose.kind] : []));
      assert.deepEqual(
        purposes.filter((kind) => kind !== 'detachedTurnCheck' && kind !== 'stop'),
        [],
      );
    });
  });

  it('repeats nothing', () => {
    eachSession(({ world, prompts, echoes }) => {
      for (const name of ['session:start', 'session:end'] as const) assert.ok(world.all(name).length <= 1, name);
      const end = world.said.findIndex(({ event }) => event === 'session:end');
      assert.ok(end === -1 || end === world.said.length - 1);
      const ids = world.all('approval:required').map(({ data }) => data.approval_id);
      assert.equal(new Set(ids).size, ids.length);
      const ours = world.all('prompt:submit').filter(({ data }) => data.prompt !== 'theirs');
      assert.ok(ours.length <= prompts + echoes);
      if (echoes === 0) assert.equal(new Set(ours.map(({ data }) => data.prompt)).size, ours.length);
    });
  });
});
