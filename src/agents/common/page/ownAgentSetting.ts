import * as z from 'zod';
import type { OwnAgent, OwnAgentVariable } from './agentsApi';
import { formatCommandLine, parseCommandLine } from './enteredCommand';

/** The parts of an entry of `backline.acp.agents` that the form shows. Others are kept as they are. */
const Entry = z.looseObject({
  command: z.string(),
  args: z.array(z.string()).catch([]),
  env: z.record(z.string(), z.string()).catch({}),
  cwd: z.string().optional().catch(undefined),
  dialect: z.enum(['v1', 'draft']).catch('v1'),
  defaults: z.record(z.string(), z.union([z.string(), z.boolean()])).catch({}),
});

export type AgentsSetting = Readonly<Record<string, unknown>>;

/** Reads the user setting `backline.acp.agents`. An invalid value counts as empty. */
export function parseAgentsSetting(value: unknown): AgentsSetting {
  return z.record(z.string(), z.unknown()).safeParse(value).data ?? {};
}

/** Names of entries that the form can edit. Excludes entries that only set defaults of other agents. */
export function editableAgentNames(setting: AgentsSetting): ReadonlySet<string> {
  return new Set(Object.entries(setting).flatMap(([name, entry]) => (Entry.safeParse(entry).success ? [name] : [])));
}

/** The contents of the form for an entry; undefined if it cannot be edited. Secrets come without their values. */
export function toForm(setting: AgentsSetting, name: string, secretNames: readonly string[]): OwnAgent | undefined {
  const entry = Entry.safeParse(setting[name]).data;
  if (!entry) return undefined;
  const { args, command, cwd = '', defaults, dialect, env } = entry;
  const plain = Object.entries(env).filter(([variable]) => !secretNames.includes(variable));
  return {
    previousName: name,
    name,
    commandLine: formatCommandLine([command, ...args]),
    folder: cwd,
    dialect,
    variables: [
      ...plain.map(([variable, value]): OwnAgentVariable => ({ name: variable, value, isSecret: false })),
      ...secretNames.map((variable): OwnAgentVariable => ({ name: variable, value: '', isSecret: true })),
    ],
    defaults: Object.entries(defaults).map(([option, value]) => ({ option, value: String(value) })),
  };
}

/** The command and environment in a form. */
interface OwnCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
  /** Newly entered secrets, by variable. */
  readonly newSecrets: Readonly<Record<string, string>>;
  /** Names of all secrets, including those already stored. */
  readonly secretNames: readonly string[];
}

/** Checks a form. @throws Error with a sentence that explains what to correct */
export function parseForm({ commandLine, folder, variables }: OwnAgent): OwnCommand {
  const [command, ...args] = parseCommandLine(commandLine);
  if (command === undefined || command === '') throw new Error('Enter the command that starts the agent.');
  const filled = variables.filter(({ name, value }) => name.trim() !== '' || value !== '');
  const names = filled.map(({ name }) => name.trim());
  for (const [index, name] of names.entries()) {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      const quoted =
        name === ''
          ? 'An environment variable has no name'
          : `“${name}” is not a valid name for an environment variable`;
      throw new Error(`${quoted}. Use letters, digits and underscores.`);
    }
    if (names.indexOf(name) !== index) throw new Error(`The environment variable ${name} is listed twice. Remove one.`);
  }
  const entriesOf = (isWanted: (variable: OwnAgentVariable) => boolean): Record<string, string> =>
    Object.fromEntries(filled.filter(isWanted).map(({ name, value }) => [name.trim(), value]));
  return {
    command,
    args,
    env: entriesOf(({ isSecret }) => !isSecret),
    cwd: folder.trim() === '' ? undefined : folder.trim(),
    newSecrets: entriesOf(({ isSecret, value }) => isSecret && value !== ''),
    secretNames: filled.flatMap(({ isSecret, name }) => (isSecret ? [name.trim()] : [])),
  };
}

/** Returns the setting with the agent of a form. @throws Error with a sentence that explains what to correct */
export function withOwnAgent(setting: AgentsSetting, form: OwnAgent, takenIds: ReadonlySet<string>): AgentsSetting {
  const { dialect, previousName } = form;
  const defaults = parseDefaults(form.defaults);
  const name = form.name.trim();
  if (name === '') throw new Error('Enter a name for the agent.');
  if (name !== previousName && (Object.hasOwn(setting, name) || takenIds.has(name))) {
    throw new Error(`There is already an agent with the name “${name}”. Choose another one.`);
  }
  const { args, command, cwd, env } = parseForm(form);
  const before = Entry.safeParse(previousName === undefined ? undefined : setting[previousName]).data ?? {};
  const kept = Object.fromEntries(Object.entries(before).filter(([member]) => !(member in Entry.shape)));
  const entry = {
    command,
    ...(args.length > 0 ? { args } : {}),
    ...(Object.keys(env).length > 0 ? { env } : {}),
    ...(cwd === undefined ? {} : { cwd }),
    ...(dialect === 'v1' ? {} : { dialect }),
    ...(Object.keys(defaults).length > 0 ? { defaults } : {}),
    ...kept,
  };
  const entries = Object.entries(setting);
  const at = entries.findIndex(([other]) => other === previousName);
  if (at < 0) entries.push([name, entry]);
  else entries.splice(at, 1, [name, entry]);
  return Object.fromEntries(entries);
}

/** Writes values of switches as booleans. @throws Error with a sentence that explains what to correct */
function parseDefaults(entered: OwnAgent['defaults']): Readonly<Record<string, string | boolean>> {
  const filled = entered
    .map(({ option, value }) => ({ option: option.trim(), value: value.trim() }))
    .filter(({ option, value }) => option !== '' || value !== '');
  const options = filled.map(({ option }) => option);
  for (const [index, { option, value }] of filled.entries()) {
    if (option === '') throw new Error(`The option with the value “${value}” has no name.`);
    if (value === '') throw new Error(`Enter a value for the option “${option}”, or remove it.`);
    if (options.indexOf(option) !== index) throw new Error(`The option “${option}” is listed twice. Remove one.`);
  }
  return Object.fromEntries(
    filled.map(({ option, value }) => [option, value === 'true' ? true : value === 'false' ? false : value]),
  );
}

export function withoutOwnAgent(setting: AgentsSetting, name: string): AgentsSetting {
  return Object.fromEntries(Object.entries(setting).filter(([other]) => other !== name));
}
