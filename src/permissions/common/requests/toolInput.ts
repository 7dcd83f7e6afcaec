import * as z from 'zod';
import { canonicalJson, isSafePropertyName, sortedEntries } from '../../../base/common/canonicalJson';
import { findEscalations } from './escalations';

/** A tool input, split into the parts that rules compare. Only members without any known effect are dropped. */
interface ToolInput {
  /** The program and its arguments. A shell command line is a single element. */
  readonly argv?: readonly string[];
  /** Whether the first element of `argv` is a program, although a shell would read it as another command. */
  readonly isProgram?: true;
  /** Working directory as sent by the agent, not resolved. */
  readonly cwd?: string;
  /** Paths as sent by the agent, not resolved. */
  readonly paths: readonly string[];
  /** Environment variables, sorted by name. */
  readonly env: Readonly<Record<string, string>>;
  /** Other members with an effect, as canonical JSON, sorted by name. */
  readonly members: Readonly<Record<string, string>>;
  /** Members that lift a restriction, with their original values. */
  readonly escalations: Readonly<Record<string, unknown>>;
  /** Whether a member has no canonical form, so that rules cannot compare the input. */
  readonly isUnclear: boolean;
}

// Member names that known agents use. A member of an unexpected type is kept in `members`.

const commandNames = ['command', 'cmd'];
const argumentNames = ['args', 'arguments'];
const folderNames = ['cwd', 'workdir', 'working_directory', 'workingDirectory'];
const pathNames = splitNames(
  'file_path filePath filepath path absolute_path absolutePath notebook_path notebookPath target_file targetFile',
);
/** Names of members that contain environment variables. */
export const environmentMemberNames: readonly string[] = ['env', 'environment'];

/** Names of descriptions and ids, which have no effect. */
const descriptiveNames = splitNames(
  `description title explanation intention justification reason riskLevel riskLevelReason call_id callId turn_id turnId
  toolCallId tool_call_id`,
);
/** Names of limits for the time and size of the result, which have no effect. */
const limitNames = splitNames(
  'timeout timeout_ms timeoutMs timeout_seconds yield_time_ms max_output_tokens max_output_length',
);
/** Names of ranges and contents of files. They do not matter for rules about files, because these allow any change. */
const contentNames = splitNames(
  `offset limit line lines start_line startLine end_line endLine view_range insert_line old_string oldString new_string
  newString old_str new_str old_text oldText new_text newText content contents file_text replace_all replaceAll edits
  unsaved`,
);

const Arguments = z.array(z.string());
const Command = z.union([z.string(), Arguments.min(1)]);
const EnvironmentValue = z.union([z.string(), z.number(), z.boolean()]).transform(String);
const Environment = z.union([
  z.record(z.string(), EnvironmentValue),
  z
    .array(z.strictObject({ name: z.string(), value: EnvironmentValue }))
    .transform((entries) => Object.fromEntries(entries.map(({ name, value }) => [name, value]))),
  z
    .array(z.string().regex(/^[^=]+=/))
    .transform((entries) => Object.fromEntries(entries.map((entry) => splitAt(entry, entry.indexOf('='))))),
]);

/** Splits a tool input into parts. `isAboutFiles`: the tool only reads or edits files by path, and runs nothing. */
export function parseToolInput(raw: Readonly<Record<string, unknown>>, isAboutFiles: boolean): ToolInput {
  const remaining = new Map(Object.entries(raw).filter(([, value]) => value !== undefined));
  const take = <T>(names: readonly string[], schema: z.ZodType<T>): T | undefined => {
    for (const name of names) {
      const parsed = remaining.has(name) ? schema.safeParse(remaining.get(name)) : undefined;
      if (!parsed?.success) continue;
      remaining.delete(name);
      return parsed.data;
    }
    return undefined;
  };
  const command = take(commandNames, Command);
  const args = command === undefined ? [] : (take(argumentNames, Arguments) ?? []);
  const cwd = take(folderNames, z.string());
  const paths = pathNames.flatMap((name) => take([name], z.string()) ?? []);
  const env = sortedByName(take(environmentMemberNames, Environment) ?? {});

  const members: Record<string, string> = {};
  let isUnclear = !Object.keys(env).every(isSafePropertyName);
  for (const [name, value] of sortedEntries(Object.fromEntries(remaining))) {
    if (hasNoEffect(name, value) || (isAboutFiles && command === undefined && isFileContent(name, value))) continue;
    const text = isSafePropertyName(name) ? canonicalJson(value) : undefined;
    if (text === undefined) isUnclear = true;
    else members[name] = text;
  }
  return {
    ...(command === undefined ? {} : { argv: [...(typeof command === 'string' ? [command] : command), ...args] }),
    ...(Array.isArray(command) && isOddProgram(command) ? { isProgram: true } : {}),
    ...(cwd === undefined ? {} : { cwd }),
    paths,
    env,
    members,
    escalations: findEscalations(raw),
    isUnclear: isUnclear || Object.hasOwn(raw, '__proto__'),
  };
}

/** The program and arguments of a tool input as one line, to show and compare. Undefined if it has no command. */
export function commandOfInput(raw: Readonly<Record<string, unknown>> | undefined): string | undefined {
  return raw && parseToolInput(raw, false).argv?.join(' ');
}

/** Whether a program would be another command if a shell read its name as a line. Paths of Windows are not odd. */
export function isOddProgram([program = '']: readonly string[]): boolean {
  return !/^(?=.*\w)(?:[a-z]:[\w@%+=:,./\\-]+|[\w@+:,./-]+)$/i.test(program);
}

export function sortedByName(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(sortedEntries(env));
}

function hasNoEffect(name: string, value: unknown): boolean {
  if (descriptiveNames.includes(name)) return typeof value === 'string' || value === null;
  return limitNames.includes(name) && (typeof value === 'number' || value === null);
}

function isFileContent(name: string, value: unknown): boolean {
  if (!contentNames.includes(name)) return false;
  if (name === 'edits') return Array.isArray(value) && value.every(isEdit);
  if (name === 'view_range' || name === 'lines') return Array.isArray(value) ? value.every(isScalar) : isScalar(value);
  return isScalar(value);
}

function isEdit(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).every(([name, member]) => contentNames.includes(name) && isScalar(member));
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== 'object';
}

function splitAt(entry: string, at: number): [string, string] {
  return [entry.slice(0, at), entry.slice(at + 1)];
}

function splitNames(names: string): readonly string[] {
  return names.split(/\s+/);
}
