import type { ConfigOption, UnattendedAction } from '../../../session/common/sessionEvents';
import type { OptionChoice } from '../../../session/common/optionChoices';
import type { BackendSession, SessionChoices } from '../../../session/common/sessionBackend';

/** Provides the options of new sessions, and remembers what sessions offer. */
export interface SessionDefaults {
  /** Returns the profile and model for a session of an Amplifier server. */
  serverChoices(backendId: string): SessionChoices;
  /** Returns the options to set on an agent's session before its first prompt. */
  initialChoices(backendId: string): readonly OptionChoice[];
  /** Remembers the agent's own defaults, from a new session. */
  recordOfferedOptions(backendId: string, options: readonly ConfigOption[]): void;
  /** Sets the prepared session whose options and commands are shown, or undefined if there is none any more. */
  setPreparedSession(backendId: string, session: Pick<BackendSession, 'config' | 'commands'> | undefined): void;
  /** Records what an agent did without asking; undefined if it asked. */
  recordUnattended(backendId: string, unattended: UnattendedAction | undefined): void;
  /** Returns a notice about a choice that the agent doesn't offer; undefined if the user needn't know, or was told already. */
  noticeForUnofferedChoice(backendId: string, choice: OptionChoice): string | undefined;
}
