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

/**
 * Returns the values of a preset that may be set. A preset of the workspace may choose a model and how long it thinks, and a mode
 * that the agent is known to offer and with which it is not known to act without asking. `offered`: the agent's options; empty if they are not known yet.
 */
export function narrowPreset({ isOfWorkspace, values }: Preset, offered: readonly ConfigOption[]): NarrowedValues {
  if (!isOfWorkspace) return { values, left: [] };
  const isAllowed = (name: string, value: OptionValue): boolean => {
    const option = findOption(offered, name);
    if (!option) return name === 'model';
    const own = findOfferedValue(option, value);
    if (own === undefined) return false;
    return isHarmless(option, name) && unattendedActionOfOption(option, own) === undefined;
  };
  const entries = Object.entries(values);
  return {
    values: Object.fromEntries(entries.filter(([name, value]) => isAllowed(name, value))),
    left: entries
      .filter(([name, value]) => !isAllowed(name, value))
      .map(([name, value]) => `${name} “${String(value)}”`),
  };
}

/** Other options can be anything, such as a sandbox that is turned off. */
function isHarmless(option: ConfigOption, name: string): boolean {
  return name === 'model' || ['model', 'thought_level'].includes(option.category ?? '') || isModeOption(option);
}
