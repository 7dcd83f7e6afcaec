import { withDeadline } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { reduceSession } from '../../common/client/reduceSession';
import type {
  Call,
  EffectHandlers,
  EffectKind,
  SessionEffect,
  SessionInput,
  TimerKey,
} from '../../common/client/sessionInput';
import { initialSession, isExpectingEvents, type SessionState } from '../../common/client/clientState';
import type { EventLog } from '../../../session/common/eventLog';
import type { SessionStatus } from '../../common/api/apiSchema';
import type { EventConnectionRequest } from './stream/eventConnection';
import { EventDecoder } from './stream/eventDecoder';
import { EventStream } from './stream/eventStream';
import type { AmplifierSessionOptions } from './sessionOptions';
import { sendStop } from './stream/webSocketConnection';

const maxControlLength = 16 * 1024 * 1024;
const controlTimeoutMs = 5000;

type Caller = PromiseWithResolvers<string | undefined>;

/** Performs the effects of the session reducer and feeds back the results. Owns timers, requests and the stream. */
export class SessionDriver {
  private current: SessionState;
  private readonly inputs: SessionInput[] = [];
  private isReducing = false;
  private readonly timers = new Map<TimerKey, Disposable>();
  private readonly callers = new Map<Call, Caller>();
  private lastCall = 0;
  private readonly aborts = new Map<string, AbortController>();
  private readonly stream: EventStream;
  private readonly handlers: EffectHandlers;
  private readonly settled: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(
    private readonly options: AmplifierSessionOptions,
    private readonly eventLog: EventLog,
  ) {
    const { id, usageIsCumulative, limits } = options;
    this.current = initialSession({ sessionId: id, usageIsCumulative, limits });
    this.stream = this.createStream();
    this.handlers = this.createHandlers(options);
  }

  get state(): SessionState {
    return this.current;
  }

  send(input: SessionInput): void {
    this.inputs.push(input);
    // Inputs from effects are queued until all effects of the current input are done.
    if (this.isReducing) return;
    this.isReducing = true;
    try {
      for (let next = this.inputs.shift(); next; next = this.inputs.shift()) this.reduce(next);
    } finally {
      this.isReducing = false;
    }
  }

  /** Sends an input and resolves when the reducer settles the call. */
  call(input: (call: Call) => SessionInput): Promise<string | undefined> {
    const call = ++this.lastCall;
    const caller: Caller = Promise.withResolvers();
    this.callers.set(call, caller);
    this.send(input(call));
    return caller.promise;
  }

  private reduce(input: SessionInput): void {
    const { clock } = this.options;
    const at = { nowMs: clock.monotonicNow(), timeMs: clock.now() };
    const { state, events, effects } = reduceSession(this.current, input, at);
    this.current = state;
    for (const event of events) this.eventLog.append(event);
    for (const effect of effects) perform(this.handlers, effect);
  }

  private createHandlers({ client, clock, context, cwd, id, log, ...tell }: AmplifierSessionOptions): EffectHandlers {
    return {
      setTimer: ({ key, delayMs }) => {
        this.timers.get(key)?.dispose();
        const fire = (): void => {
          this.timers.delete(key);
          this.send({ kind: 'timer', key });
        };
        this.timers.set(key, clock.setTimer(delayMs, fire));
      },
      clearTimer: ({ key }) => {
        this.timers.get(key)?.dispose();
        this.timers.delete(key);
      },
      openStream: () => this.stream.start(),
      reconnect: () => this.stream.reconnect(),
      closeStream: () => this.stream.dispose(),
      goOnAfter: ({ eventId }) => this.stream.goOnAfter(String(eventId)),
      askStatus: ({ purpose, timeoutMs }) => {
        const ask = (signal: AbortSignal): Promise<SessionStatus> => client.getSession(id, signal);
        const failed = (error: unknown): SessionInput => ({ kind: 'statusFailed', purpose, error });
        this.request(purpose.kind, ask, (status) => ({ kind: 'status', purpose, status }), failed, timeoutMs);
      },
      collect: ({ call, text, files }) =>
        this.request(
          'prompt',
          () => Promise.all([context.collect(cwd), context.openFiles(files)]),
          ([found, attached]) => {
            // The server's echo of the prompt arrives redacted.
            return { kind: 'collected', call, context: found, attached, text, wireText: client.redactor.text(text) };
          },
          (error) => ({ kind: 'promptFailed', call, error }),
        ),
      post: ({ call, request }) =>
        this.request(
          'post',
          () => client.prompt(id, request),
          ({ request_id: requestId, isAccepted }) => ({ kind: 'promptTaken', requestId, isAccepted }),
          (error) => ({ kind: 'promptFailed', call, error }),
        ),
      answer: ({ purpose, body, timeoutMs }) => {
        const ended = (error: unknown): SessionInput => ({ kind: 'answered', purpose, error });
        this.attempt('answer', () => client.approve(id, body, timeoutMs), ended);
      },
      tell: ({ way }) => {
        const tellOnce = (signal: AbortSignal): Promise<unknown> =>
          way === 'route' ? client.cancelTurn(id, signal) : sendStop(this.controlRequest());
        this.attempt('stop', tellOnce, (error) => ({ kind: 'told', way, error }));
      },
      delete: ({ purpose, timeoutMs }) => {
        const end = (signal: AbortSignal): Promise<unknown> => client.deleteSession(id, signal);
        const ended = (error: unknown): SessionInput => ({ kind: 'deleted', purpose, error });
        this.attempt(purpose === 'discard' ? purpose : 'stop', end, ended, timeoutMs);
      },
      abort: ({ purpose }) => {
        this.aborts.get(purpose)?.abort();
        this.aborts.delete(purpose);
      },
      settle: ({ call, error, requestId }) => {
        const caller = this.callers.get(call);
        this.callers.delete(call);
        if (error === undefined) caller?.resolve(requestId);
        else caller?.reject(error);
      },
      log: ({ level, message }) => log[level](message),
      tellConnected: () => tell.onConnected(),
      tellReconnecting: ({ attempt, delayMs }) => tell.onReconnecting(attempt, delayMs),
      tellEnded: () => {
        this.eventLog.end();
        const dispose = (): void => this.send({ kind: 'giveUp' });
        tell.onEnded({ whenSettled: () => this.settled.promise, dispose });
      },
      tellSettled: () => this.settled.resolve(),
    };
  }

  private request<T>(
    kind: string,
    work: (signal: AbortSignal) => Promise<T>,
    done: (result: T) => SessionInput,
    failed: (error: unknown) => SessionInput,
    timeoutMs?: number,
  ): void {
    const abort = this.aborts.get(kind) ?? new AbortController();
    this.aborts.set(kind, abort);
    void this.run(work, abort.signal, timeoutMs)
      .then(done, failed)
      .then((input) => {
        // Discard results of aborted requests.
        if (!abort.signal.aborted) this.send(input);
      });
  }

  /** Runs a request without a result. */
  private attempt(
    kind: string,
    work: (signal: AbortSignal) => Promise<unknown>,
    ended: (error: unknown) => SessionInput,
    timeoutMs?: number,
  ): void {
    this.request(kind, work, () => ended(undefined), ended, timeoutMs);
  }

  private async run<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal, timeoutMs?: number): Promise<T> {
    if (timeoutMs === undefined) return await work(signal);
    return await withDeadline(this.options.clock, 'A request to the server', timeoutMs, work);
  }

  private controlRequest(): EventConnectionRequest {
    const { client, id } = this.options;
    const redact = (text: string): string => client.redactor.json(text);
    const limits = { maxEventLength: maxControlLength, connectTimeoutMs: controlTimeoutMs };
    return { ...limits, url: client.webSocketUrl(id), headers: client.headers, redact };
  }

  private createStream(): EventStream {
    const { client, id, clock, random, log, limits } = this.options;
    const decoder = new EventDecoder(
      id,
      log,
      client.redactor,
      (event) => this.send({ kind: 'event', event }),
      () => this.send({ kind: 'lostApproval' }),
    );
    return new EventStream({
      ...limits,
      eventsUrl: client.eventsUrl(id),
      webSocketUrl: client.webSocketUrl(id),
      headers: client.headers,
      redact: (text) => client.redactor.json(text),
      clock,
      random,
      isExpectingEvents: () => isExpectingEvents(this.current),
      handlers: {
        onMessage: (message) => decoder.decode(message),
        onConnected: () => this.send({ kind: 'connected' }),
        onLasting: () => this.send({ kind: 'lasting' }),
        onReconnecting: (attempt, delayMs) => this.send({ kind: 'reconnecting', attempt, delayMs }),
        onActivity: () => this.send({ kind: 'activity' }),
        onOversize: () => this.send({ kind: 'oversize' }),
        onFailed: (error) => this.send({ kind: 'streamFailed', error }),
      },
    });
  }
}

function perform<Kind extends EffectKind>(handlers: EffectHandlers, effect: SessionEffect<Kind>): void {
  handlers[effect.kind](effect);
}
