import * as z from 'zod';
import { ToolKind } from '../../../session/common/sessionEvents';
import { canonicalJson } from '../../../base/common/canonicalJson';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { RuleGlobs } from './ruleGlobs';
import type { ToolRequest } from '../requests/toolRequest';

const StringRecord = z.record(z.string(), z.string());

/**
 * A stored answer of the user for future requests. Titles of requests are ignored, because agents can choose them
 * freely.
 *
 * A rule that **allows** matches a request only if it covers all its members:
 * - Without `agent`, it applies to all agents.
 * - Without `kind`, it applies to `execute` if it has a `command`, and otherwise to all kinds except `execute`.
 * - With `tool`, it allows no other tool, and with `rawInput`, no other input. A rule of the kind `other` without them applies
 *   only if it has a `pathGlob`.
 * - Without `command`, it allows no commands; with `command`, `cwd` must match as well.
 * - With `pathGlob`, all paths must match it. With `paths`, the paths must be exactly these. With neither, the request
 *   must have no paths.
 * - Without `env` or `input`, the request must have none. This also applies to older rules, which never have these
 *   members.
 *
 * A rule that **denies** matches if the request contains all its members, even if it contains others: any of the paths,
 * the command (no matter how it is split into arguments), and its variables and input members.
 *
 * A rule with unknown members is invalid, because they may be restrictions.
 */
export const PermissionRule = z
  .strictObject({
    effect: z.enum(['allow', 'deny']),
    /** Id of the agent. */
    agent: z.string().optional(),
    kind: ToolKind.optional(),
    /** Name of the tool, which is needed where the kind does not say what the tool does. */
    tool: z.string().optional(),
    /** An absolute path, or a glob over absolute paths with `/` as separator. */
    pathGlob: z.string().min(1).optional(),
    /** Absolute paths, which are not globs. */
    paths: z.array(z.string()).min(1).optional(),
    /** The program and its arguments. */
    command: z.array(z.string()).min(1).optional(),
    /** Whether the first element of `command` is a program, although a shell would read it as another command. */
    isProgram: z.literal(true).optional(),
    /** Absolute path of the working directory. */
    cwd: z.string().optional(),
    /** Variables added to the environment. */
    env: StringRecord.optional(),
    /** Other members of the tool input, as canonical JSON. */
    input: StringRecord.optional(),
    /** The whole tool input as canonical JSON, instead of `env` and `input`. */
    rawInput: z.string().optional(),
    /** A rule with scope `session` ends with the session that created it. */
    scope: z.enum(['session', 'always']),
  })
  .refine(
    ({ effect, kind, pathGlob, paths, command }) =>
      effect === 'deny' || (kind ?? pathGlob ?? paths ?? command) !== undefined,
    { message: 'A rule that allows must name a kind, files or a command.' },
  );
export type PermissionRule = z.infer<typeof PermissionRule>;

/** Kinds of tools whose members Backline does not know, so that their rules compare the whole input. */
export const inputComparedAsWhole: ReadonlySet<ToolKind> = new Set<ToolKind>(['fetch', 'other', 'search']);

/** Maximum length of a stored rule as JSON, in UTF-16 units. */
const maxRuleLength = 16 * 1024;

export function ruleMatches(rule: PermissionRule, request: ToolRequest, globs: RuleGlobs): boolean {
  return rule.effect === 'allow' ? allows(rule, request, globs) : denies(rule, request, globs);
}

/**
 * Creates the narrowest rule for a request. An allowing rule contains every member of the request. A denying rule
 * contains only the command and folder, or the kind and file, so that the agent cannot bypass it with additional
 * members. Returns undefined if the request is unresolved, has neither a command, exactly one path nor an input that is
 * compared as a whole, or is too long.
 */
export function createNarrowestRule(
  request: ToolRequest,
  effect: PermissionRule['effect'],
  scope: PermissionRule['scope'],
): PermissionRule | undefined {
  const { agent, kind, paths, command, env, input, isUnresolved, rawInput, tool } = request;
  const isWhole = kind === 'other' || (inputComparedAsWhole.has(kind) && !command && paths.length === 0);
  const isNamed = command !== undefined || paths.length === 1;
  if (isUnresolved || !(isWhole ? (effect === 'deny' && isNamed) || isKnownAsWhole(request) : isNamed))
    return undefined;
  const program = command?.isProgram === true ? { isProgram: true as const } : {};
  const what = command ? { command: [...command.argv], cwd: command.cwd, ...program } : {};
  const where = paths.length === 0 ? {} : { paths: [...paths].sort() };
  const whole = withoutUndefined({ tool, rawInput });
  const narrow = {
    ...(Object.keys(env).length === 0 ? {} : { env: { ...env } }),
    ...(Object.keys(input).length === 0 ? {} : { input: { ...input } }),
  };
  const rule: PermissionRule =
    effect === 'deny'
      ? { effect, agent, ...(command ? what : { kind, ...(isNamed ? where : whole) }), scope }
      : {
          effect,
          agent,
          kind,
          ...where,
          ...what,
          ...(isWhole ? whole : narrow),
          scope,
        };
  return JSON.stringify(rule).length > maxRuleLength ? undefined : rule;
}

/** Whether the tool and its input say all that the user has seen. Of other kinds than `other`, the input names the tool's subject. */
function isKnownAsWhole({ kind, rawInput, tool }: ToolRequest): boolean {
  return rawInput !== undefined && (kind === 'other' ? tool !== undefined : rawInput !== '{}');
}

/** Returns the same key for equal rules. */
export function ruleKey(rule: PermissionRule): string {
  return canonicalJson(rule) ?? JSON.stringify(rule);
}

function allows(rule: PermissionRule, request: ToolRequest, globs: RuleGlobs): boolean {
  const { command, env, input, isUnresolved, kind, paths } = request;
  if (isUnresolved || !isForAgent(rule, request)) return false;
  if (rule.kind === undefined ? (kind === 'execute') !== (rule.command !== undefined) : rule.kind !== kind)
    return false;
  if (!allowsTool(rule, request)) return false;
  if (rule.command === undefined ? command !== undefined : !isSameCommand(rule, rule.command, command)) return false;
  if (rule.pathGlob !== undefined && request.isAmbiguous === true) return false;
  if (!allowsPaths(rule, paths, globs)) return false;
  if (rule.rawInput !== undefined) return rule.rawInput === request.rawInput;
  return isSameRecord(rule.env, env) && isSameRecord(rule.input, input);
}

function denies(rule: PermissionRule, request: ToolRequest, globs: RuleGlobs): boolean {
  const { command, env, input, kind, paths, tool } = request;
  if (rule.tool !== undefined && rule.tool !== tool) return false;
  if (rule.rawInput !== undefined && rule.rawInput !== request.rawInput) return false;
  if (!isForAgent(rule, request) || (rule.kind !== undefined && rule.kind !== kind)) return false;
  if (rule.cwd !== undefined && rule.cwd !== command?.cwd) return false;
  // Some agents split a command into arguments, and others send it as one line.
  if (rule.command !== undefined && rule.command.join(' ') !== command?.argv.join(' ')) return false;
  const { pathGlob } = rule;
  if (pathGlob !== undefined && !paths.some((path) => globs.isMatch(pathGlob, path, 'deny'))) return false;
  if (rule.paths !== undefined && !rule.paths.some((path) => paths.includes(path))) return false;
  return isSubsetOf(rule.env, env) && isSubsetOf(rule.input, input);
}

function isForAgent(rule: PermissionRule, { agent }: ToolRequest): boolean {
  return rule.agent === undefined || rule.agent === agent;
}

/** The kind `other` covers all tools, so that an answer about one of them must say which it was. */
function allowsTool({ kind, pathGlob, rawInput, tool }: PermissionRule, request: ToolRequest): boolean {
  // Another tool of the same kind can do anything with the same input.
  if ((tool !== undefined || rawInput !== undefined) && tool !== request.tool) return false;
  return kind !== 'other' || pathGlob !== undefined || (tool !== undefined && rawInput !== undefined);
}

function isSameCommand(
  { cwd, isProgram }: PermissionRule,
  wanted: readonly string[],
  command: ToolRequest['command'],
): boolean {
  if (command === undefined || command.cwd !== cwd || command.argv.length !== wanted.length) return false;
  if (command.isProgram !== isProgram) return false;
  return wanted.every((argument, index) => argument === command.argv[index]);
}

function allowsPaths({ pathGlob, paths: wanted }: PermissionRule, paths: readonly string[], globs: RuleGlobs): boolean {
  if (pathGlob === undefined && wanted === undefined) return paths.length === 0;
  if (pathGlob !== undefined) {
    if (paths.length === 0 || !paths.every((path) => globs.isMatch(pathGlob, path, 'allow'))) return false;
  }
  if (wanted === undefined) return true;
  return paths.every((path) => wanted.includes(path)) && wanted.every((path) => paths.includes(path));
}

function isSameRecord(wanted: Readonly<Record<string, string>> = {}, found: Readonly<Record<string, string>>): boolean {
  return Object.keys(wanted).length === Object.keys(found).length && isSubsetOf(wanted, found);
}

function isSubsetOf(wanted: Readonly<Record<string, string>> = {}, found: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([name, value]) => Object.hasOwn(found, name) && found[name] === value);
}
