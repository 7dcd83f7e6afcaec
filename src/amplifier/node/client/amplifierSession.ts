import { setImmediate } from 'node:timers/promises';
import { turnOf } from '../../common/client/clientState';
import type { SessionStatus } from '../../common/api/apiSchema';
import { SessionOutput } from '../../../session/common/engine/sessionOutput';
import type { ConfigOption, SlashCommand } from '../../../session/common/sessionEvents';
import {
  BackendError,
  type BackendSession,
  type PromptInput,
  type ReadEventsOptions,
  type SequencedEvent,
} from '../../../session/common/sessionBackend';
import { TurnChanges, type SessionTurn } from '../../../session/common/sessionTurn';
import { SessionDriver } from './sessionDriver';
import type { AmplifierSessionDeps } from './sessionDeps';

export class AmplifierSession implements BackendSession {
  readonly id: string;
  private readonly output: SessionOutput;
  private readonly driver: SessionDriver;
  readonly onDidChangeTurn;

  constructor(deps: AmplifierSessionDeps) {
    this.id = deps.id;
    this.output = new SessionOutput({
      yieldToOthers: () => setImmediate(),
      redactor: deps.client.redactor,
      textBeforeResume: deps.receivedTurnText,
      // The prefix makes ids unique across connections, because readers may know ids from an earlier connection.
      callIdPrefix: `call-${deps.clock.now().toString(36)}`,
      warnsAboutDeniedRuns: true,
    });
    const turnChanges = new TurnChanges(() => this.turn, deps.log);
    this.onDidChangeTurn = turnChanges.event;
    this.driver = new SessionDriver(deps, this.output, () => turnChanges.check());
  }

  get turn(): SessionTurn {
    return turnOf(this.driver.state);
  }

  get config(): readonly ConfigOption[] {
    return this.driver.state.config;
  }

  get commands(): readonly SlashCommand[] {
    return this.driver.state.commands;
  }

  /** Call this first for an existing session. `askedAtMs` is the time of the status request. */
  resume(status: SessionStatus, askedAtMs: number): void {
    this.driver.sendInput({ kind: 'resume', status, askedAtMs });
  }

  /** Call this first for a new session. */
  markCreated(): void {
    this.driver.sendInput({ kind: 'begin' });
  }

  /** Opens the stream of events. Resolves when it is open. @throws BackendError if it cannot be opened, which ends the session */
  async openStream(): Promise<void> {
    await this.driver.sendAndWait((call) => ({ kind: 'start', call }));
  }

  events(options: ReadEventsOptions = {}): AsyncIterable<SequencedEvent> {
    return this.output.read(options);
  }

  async sendPrompt(prompt: PromptInput): Promise<{ requestId: string }> {
    const requestId = await this.driver.sendAndWait((call) => ({ kind: 'prompt', call, prompt }));
    return { requestId: requestId ?? '' };
  }

  async cancel(): Promise<void> {
    await this.driver.sendAndWait((call) => ({ kind: 'cancel', call }));
  }

  emitNotice(level: 'info' | 'warning', message: string): void {
    this.driver.sendInput({ kind: 'notice', level, message });
  }

  async answerApproval(id: string, option: string): Promise<void> {
    await this.driver.sendAndWait((call) => ({ kind: 'approve', call, id, option }));
  }

  setConfig(): Promise<void> {
    const message =
      'You can’t change the profile or model of an Amplifier session. Start a new conversation to choose others.';
    return Promise.reject(new BackendError('unsupported', message));
  }

  /** Ends the session, also on the server. Never rejects. */
  async close(): Promise<void> {
    await this.driver.sendAndWait((call) => ({ kind: 'close', call }));
  }

  /** Leaves the session loadable on the server. Stops its own turn and denies its approvals. */
  dispose(): void {
    this.driver.sendInput({ kind: 'dispose' });
  }
}
