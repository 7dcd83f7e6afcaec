import type { ConfigOption, UnattendedAction } from '../../../session/common/sessionEvents';
import type { OptionValue, RequestedOption } from '../../../session/common/optionChoices';
import type { BackendSession, ProfileAndModel } from '../../../session/common/sessionBackend';
import type { PresetOfConversation } from '../chatView';
import type { OptionView } from '../chatView';

/** The options of new sessions with one backend. Members that only agents or only servers need are absent for the others. */
export interface BackendOptions {
  /** The known options with the user's choices applied. */
  readonly options: OptionView[];
  /** Sets the user's choice for the next conversation and stores it for later ones. */
  choose(optionId: string, value: OptionValue): void;

  /** The profile and model for a session of an Amplifier server. */
  readonly profileAndModel?: ProfileAndModel;
  /** Asks the server for its options. Never rejects. */
  refresh?(): Promise<void>;

  /** The options to set on an agent's session before its first prompt. */
  readonly choicesForNewSession?: readonly RequestedOption[];
  /** What the agent did without approval in earlier turns, if anything. */
  readonly observedUnattendedAction?: UnattendedAction | undefined;
  /** Stores the agent's own defaults, which a new session has reported. */
  recordOfferedOptions?(options: readonly ConfigOption[]): void;
  /** Records what the agent did without approval. Undefined if it requested approval. */
  recordUnattendedAction?(unattended: UnattendedAction | undefined): void;
  /** Returns a notice about a choice that the agent does not offer. Undefined if none is needed or it was shown before. */
  noticeForUnofferedChoice?(choice: RequestedOption): string | undefined;
  /**
   * Stores a choice that was made inside a conversation, as the default for later conversations. Values with which the
   * agent acts without approval are not stored, because the user may want that for only one task.
   */
  rememberChoice?(option: OptionView | undefined, value: OptionValue): void;
  /** Sets the values of a preset, by option id or by `mode` or `model`, for only the next conversation. */
  chooseOnce?(values: Readonly<Record<string, OptionValue>>): void;
  /** Clears the choices for a conversation that has now started. */
  clearOneTimeChoices?(): void;
}

/** Provides the options of new sessions, and stores the options that sessions offer. */
export interface NewSessionOptionsPort {
  of(backendId: string): BackendOptions;
  /** Returns what the agent is told in each turn of a conversation that began with the preset. Empty if nothing. */
  instructionsFor?(preset: PresetOfConversation | undefined): string;
  /** Returns the preset that the next conversation with the backend begins with. */
  presetFor?(backendId: string): PresetOfConversation | undefined;
  /** Sets the prepared session whose options and commands are shown. Undefined if there is none any more. */
  setPreparedSession(backendId: string, session: Pick<BackendSession, 'config' | 'commands'> | undefined): void;
}
