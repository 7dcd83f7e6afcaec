import * as z from 'zod';
import { ToolKind } from '../../../session/common/sessionEvents';
import { canonicalJson } from '../../../base/common/canonicalJson';
import type { RuleGlobs } from './ruleGlobs';
import type { ToolRequest } from '../requests/toolRequest';

const Texts = z.record(z.string(), z.string());

/**
 * What the user has decided in advance, about what is really done: never about titles, which agents are free to invent.
 *
 * A rule that **allows** matches a request only when it speaks of everything in it. A member of the request that the rule
 * does not have means that it does not match, with these words for "any":
 * - without `agent` it is for every agent;
 * - without `kind` it is for commands (`execute`) when it has a `command`, else for every kind but `execute`;
 * - `pathGlob` is about requests that name paths, all of which match; `paths` about those that name exactly these.
 *
 * So a rule without `command` never allows a command, one without `pathGlob` and `paths` no request that names a path, one
 * with `command` needs `cwd` as well, one without `env` allows no request that adds to the environment, and one without
 * `input` none whose input has further members. What rules were before they knew of `env` and `input` is read the same way,
 * which makes them narrower, never wider.
 *
 * A rule that **denies** matches when all that it has is in the request, whatever else is: one of the paths, the command
 * however it is cut into arguments, these variables and members among others.
 *
 * A rule with a member that is not known here is no rule: it may have been meant as a limit.
 */
export const PermissionRule = z
  .strictObject({
    effect: z.enum(['allow', 'deny']),
    /** Id of the agent. */
    agent: z.string().optional(),
    kind: ToolKind.optional(),
    /** An absolute path, or a glob over absolute paths with `/` as separator. */
    pathGlob: z.string().min(1).optional(),
    /** Absolute; no globs. */
    paths: z.array(z.string()).min(1).optional(),
    /** All arguments, the program first; compared one by one. */
    command: z.array(z.string()).min(1).optional(),
    /** The folder the command runs in; absolute. */
    cwd: z.string().optional(),
    /** What is added to the environment of the command. */
    env: Texts.optional(),
    /** Every further member of the tool's input, as canonical JSON. */
    input: Texts.optional(),
    /** `session` rules end with the session they were made in. */
    scope: z.enum(['session', 'always']),
  })
  .refine(
    ({ effect, kind, pathGlob, paths, command }) =>
      effect === 'deny' || (kind ?? pathGlob ?? paths ?? command) !== undefined,
    { message: 'A rule that allows must name a kind, files or a command.' },
  );
export type PermissionRule = z.infer<typeof PermissionRule>;

/** What a rule keeps of an input, in UTF-16 units. */
const maxRuleLength = 16 * 1024;

export function matches(rule: PermissionRule, request: ToolRequest, globs: RuleGlobs): boolean {
  return rule.effect === 'allow' ? allows(rule, request, globs) : denies(rule, request, globs);
}

/**
 * The narrowest rule that would have answered this request. One that allows holds every member of it; one that denies holds
 * the command and its folder, or the kind and the file, so that nothing that is added gets around it. Undefined for what is
 * neither a command nor about one file, for what is unresolved, and for what is too long to keep.
 */
export function narrowRule(
  request: ToolRequest,
  effect: PermissionRule['effect'],
  scope: PermissionRule['scope'],
): PermissionRule | undefined {
  const { agent, kind, paths, command, env, input, isUnresolved } = request;
  if (isUnresolved || (!command && paths.length !== 1)) return undefined;
  const what = command ? { command: [...command.argv], cwd: command.cwd } : {};
  const where = paths.length === 0 ? {} : { paths: [...paths].sort() };
  const rule: PermissionRule =
    effect === 'deny'
      ? { effect, agent, ...(command ? what : { kind, ...where }), scope }
      : {
          effect,
          agent,
          kind,
          ...where,
          ...what,
          ...(Object.keys(env).length === 0 ? {} : { env: { ...env } }),
          ...(Object.keys(input).length === 0 ? {} : { input: { ...input } }),
          scope,
        };
  return JSON.stringify(rule).length > maxRuleLength ? undefined : rule;
}

/** Two rules with the same key are the same rule. */
export function ruleKey(rule: PermissionRule): string {
  return canonicalJson(rule) ?? JSON.stringify(rule);
}

function allows(rule: PermissionRule, request: ToolRequest, globs: RuleGlobs): boolean {
  const { command, env, input, isUnresolved, kind, paths } = request;
  if (isUnresolved || !isForAgent(rule, request)) return false;
  if (rule.kind === undefined ? (kind === 'execute') !== (rule.command !== undefined) : rule.kind !== kind)
    return false;
  if (rule.command === undefined ? command !== undefined : !isSameCommand(rule.command, rule.cwd, command))
    return false;
  return allowsPaths(rule, paths, globs) && isSameRecord(rule.env, env) && isSameRecord(rule.input, input);
}

function denies(rule: PermissionRule, request: ToolRequest, globs: RuleGlobs): boolean {
  const { command, env, input, kind, paths } = request;
  if (!isForAgent(rule, request) || (rule.kind !== undefined && rule.kind !== kind)) return false;
  if (rule.cwd !== undefined && rule.cwd !== command?.cwd) return false;
  // Some agents cut a command into arguments, some hand over the line.
  if (rule.command !== undefined && rule.command.join(' ') !== command?.argv.join(' ')) return false;
  const { pathGlob } = rule;
  if (pathGlob !== undefined && !paths.some((path) => globs.isMatch(pathGlob, path, 'deny'))) return false;
  if (rule.paths !== undefined && !rule.paths.some((path) => paths.includes(path))) return false;
  return isPartOf(rule.env, env) && isPartOf(rule.input, input);
}

function isForAgent(rule: PermissionRule, { agent }: ToolRequest): boolean {
  return rule.agent === undefined || rule.agent === agent;
}

function isSameCommand(wanted: readonly string[], cwd: string | undefined, command: ToolRequest['command']): boolean {
  if (command === undefined || command.cwd !== cwd || command.argv.length !== wanted.length) return false;
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
  return Object.keys(wanted).length === Object.keys(found).length && isPartOf(wanted, found);
}

function isPartOf(wanted: Readonly<Record<string, string>> = {}, found: Readonly<Record<string, string>>): boolean {
  return Object.entries(wanted).every(([name, value]) => Object.hasOwn(found, name) && found[name] === value);
}
