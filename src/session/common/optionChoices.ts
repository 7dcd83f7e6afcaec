import { messageOf } from '../../base/common/errors';
import type { ConfigOption, UnattendedAction } from './sessionEvents';
import { BackendError, isBackendError } from './sessionBackend';

export type OptionValue = string | boolean;

/** A value requested for an option of a new session. */
export interface RequestedOption {
  /** An option id, or a category such as `mode` or `model`. */
  readonly option: string;
  /** A value of the option, or the name of such a value, ignoring case. */
  readonly value: OptionValue;
  /** The origin of the choice. `shown`: the user saw this value but did not choose it. */
  readonly from: 'user' | 'settings' | 'remembered' | 'shown';
  /** Whether the user saw this value when sending the prompt. */
  readonly isShown: boolean;
}

export interface ConfigurableSession {
  readonly config: readonly ConfigOption[];
  /** Sets an option. @throws the backend's error */
  setConfig(optionId: string, value: OptionValue): Promise<void>;
}

/** Finds an option by its id, or else the first option of that category. */
export function findOption<Option extends ConfigOption>(options: readonly Option[], name: string): Option | undefined {
  return options.find(({ id }) => id === name) ?? options.find(({ category }) => category === name);
}

/** Converts a requested value or name to a value of the option. Undefined if the option does not offer it. */
export function findOfferedValue(option: ConfigOption, wanted: OptionValue): OptionValue | undefined {
  if (option.type === 'boolean') return typeof wanted === 'boolean' ? wanted : undefined;
  if (typeof wanted !== 'string') return undefined;
  if (option.choices.some(({ value }) => value === wanted)) return wanted;
  const named = option.choices.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  return named.length === 1 ? named[0]?.value : undefined;
}

export function isModeOption({ category, id }: ConfigOption): boolean {
  return category === 'mode' || (category === undefined && id === 'mode');
}

export function requestedFromCurrentValues(options: readonly ConfigOption[]): RequestedOption[] {
  return options.map(({ id, value }) => ({ option: id, value, from: 'shown', isShown: true }));
}

/** The highest level of actions without approval that the current values allow. */
export function highestUnattendedAction(options: readonly ConfigOption[]): UnattendedAction | undefined {
  const all = options.map((option) => unattendedActionOfOption(option));
  return all.includes('runs') ? 'runs' : all.includes('edits') ? 'edits' : undefined;
}

/** The level of actions without approval that the option allows with `value`, by default its current value. */
export function unattendedActionOfOption(
  option: ConfigOption,
  value: OptionValue = option.value,
): UnattendedAction | undefined {
  if (option.type === 'boolean') return value === true ? option.unattended : undefined;
  return option.choices.find((choice) => choice.value === value)?.unattended;
}

function asksLess(before: readonly ConfigOption[], now: readonly ConfigOption[]): boolean {
  const freedom = (options: readonly ConfigOption[]): number => {
    const unattended = highestUnattendedAction(options);
    return unattended === undefined ? 0 : unattended === 'edits' ? 1 : 2;
  };
  return freedom(now) > freedom(before);
}

/**
 * Sets the options whose values differ: the model first, because other options may depend on it, and the mode last, so
 * that other options cannot change it again. Returns the unavailable choices, for the caller to report.
 * @throws BackendError `optionRefused` if setting an option fails, or if the user has seen an unavailable mode or model
 */
export async function applyChoices(
  target: ConfigurableSession,
  choices: readonly RequestedOption[],
  title: string,
): Promise<readonly RequestedOption[]> {
  const missing: RequestedOption[] = [];
  for (const choice of inOrder(choices, target.config)) {
    const option = findOption(target.config, choice.option);
    const value = option && findOfferedValue(option, choice.value);
    if (!option || value === undefined) {
      if (choice.isShown && isVital(choice.option, option)) throw notOffered(choice, option, title);
      missing.push(choice);
    } else if (option.value !== value && !(await set(target, option, value, title))) {
      missing.push(choice);
    }
  }
  return missing;
}

/**
 * Restores the values in `before` if the agent would now ask for fewer approvals. Otherwise returns a message if the
 * mode has changed.
 * @throws BackendError
 */
export async function restoreIfFewerApprovals(
  target: ConfigurableSession,
  before: readonly ConfigOption[],
  title: string,
): Promise<string | undefined> {
  if (asksLess(before, target.config)) {
    const waivers = before.filter((option) => isModeOption(option) || offersUnattended(option));
    await applyChoices(target, requestedFromCurrentValues(waivers), title);
    return undefined;
  }
  const was = before.find(isModeOption);
  const now = target.config.find(isModeOption);
  if (!was || !now || was.value === now.value) return undefined;
  return `${title} changed its mode from "${nameOf(was, was.value)}" to "${nameOf(now, now.value)}".`;
}

function offersUnattended(option: ConfigOption): boolean {
  if (option.type === 'boolean') return option.unattended !== undefined;
  return option.choices.some(({ unattended }) => unattended !== undefined);
}

/** Sets an option. Returns false if the options of the backend are read-only. */
async function set(
  target: ConfigurableSession,
  option: ConfigOption,
  value: OptionValue,
  title: string,
): Promise<boolean> {
  let reason: string | undefined;
  try {
    await target.setConfig(option.id, value);
  } catch (error) {
    if (isBackendError(error) && error.code === 'unsupported') return false;
    reason = messageOf(error);
  }
  const now = target.config.find(({ id }) => id === option.id);
  if (reason === undefined && (!isModeOption(option) || now?.value === value)) return true;
  const what = `${option.name} "${nameOf(option, value)}"`;
  const why = reason ?? `It is still "${now ? nameOf(now, now.value) : 'unknown'}".`;
  throw refused(`${title} could not switch to ${what}, so nothing was sent. ${why}`);
}

function notOffered({ value }: RequestedOption, option: ConfigOption | undefined, title: string): BackendError {
  const name = option ? (option.type === 'select' ? nameOf(option, value) : String(value)) : String(value);
  const now = option ? ` It would start with ${option.name} "${nameOf(option, option.value)}".` : '';
  return refused(`${title} no longer offers "${name}", so nothing was sent.${now}`);
}

function refused(message: string): BackendError {
  return new BackendError('optionRefused', `${message} Check the options below the prompt, then send it again.`);
}

function isVital(wanted: string, option: ConfigOption | undefined): boolean {
  const kinds = [wanted, option?.id, option?.category];
  return kinds.includes('mode') || kinds.includes('model');
}

function nameOf(option: ConfigOption, value: OptionValue): string {
  if (option.type === 'boolean') return value === true ? 'on' : 'off';
  return option.choices.find((choice) => choice.value === value)?.name ?? String(value);
}

function inOrder(choices: readonly RequestedOption[], options: readonly ConfigOption[]): RequestedOption[] {
  const rankOf = ({ option: name }: RequestedOption): number => {
    const option = findOption(options, name);
    if (name === 'model' || option?.category === 'model') return 0;
    return name === 'mode' || (option && isModeOption(option)) ? 2 : 1;
  };
  return choices.toSorted((a, b) => rankOf(a) - rankOf(b));
}
