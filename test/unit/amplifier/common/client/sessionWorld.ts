import assert from 'node:assert/strict';
import { reduceSession } from '../../../../../src/amplifier/common/client/reduceSession';
import type {
  EffectKind,
  SessionEffect,
  SessionInput,
  TimerKey,
} from '../../../../../src/amplifier/common/client/sessionInput';
import {
  initialSessionState,
  type SessionLimits,
  type SessionState,
} from '../../../../../src/amplifier/common/client/clientState';
import { SessionStatus } from '../../../../../src/amplifier/common/api/apiSchema';
import { decodeStreamMessage } from '../../../../../src/amplifier/common/api/streamMessages';
import { SessionGrammar } from '../../../../../src/session/common/normalize/sessionGrammar';
import { SessionNormalizer } from '../../../../../src/session/common/normalize/sessionNormalizer';
import type { EventOf, SessionEvent, SessionEventName } from '../../../../../src/session/common/sessionEvents';

/** What a test answers in the server's place. */
const requestKinds = ['askStatus', 'collect', 'post', 'answer', 'sendStop', 'delete'] as const;
type Request = SessionEffect<(typeof requestKinds)[number]>;

/** A session's reducer with a clock, and with everything that it asks for laid open. */
export class SessionWorld {
  state: SessionState;
  /** As the reducer said it. */
  readonly said: SessionEvent[] = [];
  /** As readers get it. */
  readonly told: SessionEvent[] = [];
  readonly effects: SessionEffect[] = [];
  readonly requests = new Set<Request>();
  readonly timers = new Map<TimerKey, number>();
  /** By call: the error, or undefined where all went well. */
  readonly settled = new Map<number, unknown>();
  /** Calls that were settled more than once. */
  readonly settledAgain: number[] = [];
  passedMs = 0;
  /** How much the time of day was set forward. */
  jumpedMs = 0;
  private calls = 0;
  private readonly grammar = new SessionGrammar();
  private readonly normalizer = new SessionNormalizer((event) => this.tell(event), { warnsAboutDeniedRuns: true });

  constructor({ isReal = false, limits = {} }: { isReal?: boolean; limits?: Partial<SessionLimits> } = {}) {
    this.state = initialSessionState({ sessionId: 's', usageIsCumulative: isReal, limits });
  }

  get timeMs(): number {
    return 1_000_000 + this.passedMs + this.jumpedMs;
  }

  send(input: SessionInput): void {
    const at = { nowMs: 1e9 + this.passedMs, timeMs: this.timeMs };
    const { state, events, effects } = reduceSession(this.state, input, at);
    this.state = state;
    this.said.push(...events);
    for (const event of events) this.normalizer.normalize(event);
    for (const effect of effects) this.perform(effect);
  }

  /** Sends what somebody waits for; returns by which number it is settled. */
  call(input: (call: number) => SessionInput): number {
    const call = ++this.calls;
    this.send(input(call));
    return call;
  }

  begin(text = 'go', requestId = 'req-1'): void {
    this.post(text);
    this.take(requestId);
    this.say('prompt:submit', { prompt: text });
  }

  /** A prompt on its way: the server has not answered. */
  post(text = 'go', wireText = text): number {
    const call = this.call((id) => ({ kind: 'prompt', call: id, prompt: { text } }));
    this.answerStatus('prompt', 'idle');
    const [collect] = this.asked('collect');
    assert.ok(collect);
    this.requests.delete(collect);
    const context = { workspace_root: '/ws' };
    this.send({ kind: 'collected', call, text: collect.text, context, attached: [], wireText });
    return call;
  }

  take(requestId: string | undefined = 'req-1'): void {
    const { call } = this.done('post');
    this.send({ kind: 'promptTaken', call, requestId, isAccepted: !this.state.usage.isCumulative });
  }

  say(event: string, data: Record<string, unknown> = {}): void {
    const decoded = decodeStreamMessage('s', { data: JSON.stringify({ event, data: { session_id: 's', ...data } }) });
    if (!('event' in decoded)) assert.fail(`${event} does not count`);
    this.send({ kind: 'event', event: decoded });
  }

  connect(): void {
    this.send({ kind: 'connected' });
  }

  /** Answers the oldest question for the status that has this purpose. */
  answerStatus(purpose: string, status: string, rest: Record<string, unknown> = {}): void {
    const request = this.asked('askStatus').find((asked) => asked.purpose.kind === purpose);
    assert.ok(request, `no ${purpose}`);
    this.requests.delete(request);
    const read = SessionStatus.parse({ session_id: 's', status, ...rest });
    this.send({ kind: 'status', purpose: request.purpose, status: read });
  }

  /** Ends the oldest answer to an approval that is on its way. */
  answered(error?: unknown): void {
    const { purpose } = this.done('answer');
    this.send({ kind: 'answered', purpose, error });
  }

  asked<Kind extends Request['kind']>(kind: Kind): Extract<Request, { readonly kind: Kind }>[] {
    return [...this.requests].filter(
      (request): request is Extract<Request, { readonly kind: Kind }> => request.kind === kind,
    );
  }

  /** All requests of a kind that were ever made. */
  made<Kind extends EffectKind>(kind: Kind): Extract<SessionEffect, { readonly kind: Kind }>[] {
    return this.effects.filter(
      (effect): effect is Extract<SessionEffect, { readonly kind: Kind }> => effect.kind === kind,
    );
  }

  get names(): string[] {
    return this.told.map(({ event }) => event);
  }

  all<Name extends SessionEventName>(name: Name): EventOf<Name>[] {
    return this.told.filter((event): event is EventOf<Name> => event.event === name);
  }

  /** Runs what falls due on the way, in order of time. */
  advance(ms: number): void {
    const endMs = this.passedMs + ms;
    for (;;) {
      const [next] = [...this.timers].filter(([, dueMs]) => dueMs <= endMs).sort(([, a], [, b]) => a - b);
      if (!next) break;
      this.passedMs = Math.max(this.passedMs, next[1]);
      this.fire(next[0]);
    }
    this.passedMs = endMs;
  }

  fire(key: TimerKey): void {
    this.timers.delete(key);
    this.send({ kind: 'timer', key });
  }

  private done<Kind extends Request['kind']>(kind: Kind): Extract<Request, { readonly kind: Kind }> {
    const [request] = this.asked(kind);
    assert.ok(request, `no ${kind}`);
    this.requests.delete(request);
    return request;
  }

  private tell(event: SessionEvent): void {
    this.told.push(event);
    assert.equal(this.grammar.checkEvent(event)?.rule, undefined);
  }

  private perform(effect: SessionEffect): void {
    this.effects.push(effect);
    if (effect.kind === 'setTimer') this.timers.set(effect.key, this.passedMs + effect.delayMs);
    else if (effect.kind === 'clearTimer') this.timers.delete(effect.key);
    else if (effect.kind === 'settle') {
      if (this.settled.has(effect.call)) this.settledAgain.push(effect.call);
      this.settled.set(effect.call, effect.error);
    } else if (effect.kind === 'abort') {
      for (const request of this.requests) if (kindOf(request) === effect.purpose) this.requests.delete(request);
    } else if (isRequest(effect)) this.requests.add(effect);
  }
}

function isRequest(effect: SessionEffect): effect is Request {
  return requestKinds.some((kind) => kind === effect.kind);
}

/** By which requests are aborted, as the driver does it. */
function kindOf(request: Request): string {
  switch (request.kind) {
    case 'askStatus':
      return request.purpose.kind;
    case 'collect':
      return 'prompt';
    case 'sendStop':
      return 'stop';
    case 'delete':
      return request.purpose === 'discard' ? 'discard' : 'stop';
    default:
      return request.kind;
  }
}
