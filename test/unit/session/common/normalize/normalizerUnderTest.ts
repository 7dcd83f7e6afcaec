import { SessionNormalizer } from '../../../../../src/session/common/normalize/sessionNormalizer';
import { SessionEvent, type EventData, type SessionEventName } from '../../../../../src/session/common/sessionEvents';

type NormalizerOptions = ConstructorParameters<typeof SessionNormalizer>[1];

/** A normalizer, and what it has told since it was asked last. Start it before each test. */
export class NormalizerUnderTest {
  private told: SessionEvent[] = [];
  private normalizer = new SessionNormalizer((event) => this.told.push(event));

  get emittedTurnText(): string {
    return this.normalizer.emittedTurnText;
  }

  get lastTold(): SessionEvent | undefined {
    return this.told.at(-1);
  }

  /** Begins anew, in a turn. */
  readonly start = (options: NormalizerOptions = {}): void => {
    this.resume(options);
    this.say('session:start', {});
    this.say('prompt:submit', { prompt: 'go', request_id: 'r1' });
    this.told.length = 0;
  };

  /** Begins anew, with a session of which nothing was heard yet. */
  readonly resume = (options: NormalizerOptions = {}): void => {
    this.told = [];
    this.normalizer = new SessionNormalizer((event) => this.told.push(event), options);
  };

  readonly normalize = (event: SessionEvent): void => this.normalizer.normalize(event);

  readonly say = <Name extends SessionEventName>(event: Name, data: Omit<EventData<Name>, 'session_id'>): void =>
    this.normalize(SessionEvent.parse({ event, data: { session_id: 's', ...data } }));

  /** What was told since it was asked last, without the session's id, as far as `keys` name it. */
  readonly heard = (...keys: readonly string[]): unknown[] =>
    this.told.splice(0).map(({ event, data }) => {
      const shown = keys.flatMap((key) => (key in data ? [data[key]] : []));
      return shown.length === 0 ? event : [event, ...shown];
    });

  readonly pre = (call_id?: string, tool_name = 'bash'): void =>
    this.say('tool:pre', { tool_name, operation: 'run', input: {}, ...(call_id === undefined ? {} : { call_id }) });

  readonly post = (call_id?: string, tool_name = 'bash', success = true): void =>
    this.say('tool:post', {
      tool_name,
      operation: 'run',
      result: { success },
      ...(call_id === undefined ? {} : { call_id }),
    });

  readonly delta = (text: string, block_index = 0): void =>
    this.say('content_block:delta', { delta: text, block_index });

  readonly end = (response = ''): void => this.say('prompt:complete', { response });
}
