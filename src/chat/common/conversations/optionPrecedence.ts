import type { ConfigOption } from '../../../session/common/sessionEvents';
import {
  isModeOption,
  optionNamed,
  valueOffered,
  type OptionChoice,
  type OptionValue,
} from '../../../session/common/optionChoices';

type Values = Readonly<Record<string, OptionValue>>;

/** Who has a say in what a conversation begins with, the first one most. After them comes the agent. */
export interface OptionSources {
  /** For this conversation, by the user; by the option's id. */
  readonly user: Values;
  /** By the option's id, or `mode` or `model`. */
  readonly settings: Values;
  /** What the user has chosen before; by the option's id. */
  readonly remembered: Values;
}

const order = ['user', 'settings', 'remembered'] as const;

/** The options as a new conversation will have them. */
export function shownOptions<Option extends ConfigOption>(
  offered: readonly Option[],
  sources: OptionSources,
): Option[] {
  return offered.map((option) => {
    const wanted = wantedFor(option, offered, sources);
    return wanted === undefined ? option : withValue(option, wanted.value);
  });
}

/** What its session has to be set to. `offered` is what the user has seen; nothing when the agent was never used. */
export function wantedChoices(offered: readonly ConfigOption[], sources: OptionSources): OptionChoice[] {
  const seen = offered.flatMap((option): OptionChoice[] => {
    const wanted = wantedFor(option, offered, sources);
    if (wanted) return [{ option: option.id, ...wanted, isShown: true }];
    // The prompt goes out in the mode that is shown, also where nobody has chosen it.
    const shown = { option: option.id, value: option.value, from: 'shown', isShown: true } as const;
    return isModeOption(option) ? [shown] : [];
  });
  const unseen = order.flatMap((from) =>
    Object.entries(sources[from])
      .filter(([name, value]) => {
        const option = optionNamed(offered, name);
        return option === undefined || valueOffered(option, value) === undefined;
      })
      .map(([option, value]): OptionChoice => ({ option, value, from, isShown: false })),
  );
  const isTaken = ({ option: name }: OptionChoice): boolean => {
    const option = optionNamed(offered, name);
    return option !== undefined && seen.some((choice) => choice.option === option.id && choice.from !== 'shown');
  };
  return [...seen, ...firstOfEach(unseen.filter((choice) => !isTaken(choice) || choice.from === 'settings'))];
}

function wantedFor(
  option: ConfigOption,
  offered: readonly ConfigOption[],
  sources: OptionSources,
): Pick<OptionChoice, 'value' | 'from'> | undefined {
  for (const from of order) {
    for (const [name, value] of Object.entries(sources[from])) {
      if (optionNamed(offered, name) !== option) continue;
      const own = valueOffered(option, value);
      if (own !== undefined) return { value: own, from };
    }
  }
  return undefined;
}

function withValue<Option extends ConfigOption>(option: Option, value: OptionValue): Option {
  return { ...option, value };
}

function firstOfEach(choices: readonly OptionChoice[]): OptionChoice[] {
  return choices.filter(({ option }, index) => choices.findIndex((other) => other.option === option) === index);
}
