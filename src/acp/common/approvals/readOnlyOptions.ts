import { unattendedActionOfOption, type OptionValue } from '../../../session/common/optionChoices';
import type { ConfigOption } from '../../../session/common/sessionEvents';

/** A value to set before the first prompt, so that the agent asks before it changes or runs something. */
interface AskingValue {
  readonly optionId: string;
  readonly value: OptionValue;
}

/** Modes that themselves only read, by the words of their ids and names. Plan modes write plans and want to leave. */
const readingMode = /^(?:read[-_ ]?only|ask)$/i;
const planMode = /\bplan/i;

/**
 * Returns the values with which an agent asks before it changes or runs something, for each option whose value lets it act without
 * asking. Returns the name of an option that has no such value.
 */
export function askingValues(
  options: readonly ConfigOption[],
): { readonly values: readonly AskingValue[] } | { readonly neverAsks: string } {
  const values: AskingValue[] = [];
  for (const option of options) {
    if (unattendedActionOfOption(option) === undefined) continue;
    const value = askingValueOf(option);
    if (value === undefined) return { neverAsks: option.name };
    values.push({ optionId: option.id, value });
  }
  return { values };
}

function askingValueOf(option: ConfigOption): OptionValue | undefined {
  if (option.type === 'boolean') return false;
  const asking = option.choices.filter(({ value }) => unattendedActionOfOption(option, value) === undefined);
  const readsOnly = asking.find(({ name, value }) => readingMode.test(name) || readingMode.test(value));
  const first = asking.find(({ name, value }) => !planMode.test(name) && !planMode.test(value));
  return (readsOnly ?? first ?? asking[0])?.value;
}
