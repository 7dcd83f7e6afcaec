import { messageOf } from '../../base/common/errors';
import type { ConfigOption, Unattended } from './sessionEvents';
import { BackendError, isBackendError } from './sessionBackend';

export type OptionValue = string | boolean;

/** What a session is to begin with. */
export interface OptionChoice {
  /** An option's id, or its category: `mode`, `model`. */
  readonly option: string;
  /** One of the option's values, or the name of one in any case. */
  readonly value: OptionValue;
  /** Who wants it; `shown`: nobody, but the user has seen it. */
  readonly from: 'user' | 'settings' | 'remembered' | 'shown';
  /** The user has seen it as what the prompt goes out with. */
  readonly isShown: boolean;
}

/** What of a session its options are set by. */
export interface OptionTarget {
  readonly config: readonly ConfigOption[];
  /** @throws what the backend answers */
  setConfig(optionId: string, value: OptionValue): Promise<void>;
}

/** The option of that id, else the first one of that category. */
export function optionNamed<Option extends ConfigOption>(options: readonly Option[], name: string): Option | undefined {
  return options.find(({ id }) => id === name) ?? options.find(({ category }) => category === name);
}

/** The option's own value for what somebody wants; undefined when it has none such. */
export function valueOffered(option: ConfigOption, wanted: OptionValue): OptionValue | undefined {
  if (option.type === 'boolean') return typeof wanted === 'boolean' ? wanted : undefined;
  if (typeof wanted !== 'string') return undefined;
  if (option.choices.some(({ value }) => value === wanted)) return wanted;
  const named = option.choices.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase());
  return named.length === 1 ? named[0]?.value : undefined;
}

export function isModeOption({ category, id }: ConfigOption): boolean {
  return category === 'mode' || (category === undefined && id === 'mode');
}

/** Everything as it is, as choices. */
export function choicesOf(options: readonly ConfigOption[]): OptionChoice[] {
  return options.map(({ id, value }) => ({ option: id, value, from: 'shown', isShown: true }));
}

/** What the agent does without asking, as its options are set: the most that any of them allows. */
export function unattendedIn(options: readonly ConfigOption[]): Unattended | undefined {
  const all = options.map((option) => unattendedOf(option));
  return all.includes('runs') ? 'runs' : all.includes('edits') ? 'edits' : undefined;
}

/** The same of one option, with its value or another one. */
export function unattendedOf(option: ConfigOption, value: OptionValue = option.value): Unattended | undefined {
  if (option.type === 'boolean') return value === true ? option.unattended : undefined;
  return option.choices.find((choice) => choice.value === value)?.unattended;
}

/** Whether the agent asks less than before. */
function asksLess(before: readonly ConfigOption[], now: readonly ConfigOption[]): boolean {
  const freedom = (options: readonly ConfigOption[]): number => {
    const unattended = unattendedIn(options);
    return unattended === undefined ? 0 : unattended === 'edits' ? 1 : 2;
  };
  return freedom(now) > freedom(before);
}

/**
 * Sets what differs: the model first, as other options may depend on it, and the mode last, so that nothing changes it again.
 * Returns what the backend does not offer and the user has not seen; the caller tells of it.
 * @throws BackendError `optionRefused` for what could not be set, and for a mode or model that was shown and is not offered
 */
export async function applyChoices(
  target: OptionTarget,
  choices: readonly OptionChoice[],
  title: string,
): Promise<readonly OptionChoice[]> {
  const missing: OptionChoice[] = [];
  for (const choice of inOrder(choices, target.config)) {
    const option = optionNamed(target.config, choice.option);
    const value = option && valueOffered(option, choice.value);
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
 * A session that its agent remembers keeps the options that the agent says it has; but where it would ask the user less than
 * `before`, it is set back. Returns what to tell the user of a mode that is another one now.
 * @throws BackendError `optionRefused`
 */
export async function keepAsking(
  target: OptionTarget,
  before: readonly ConfigOption[],
  title: string,
): Promise<string | undefined> {
  if (asksLess(before, target.config)) {
    const waivers = before.filter((option) => isModeOption(option) || offersUnattended(option));
    await applyChoices(target, choicesOf(waivers), title);
    return undefined;
  }
  const was = before.find(isModeOption);
  const now = target.config.find(isModeOption);
  if (!was || !now || was.value === now.value) return undefined;
  return `${title} goes on in the mode "${nameOf(now, now.value)}"; it was in "${nameOf(was, was.value)}".`;
}

function offersUnattended(option: ConfigOption): boolean {
  if (option.type === 'boolean') return option.unattended !== undefined;
  return option.choices.some(({ unattended }) => unattended !== undefined);
}

/** False where the backend only shows its options. */
async function set(target: OptionTarget, option: ConfigOption, value: OptionValue, title: string): Promise<boolean> {
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
  const why = reason ?? `it stays in "${now ? nameOf(now, now.value) : 'another one'}".`;
  throw refused(`${title} did not switch to ${what}, so nothing was sent: ${why}`);
}

function notOffered({ value }: OptionChoice, option: ConfigOption | undefined, title: string): BackendError {
  const name = option ? (option.type === 'select' ? nameOf(option, value) : String(value)) : String(value);
  const now = option ? ` It would begin with ${option.name} "${nameOf(option, option.value)}".` : '';
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

function inOrder(choices: readonly OptionChoice[], options: readonly ConfigOption[]): OptionChoice[] {
  const rankOf = ({ option: name }: OptionChoice): number => {
    const option = optionNamed(options, name);
    if (name === 'model' || option?.category === 'model') return 0;
    return name === 'mode' || (option && isModeOption(option)) ? 2 : 1;
  };
  return choices.toSorted((a, b) => rankOf(a) - rankOf(b));
}
