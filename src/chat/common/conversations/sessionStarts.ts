import type { ConfigOption, Unattended } from '../../../session/common/sessionEvents';
import type { OptionChoice } from '../../../session/common/optionChoices';
import type { BackendSession, SessionChoices } from '../../../session/common/sessionBackend';

/** What new sessions begin with, and what is learnt from them. */
export interface SessionStarts {
  /** Amplifier's profile and model. */
  choices(backendId: string): SessionChoices;
  /** What an agent's session is set to before its first prompt. */
  wanted(backendId: string): readonly OptionChoice[];
  /** A session has just been made: so the agent sets its options by itself. */
  learn(backendId: string, options: readonly ConfigOption[]): void;
  /** What the session that waits for its first prompt says; undefined when none waits any more. */
  showWaiting(backendId: string, session: Pick<BackendSession, 'config' | 'commands'> | undefined): void;
  /** What an agent was seen to do without asking; undefined when it asked. */
  saw(backendId: string, unattended: Unattended | undefined): void;
  /** What to tell the user of a choice that the agent does not offer; undefined when there is nothing, or it was told. */
  notOffered(backendId: string, choice: OptionChoice): string | undefined;
}
