import { withDeadline } from '../../../base/common/async';
import type { Disposable } from '../../../base/common/disposable';
import { reduceSession } from '../../common/client/reduceSession';
import type {
  CallId,
  EffectHandlers,
  EffectKind,
  SessionEffect,
  SessionInput,
  TimerKey,
} from '../../common/client/sessionInput';
import { initialSessionState, isExpectingEvents, type SessionState } from '../../common/client/clientState';
import type { SessionOutput } from '../../../session/common/engine/sessionOutput';
import type { SessionStatus } from '../../common/api/apiSchema';
import type { EventConnectionRequest } from './stream/eventConnection';
import { EventDecoder } from './stream/eventDecoder';
import { EventStream } from './stream/eventStream';
import type { AmplifierSessionDeps } from './sessionDeps';
import { sendStopOverWebSocket } from './stream/webSocketConnection';

const maxControlLength = 16 * 1024 * 1024;
const controlTimeoutMs = 5000;

type Caller = PromiseWithResolvers<string | undefined>;

/** Performs the reducer's effects and returns results as inputs. Owns timers, requests and the stream. */
export class SessionDriver {
  private currentState: SessionState;
  private readonly inputQueue: SessionInput[] = [];
  private isReducing = false;
  private readonly timerByKey = new Map<TimerKey, Disposable>();
  private readonly pendingCallerById = new Map<CallId, Caller>();
  private lastCallId = 0;
  private readonly abortControllerByKind = new Map<string, AbortController>();
  private readonly eventStream: EventStream;
  private readonly effectHandlers: EffectHandlers;
  private readonly sessionSettled: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(
    private readonly deps: AmplifierSessionDeps,
    private readonly output: SessionOutput,
    /** Called when the state has changed, after its events were added to the log. */
    private readonly onDidReduce: () => void,
  ) {
    const { id, usageIsCumulative, limits } = deps;
    this.currentState = initialSessionState({ sessionId: id, usageIsCumulative, limits });
    this.eventStream = this.createEventStream();
    this.effectHandlers = this.createEffectHandlers(deps);
  }

  get state(): SessionState {
    return this.currentState;
  }

  sendInput(input: SessionInput): void {
    this.inputQueue.push(input);
    // Inputs that effects cause are queued until all effects of the current input are done.
    if (this.isReducing) return;
    this.isReducing = true;
    try {
      for (let next = this.inputQueue.shift(); next; next = this.inputQueue.shift()) this.reduce(next);
    } finally {
      this.isReducing = false;
    }
  }

  /** Sends an input and resolves when the reducer settles the call. */
  sendAndWait(input: (call: CallId) => SessionInput): Promise<string | undefined> {
    const call = ++this.lastCallId;
    const caller: Caller = Promise.withResolvers();
    this.pendingCallerById.set(call, caller);
    this.sendInput(input(call));
    return caller.promise;
  }

  private reduce(input: SessionInput): void {
    const { clock } = this.deps;
    const at = { nowMs: clock.monotonicNow(), timeMs: clock.now() };
    const { state, events, effects } = reduceSession(this.currentState, input, at);
    this.currentState = state;
    for (const event of events) this.output.append(event);
    this.onDidReduce();
    for (const effect of effects) perform(this.effectHandlers, effect);
  }

  private createEffectHandlers({
    client,
    clock,
    context,
    cwd,
    id,
    log,
    ...callbacks
  }: AmplifierSessionDeps): EffectHandlers {
    return {
      setTimer: ({ key, delayMs }) => {
        this.timerByKey.get(key)?.dispose();
        const fire = (): void => {
          this.timerByKey.delete(key);
          this.sendInput({ kind: 'timer', key });
        };
        this.timerByKey.set(key, clock.setTimer(delayMs, fire));
      },
      clearTimer: ({ key }) => {
        this.timerByKey.get(key)?.dispose();
        this.timerByKey.delete(key);
      },
      openStream: () => this.eventStream.start(),
      reconnect: () => this.eventStream.reconnect(),
      closeStream: () => this.eventStream.dispose(),
      continueAfter: ({ eventId }) => this.eventStream.resumeAfter(String(eventId)),
      askStatus: ({ purpose, timeoutMs }) => {
        const ask = (signal: AbortSignal): Promise<SessionStatus> => client.getSession(id, signal);
        const failed = (error: unknown): SessionInput => ({ kind: 'statusFailed', purpose, error });
        this.runRequest(purpose.kind, ask, (status) => ({ kind: 'status', purpose, status }), failed, timeoutMs);
      },
      collect: ({ call, text, files }) =>
        this.runRequest(
          'prompt',
          () => Promise.all([context.collect(cwd), context.readFiles(files)]),
          ([found, attached]) => {
            // The server's report of the prompt arrives redacted, so the expected text must be redacted, too.
            return {
              kind: 'collected',
              call,
              context: found,
              attached,
              text,
              wireText: client.redactor.redactText(text),
            };
          },
          (error) => ({ kind: 'promptFailed', call, error }),
        ),
      post: ({ call, request }) =>
        this.runRequest(
          'post',
          () => client.sendPrompt(id, request),
          ({ request_id: requestId, isAccepted }) => ({ kind: 'promptTaken', call, requestId, isAccepted }),
          (error) => ({ kind: 'promptFailed', call, error }),
        ),
      answer: ({ purpose, body, timeoutMs }) => {
        const ended = (error: unknown): SessionInput => ({ kind: 'answered', purpose, error });
        this.runRequestWithoutResult('answer', () => client.answerApproval(id, body, timeoutMs), ended);
      },
      sendStop: ({ way }) => {
        const sendStop = (signal: AbortSignal): Promise<unknown> =>
          way === 'route' ? client.cancelTurn(id, signal) : sendStopOverWebSocket(this.connectionRequestForStop());
        this.runRequestWithoutResult('stop', sendStop, (error) => ({ kind: 'stopSent', way, error }));
      },
      delete: ({ purpose, timeoutMs }) => {
        const end = (signal: AbortSignal): Promise<unknown> => client.deleteSession(id, signal);
        const ended = (error: unknown): SessionInput => ({ kind: 'deleted', purpose, error });
        this.runRequestWithoutResult(purpose === 'discard' ? purpose : 'stop', end, ended, timeoutMs);
      },
      abort: ({ purpose }) => {
        this.abortControllerByKind.get(purpose)?.abort();
        this.abortControllerByKind.delete(purpose);
      },
      settle: ({ call, error, requestId }) => {
        const caller = this.pendingCallerById.get(call);
        this.pendingCallerById.delete(call);
        if (error === undefined) caller?.resolve(requestId);
        else caller?.reject(error);
      },
      log: ({ level, message }) => log[level](message),
      reportConnected: () => callbacks.onConnected(),
      reportReconnecting: ({ attempt, delayMs }) => callbacks.onReconnecting(attempt, delayMs),
      reportEnded: () => {
        this.output.end();
        const dispose = (): void => this.sendInput({ kind: 'giveUp' });
        callbacks.onEnded({ whenSettled: () => this.sessionSettled.promise, dispose });
      },
      reportSettled: () => this.sessionSettled.resolve(),
    };
  }

  private runRequest<T>(
    kind: string,
    work: (signal: AbortSignal) => Promise<T>,
    done: (result: T) => SessionInput,
    failed: (error: unknown) => SessionInput,
    timeoutMs?: number,
  ): void {
    const abort = this.abortControllerByKind.get(kind) ?? new AbortController();
    this.abortControllerByKind.set(kind, abort);
    void this.runWithTimeout(work, abort.signal, timeoutMs)
      .then(done, failed)
      .then((input) => {
        // Results of aborted requests are discarded.
        if (!abort.signal.aborted) this.sendInput(input);
      });
  }

  private runRequestWithoutResult(
    kind: string,
    work: (signal: AbortSignal) => Promise<unknown>,
    ended: (error: unknown) => SessionInput,
    timeoutMs?: number,
  ): void {
    this.runRequest(kind, work, () => ended(undefined), ended, timeoutMs);
  }

  private async runWithTimeout<T>(
    work: (signal: AbortSignal) => Promise<T>,
    signal: AbortSignal,
    timeoutMs?: number,
  ): Promise<T> {
    if (timeoutMs === undefined) return await work(signal);
    return await withDeadline(this.deps.clock, 'A request to the server', timeoutMs, work);
  }

  private connectionRequestForStop(): EventConnectionRequest {
    const { client, id } = this.deps;
    const redact = (text: string): string => client.redactor.redactJson(text);
    const limits = { maxEventLength: maxControlLength, connectTimeoutMs: controlTimeoutMs };
    return { ...limits, http: client.http, url: client.webSocketUrl(id), headers: client.authorizationHeaders, redact };
  }

  private createEventStream(): EventStream {
    const { client, id, clock, random, log, limits } = this.deps;
    const decoder = new EventDecoder(
      id,
      log,
      (event) => this.sendInput({ kind: 'event', event }),
      () => this.sendInput({ kind: 'lostApproval' }),
    );
    return new EventStream({
      ...limits,
      http: client.http,
      eventsUrl: client.eventsUrl(id),
      webSocketUrl: client.webSocketUrl(id),
      headers: client.authorizationHeaders,
      redact: (text) => client.redactor.redactJson(text),
      clock,
      random,
      isExpectingEvents: () => isExpectingEvents(this.currentState),
      handlers: {
        onMessage: (message) => decoder.decode(message),
        onConnected: () => this.sendInput({ kind: 'connected' }),
        onStable: () => this.sendInput({ kind: 'lasting' }),
        onReconnecting: (attempt, delayMs) => this.sendInput({ kind: 'reconnecting', attempt, delayMs }),
        onActivity: () => this.sendInput({ kind: 'activity' }),
        onOversize: () => this.sendInput({ kind: 'oversize' }),
        onFailed: (error) => this.sendInput({ kind: 'streamFailed', error }),
      },
    });
  }
}

function perform<Kind extends EffectKind>(handlers: EffectHandlers, effect: SessionEffect<Kind>): void {
  handlers[effect.kind](effect);
}
