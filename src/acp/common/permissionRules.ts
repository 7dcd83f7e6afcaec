import picomatch from 'picomatch';
import * as z from 'zod';
import { ToolKind } from '../../amplifier/common/events';
import { visible, visibleCommand } from './visibleText';

/**
 * What the user has decided in advance. Every member that is there must match. Paths and commands are compared with
 * what a tool call really touches, never with its title, which the agent is free to invent.
 */
export const PermissionRule = z
  .object({
    effect: z.enum(['allow', 'deny']),
    /** Id of the agent; any agent without it. */
    agent: z.string().optional(),
    kind: ToolKind.optional(),
    /** An absolute path, or a glob over absolute paths with `/` as separator. */
    pathGlob: z.string().min(1).optional(),
    /** All arguments, the program first; compared one by one. */
    command: z.array(z.string()).min(1).optional(),
    /** The folder the command runs in. */
    cwd: z.string().optional(),
    /** `session` rules end with the session they were made in. */
    scope: z.enum(['session', 'always']),
  })
  .refine(({ effect, kind, pathGlob, command }) => effect === 'deny' || (kind ?? pathGlob ?? command) !== undefined, {
    message: 'A rule that allows must name a kind, a pathGlob or a command.',
  });
export type PermissionRule = z.infer<typeof PermissionRule>;

/** What a tool call touches. Paths are absolute and resolved. */
export interface ToolFacts {
  readonly agent: string;
  readonly kind: ToolKind;
  readonly paths: readonly string[];
  /** A command line that the agent hands to a shell as a whole is one argument. */
  readonly command?: { readonly argv: readonly string[]; readonly cwd: string };
  /** A path or the folder is what the agent wrote, not what it stands for. No rule allows such a call. */
  readonly isUnresolved?: boolean;
}

/** Undefined when no rule speaks about it: then the user is asked. A rule that denies wins over all that allow. */
export function decide(rules: readonly PermissionRule[], facts: ToolFacts): 'allow' | 'deny' | undefined {
  const matching = rules.filter((rule) => matches(rule, facts));
  if (matching.some(({ effect }) => effect === 'deny')) return 'deny';
  return matching.length > 0 ? 'allow' : undefined;
}

/**
 * The narrowest rule that would have answered for this tool call: exactly its command and folder, or its kind and its
 * one file. Undefined when there is no such narrow rule.
 */
export function narrowRule(
  facts: ToolFacts,
  effect: PermissionRule['effect'],
  scope: PermissionRule['scope'],
): PermissionRule | undefined {
  const { agent, kind, paths, command, isUnresolved } = facts;
  if (isUnresolved) return undefined;
  if (command) return { effect, agent, command: [...command.argv], cwd: command.cwd, scope };
  const [path] = paths;
  return path !== undefined && paths.length === 1
    ? { effect, agent, kind, pathGlob: literalGlob(path), scope }
    : undefined;
}

/** The rule in words, for whoever manages it: `Allow running "npm test" in /work, in this session`. */
export function describeRule(rule: PermissionRule): string {
  return `${rule.effect === 'allow' ? 'Allow' : 'Deny'} ${whatItMatches(rule)}`;
}

/** What a rule speaks of, for whoever is about to make it: `running "npm test" in /work, in this session`. */
export function whatItMatches({ agent, kind, pathGlob, command, cwd, scope }: PermissionRule): string {
  const what = [
    command ? `running "${visibleCommand(command)}"` : kind ? `tools of kind ${kind}` : 'every tool',
    ...(pathGlob === undefined ? [] : [`on ${visible(pathGlob)}`]),
    ...(cwd === undefined ? [] : [`in ${visible(cwd)}`]),
    ...(agent === undefined ? [] : [`by ${agent}`]),
  ].join(' ');
  return `${what}, ${scope === 'session' ? 'in this session' : 'always'}`;
}

function matches(rule: PermissionRule, facts: ToolFacts): boolean {
  if (rule.effect === 'allow' && facts.isUnresolved) return false;
  if (rule.agent !== undefined && rule.agent !== facts.agent) return false;
  if (rule.kind !== undefined && rule.kind !== facts.kind) return false;
  if (rule.pathGlob !== undefined && !matchesPaths(rule.effect, rule.pathGlob, facts.paths)) return false;
  if (rule.cwd !== undefined && rule.cwd !== facts.command?.cwd) return false;
  if (rule.command !== undefined) return matchesCommand(rule.effect, rule.command, facts.command?.argv);
  // A rule about files must not let a command through that happens to name one.
  return rule.effect === 'deny' || facts.command === undefined || rule.kind === 'execute';
}

function matchesPaths(effect: PermissionRule['effect'], glob: string, paths: readonly string[]): boolean {
  const isMatch = picomatch(toSlashes(glob), { dot: true });
  const fits = (path: string) => path === glob || isMatch(toSlashes(path));
  return effect === 'deny' ? paths.some(fits) : paths.length > 0 && paths.every(fits);
}

/** Some agents cut a command into arguments, some hand over the line: what is denied is denied either way. */
function matchesCommand(
  effect: PermissionRule['effect'],
  wanted: readonly string[],
  argv: readonly string[] | undefined,
): boolean {
  if (effect === 'deny') return argv?.join(' ') === wanted.join(' ');
  return argv?.length === wanted.length && wanted.every((argument, index) => argument === argv[index]);
}

/** Only of Windows paths: elsewhere a backslash escapes in globs and is a letter in names. */
function toSlashes(path: string): string {
  return /^([A-Za-z]:|\\\\)/.test(path) ? path.replaceAll('\\', '/') : path;
}

/** A glob that matches this path only. In paths of Windows the backslash is a separator. */
function literalGlob(path: string): string {
  const isWindows = toSlashes(path) !== path;
  return path.replace(isWindows ? /[*?[\]{}()+@|]/g : /[\\*?[\]{}()+@|]/g, (letter) =>
    letter === '\\' ? '\\\\' : `[${letter}]`,
  );
}
