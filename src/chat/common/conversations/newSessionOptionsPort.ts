import type { ConfigOption, UnattendedAction } from '../../../session/common/sessionEvents';
import type { RequestedOption } from '../../../session/common/optionChoices';
import type { BackendSession, ProfileAndModel } from '../../../session/common/sessionBackend';

/** Provides the options of new sessions, and stores the options that sessions offer. */
export interface NewSessionOptionsPort {
  /** Returns the profile and model for a session of an Amplifier server. */
  serverChoices(backendId: string): ProfileAndModel;
  /** Returns the options to set on an agent's session before its first prompt. */
  choicesForNewSession(backendId: string): readonly RequestedOption[];
  /** Stores the agent's own defaults, which a new session has reported. */
  recordOfferedOptions(backendId: string, options: readonly ConfigOption[]): void;
  /** Sets the prepared session whose options and commands are shown. Undefined if there is none any more. */
  setPreparedSession(backendId: string, session: Pick<BackendSession, 'config' | 'commands'> | undefined): void;
  /** Records what an agent did without approval. Undefined if it requested approval. */
  recordUnattendedAction(backendId: string, unattended: UnattendedAction | undefined): void;
  /**
   * Returns a notice about a choice that the agent does not offer. Undefined if none is needed or it was shown before.
   */
  noticeForUnofferedChoice(backendId: string, choice: RequestedOption): string | undefined;
}
