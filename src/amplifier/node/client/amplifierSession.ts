import { setImmediate } from 'node:timers/promises';
import { isSessionBusy } from '../../common/client/clientState';
import type { SessionStatus } from '../../common/api/apiSchema';
import { EventLog } from '../../../session/common/eventLog';
import type { ConfigOption, SlashCommand } from '../../../session/common/sessionEvents';
import {
  BackendError,
  type BackendSession,
  type PromptInput,
  type SequencedEvent,
} from '../../../session/common/sessionBackend';
import { SessionDriver } from './sessionDriver';
import type { AmplifierSessionOptions } from './sessionOptions';

/** One session of an Amplifier server, as those who use it see it. */
export class AmplifierSession implements BackendSession {
  readonly id: string;
  private readonly eventLog: EventLog;
  private readonly driver: SessionDriver;

  constructor(options: AmplifierSessionOptions) {
    this.id = options.id;
    this.eventLog = new EventLog(() => setImmediate(), {
      heard: options.heard,
      // What its reader knows from before has other ids.
      callIdPrefix: `call-${options.clock.now().toString(36)}`,
      warnsOfDeniedRuns: true,
    });
    this.driver = new SessionDriver(options, this.eventLog);
  }

  get isBusy(): boolean {
    return isSessionBusy(this.driver.state);
  }

  get config(): readonly ConfigOption[] {
    return this.driver.state.config;
  }

  get commands(): readonly SlashCommand[] {
    return this.driver.state.commands;
  }

  /** For a session that ran before it was opened here; its status was asked for at `askedAtMs`. */
  resume(status: SessionStatus, askedAtMs: number): void {
    this.driver.send({ kind: 'resume', status, askedAtMs });
  }

  /** For a session that was made just now. */
  begin(): void {
    this.driver.send({ kind: 'begin' });
  }

  /**
   * Resolves when the stream is open, so that no event of the first prompt is missed.
   * @throws BackendError when it cannot be opened; the session is over then
   */
  async start(): Promise<void> {
    await this.driver.call((call) => ({ kind: 'start', call }));
  }

  events(options: { afterSequence?: number; signal?: AbortSignal } = {}): AsyncIterable<SequencedEvent> {
    return this.eventLog.read(options);
  }

  async prompt(prompt: PromptInput): Promise<{ requestId: string }> {
    const requestId = await this.driver.call((call) => ({ kind: 'prompt', call, prompt }));
    return { requestId: requestId ?? '' };
  }

  async cancel(): Promise<void> {
    await this.driver.call((call) => ({ kind: 'cancel', call }));
  }

  /** Tells the readers of the session something that no event of the server says. */
  notice(level: 'info' | 'warning', message: string): void {
    this.driver.send({ kind: 'notice', level, message });
  }

  async approve(id: string, option: string): Promise<void> {
    await this.driver.call((call) => ({ kind: 'approve', call, id, option }));
  }

  setConfig(): Promise<void> {
    return Promise.reject(
      new BackendError(
        'unsupported',
        'The profile and model of an Amplifier session cannot be changed. Start a new chat to choose others.',
      ),
    );
  }

  /** Ends the session on the server too; a server that is gone has ended it already. Never rejects. */
  async close(): Promise<void> {
    await this.driver.call((call) => ({ kind: 'close', call }));
  }

  /**
   * Lets go of the session and leaves it on the server, from where it can be loaded again. A turn that was begun here is
   * stopped, as far as the server lets it be, and denied what it asks for.
   */
  dispose(): void {
    this.driver.send({ kind: 'dispose' });
  }
}
