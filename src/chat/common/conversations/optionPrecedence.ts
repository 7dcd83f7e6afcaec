import type { ConfigOption } from '../../../session/common/sessionEvents';
import {
  isModeOption,
  findOption,
  findOfferedValue,
  type RequestedOption,
  type OptionValue,
} from '../../../session/common/optionChoices';

type Values = Readonly<Record<string, OptionValue>>;

/** The sources of initial options, highest precedence first. The agent's own defaults come last. */
export interface OptionSources {
  /** The user's choices for this conversation, by option id. */
  readonly user: Values;
  /** Values from the settings, by option id, or by `mode` or `model`. */
  readonly settings: Values;
  /** The user's earlier choices, by option id. */
  readonly remembered: Values;
}

const precedence = ['user', 'settings', 'remembered'] as const;

/** Returns the options with their values in a new conversation. */
export function optionsOfNewSession<Option extends ConfigOption>(
  offered: readonly Option[],
  sources: OptionSources,
): Option[] {
  return offered.map((option) => {
    const wanted = wantedValue(option, offered, sources);
    return wanted === undefined ? option : withValue(option, wanted.value);
  });
}

/** Returns the options to set on a new session. `offered`: those that the user has seen; empty for a new agent. */
export function choicesForNewSession(offered: readonly ConfigOption[], sources: OptionSources): RequestedOption[] {
  const seen = offered.flatMap((option): RequestedOption[] => {
    const wanted = wantedValue(option, offered, sources);
    if (wanted) return [{ option: option.id, ...wanted, isShown: true }];
    // The session must have the mode that the user has seen, even if the user did not choose it.
    const shown = { option: option.id, value: option.value, from: 'shown', isShown: true } as const;
    return isModeOption(option) ? [shown] : [];
  });
  const unseen = precedence.flatMap((from) =>
    Object.entries(sources[from])
      .filter(([name, value]) => {
        const option = findOption(offered, name);
        return option === undefined || findOfferedValue(option, value) === undefined;
      })
      .map(([option, value]): RequestedOption => ({ option, value, from, isShown: false })),
  );
  const isTaken = ({ option: name }: RequestedOption): boolean => {
    const option = findOption(offered, name);
    return option !== undefined && seen.some((choice) => choice.option === option.id && choice.from !== 'shown');
  };
  return [...seen, ...firstOfEach(unseen.filter((choice) => !isTaken(choice) || choice.from === 'settings'))];
}

function wantedValue(
  option: ConfigOption,
  offered: readonly ConfigOption[],
  sources: OptionSources,
): Pick<RequestedOption, 'value' | 'from'> | undefined {
  for (const from of precedence) {
    for (const [name, value] of Object.entries(sources[from])) {
      if (findOption(offered, name) !== option) continue;
      const own = findOfferedValue(option, value);
      if (own !== undefined) return { value: own, from };
    }
  }
  return undefined;
}

function withValue<Option extends ConfigOption>(option: Option, value: OptionValue): Option {
  return { ...option, value };
}

function firstOfEach(choices: readonly RequestedOption[]): RequestedOption[] {
  return choices.filter(({ option }, index) => choices.findIndex((other) => other.option === option) === index);
}
