import {
  findOfferedValue,
  findOption,
  isModeOption,
  unattendedActionOfOption,
  type OptionValue,
} from '../../../session/common/optionChoices';
import type { ConfigOption } from '../../../session/common/sessionEvents';
import type { Preset } from './presetSetting';

interface NarrowedValues {
  readonly values: Readonly<Record<string, OptionValue>>;
  /** Names of the values that were left out. */
  readonly left: readonly string[];
}

/** Words in the id or the name of a mode in which an agent asks before it acts, or only plans. */
const askingWords = /\b(?:ask|plan|read[ -]?only|default)\b/i;

/**
 * Returns the values of a preset that may be set. A preset of the workspace may choose a model and how long it thinks, and the
 * present mode or one whose name says that the agent asks. `offered`: the agent's options; empty if they are not known yet.
 */
export function narrowPreset({ isOfWorkspace, values }: Preset, offered: readonly ConfigOption[]): NarrowedValues {
  if (!isOfWorkspace) return { values, left: [] };
  const isAllowed = (name: string, value: OptionValue): boolean => {
    const option = findOption(offered, name);
    if (!option) return name === 'model';
    const own = findOfferedValue(option, value);
    if (own === undefined) return false;
    if (!isHarmless(option, name) || unattendedActionOfOption(option, own) !== undefined) return false;
    return !isModeOption(option) || own === option.value || saysThatItAsks(option, own);
  };
  const entries = Object.entries(values);
  return {
    values: Object.fromEntries(entries.filter(([name, value]) => isAllowed(name, value))),
    left: entries
      .filter(([name, value]) => !isAllowed(name, value))
      .map(([name, value]) => `${name} “${String(value)}”`),
  };
}

function saysThatItAsks(option: ConfigOption, value: OptionValue): boolean {
  const choice = option.type === 'boolean' ? undefined : option.choices.find((one) => one.value === value);
  return choice !== undefined && [choice.value, choice.name].some((word) => askingWords.test(word));
}

/** Other options can be anything, such as a sandbox that is turned off. */
function isHarmless(option: ConfigOption, name: string): boolean {
  return name === 'model' || ['model', 'thought_level'].includes(option.category ?? '') || isModeOption(option);
}
