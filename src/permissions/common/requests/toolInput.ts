import * as z from 'zod';
import { canonicalJson, isPlainName, sortedEntries } from '../../../base/common/canonicalJson';
import { escalationsIn } from './escalations';

/** What the input of a tool says, in parts that rules speak of. Every member ends in one of them, or is known to change nothing. */
interface ToolInput {
  /** A line for a shell is one argument. */
  readonly argv?: readonly string[];
  /** As the agent wrote it. */
  readonly cwd?: string;
  /** As the agent wrote them. */
  readonly paths: readonly string[];
  /** Sorted by name. */
  readonly env: Readonly<Record<string, string>>;
  /** Every other member that counts, as canonical JSON; sorted by name. */
  readonly members: Readonly<Record<string, string>>;
  /** Of all members, with their values as they came. */
  readonly escalations: Readonly<Record<string, unknown>>;
  /** Some member has no canonical form, so nothing can be known to be the same. */
  readonly isUnclear: boolean;
}

// The names that the known agents use. A member is taken only when it has the type that is expected of it: what is not
// understood stays a member that counts.

const commandNames = ['command', 'cmd'];
const argumentNames = ['args', 'arguments'];
const folderNames = ['cwd', 'workdir', 'working_directory', 'workingDirectory'];
const pathNames = [
  'file_path',
  'filePath',
  'filepath',
  'path',
  'absolute_path',
  'absolutePath',
  'notebook_path',
  'notebookPath',
  'target_file',
  'targetFile',
];
/** Of members that hold variables of the environment. */
export const environmentNames: readonly string[] = ['env', 'environment'];

/** Words for the user, and names of the call itself: texts that change nothing of what is done. */
const wordNames = new Set([
  'description',
  'title',
  'explanation',
  'intention',
  'justification',
  'reason',
  'call_id',
  'callId',
  'turn_id',
  'turnId',
  'toolCallId',
  'tool_call_id',
]);
/** How long the agent waits for the result, and how much of it it takes: numbers. */
const patienceNames = new Set([
  'timeout',
  'timeout_ms',
  'timeoutMs',
  'timeout_seconds',
  'yield_time_ms',
  'max_output_tokens',
  'max_output_length',
]);
/**
 * Which part of a file is read, and what is put into it. For a tool about files that are known by their paths they change
 * what is in these files, which is not what a rule about files is about.
 */
const contentNames = new Set([
  'offset',
  'limit',
  'line',
  'lines',
  'start_line',
  'startLine',
  'end_line',
  'endLine',
  'view_range',
  'insert_line',
  'old_string',
  'oldString',
  'new_string',
  'newString',
  'old_str',
  'new_str',
  'old_text',
  'oldText',
  'new_text',
  'newText',
  'content',
  'contents',
  'file_text',
  'replace_all',
  'replaceAll',
  'edits',
  'unsaved',
]);

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

/** `isAboutFiles`: the tool reads or edits files that are named by their paths, and runs nothing. */
export function readToolInput(raw: Readonly<Record<string, unknown>>, isAboutFiles: boolean): ToolInput {
  const left = new Map(Object.entries(raw).filter(([, value]) => value !== undefined));
  const take = <T>(names: readonly string[], schema: z.ZodType<T>): T | undefined => {
    for (const name of names) {
      const parsed = left.has(name) ? schema.safeParse(left.get(name)) : undefined;
      if (!parsed?.success) continue;
      left.delete(name);
      return parsed.data;
    }
    return undefined;
  };
  const command = take(commandNames, Command);
  const args = command === undefined ? [] : (take(argumentNames, Arguments) ?? []);
  const cwd = take(folderNames, z.string());
  const paths = pathNames.flatMap((name) => take([name], z.string()) ?? []);
  const env = sorted(take(environmentNames, Environment) ?? {});

  const members: Record<string, string> = {};
  let isUnclear = !Object.keys(env).every(isPlainName);
  for (const [name, value] of sortedEntries(Object.fromEntries(left))) {
    if (changesNothing(name, value) || (isAboutFiles && command === undefined && isContent(name, value))) continue;
    const text = isPlainName(name) ? canonicalJson(value) : undefined;
    if (text === undefined) isUnclear = true;
    else members[name] = text;
  }
  return {
    ...(command === undefined ? {} : { argv: [...(typeof command === 'string' ? [command] : command), ...args] }),
    ...(cwd === undefined ? {} : { cwd }),
    paths,
    env,
    members,
    escalations: escalationsIn(raw),
    isUnclear: isUnclear || Object.hasOwn(raw, '__proto__'),
  };
}

/** The same variables, sorted by name. */
export function sorted(env: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(sortedEntries(env));
}

function changesNothing(name: string, value: unknown): boolean {
  if (wordNames.has(name)) return typeof value === 'string' || value === null;
  return patienceNames.has(name) && (typeof value === 'number' || value === null);
}

function isContent(name: string, value: unknown): boolean {
  if (!contentNames.has(name)) return false;
  if (name === 'edits') return Array.isArray(value) && value.every(isEdit);
  if (name === 'view_range' || name === 'lines') return Array.isArray(value) ? value.every(isScalar) : isScalar(value);
  return isScalar(value);
}

function isEdit(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).every(([name, member]) => contentNames.has(name) && isScalar(member));
}

function isScalar(value: unknown): boolean {
  return value === null || typeof value !== 'object';
}

function splitAt(entry: string, at: number): [string, string] {
  return [entry.slice(0, at), entry.slice(at + 1)];
}
