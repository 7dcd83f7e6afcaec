import type { ToolKind } from '../../../session/common/sessionEvents';
import { isRecord } from '../../../base/common/isRecord';
import { relativePathIn } from '../../../editor/common/boundary';
import type { PermissionRule } from './permissionRules';
import { toVisibleText, formatCommand, formatProgram } from '../../../base/common/text/visibleText';

const maxValueLength = 60;

/** Describes a rule. Example: `Allow running "npm test" in /work by demo, in this conversation`. */
export function describeRule(rule: PermissionRule): string {
  return (
    [`${rule.effect === 'allow' ? 'Allow' : 'Deny'} ${describeAction(rule)}`, ...ruleConditions(rule)].join(' ') +
    describeLifetime(rule)
  );
}

/**
 * Describes the scope of a lasting answer. Examples: `any "npm test" in this folder, this
 * conversation`, `editing src/a.ts, this conversation`. `folder` is the
 * folder of the session. Omits the agent.
 */
export function describeLastingAnswer(
  rule: PermissionRule,
  { agentTitle, folder }: { agentTitle: string; folder: string },
): string {
  const { command, cwd, env = {}, input = {}, kind, paths = [], rawInput, scope } = rule;
  const nameOf = (path: string): string => {
    const below = relativePathIn(path, folder, false);
    return toVisibleText(below === undefined || below === '' ? path : below);
  };
  const files = paths.map(nameOf).join(', ');
  const what = command
    ? `any ${commandText(rule)} ${cwd === folder || cwd === undefined ? 'in this folder' : `in ${nameOf(cwd)}`}`
    : rawInput === undefined
      ? `${actionsOnFiles[kind ?? 'other']} ${files}`
      : describeWhole(rule, rawInput);
  const parts = [
    ...(paths.length > 0 && (command || rawInput !== undefined) ? [`on ${files}`] : []),
    ...(command && rawInput !== undefined ? [`by ${describeWhole(rule, rawInput)}`] : []),
    ...(Object.keys(env).length > 0 ? [`with ${describeVariables(env)}`] : []),
    ...(Object.keys(input).length > 0 ? [`with the same ${joinNames(Object.keys(input))}`] : []),
  ];
  const lasts = scope === 'session' ? 'this conversation' : `every conversation with ${toVisibleText(agentTitle)}`;
  return `${[what, ...parts].join(' ')}, ${lasts}`;
}

/** Returns a title for the rule. Examples: `Run "npm test"`, `Edit files`. */
export function ruleTitle(rule: PermissionRule): string {
  const { command, kind, tool } = rule;
  if (tool !== undefined) return `Use ${toolText(tool)}${command ? ` to run ${commandText(rule)}` : ''}`;
  if (command) return `Run ${commandText(rule)}`;
  return kind ? titles[kind] : 'Use any tool';
}

/** The name of a program is quoted as in a shell, so that it differs from a command line. */
function commandText({ command = [], isProgram }: PermissionRule): string {
  return isProgram === true ? `the program ${formatProgram(command)}` : `"${formatCommand(command)}"`;
}

/** Describes the use of a tool with one input. For the web, names the address, which the input contains. */
function describeWhole({ kind, tool }: PermissionRule, rawInput: string): string {
  const input: unknown = JSON.parse(rawInput);
  const address = isRecord(input) ? (input['url'] ?? input['uri']) : undefined;
  const by = tool === undefined ? '' : ` by ${toolText(tool)}`;
  const what =
    kind === 'fetch'
      ? `fetching ${typeof address === 'string' ? shorten(address) : 'from the web'}${by}`
      : kind === 'search'
        ? `searching${by}`
        : `using ${toolText(tool ?? '')}`;
  return `${what} ${rawInput === '{}' ? 'without input' : 'with exactly this input'}`;
}

function toolText(tool: string): string {
  return `the tool “${toVisibleText(tool)}”`;
}

function describeAction(rule: PermissionRule): string {
  const { command, kind, tool } = rule;
  if (tool !== undefined) return `using ${toolText(tool)}${command ? ` to run ${commandText(rule)}` : ''}`;
  if (command) return `running ${commandText(rule)}`;
  return kind ? actions[kind] : 'using any tool';
}

/** Describes all conditions of a rule that its title does not contain. Nothing is shortened. */
export function ruleConditions({
  agent,
  command,
  cwd,
  env = {},
  input = {},
  pathGlob,
  paths,
  rawInput,
}: PermissionRule): string[] {
  return [
    ...(pathGlob === undefined ? [] : [`in ${toVisibleText(pathGlob)}`]),
    ...(paths === undefined ? [] : [`${command ? 'on' : 'at'} ${paths.map(toVisibleText).join(', ')}`]),
    ...(cwd === undefined ? [] : [`in ${toVisibleText(cwd)}`]),
    ...Object.entries(env).map(([name, value]) => `with ${toVisibleText(`${name}=${value}`)}`),
    ...Object.entries(input).map(([name, json]) => `with ${toVisibleText(name)}: ${toVisibleText(json)}`),
    ...(rawInput === undefined ? [] : [`with exactly this input: ${toVisibleText(rawInput)}`]),
    ...(agent === undefined ? [] : [`by ${toVisibleText(agent)}`]),
  ];
}

function describeLifetime({ scope }: PermissionRule): string {
  return scope === 'session' ? ', in this conversation' : ', always';
}

function describeVariables(env: Readonly<Record<string, string>>): string {
  return joinNames(Object.entries(env).map(([name, value]) => `${name}=${value}`));
}

function joinNames(texts: readonly string[]): string {
  const shown = texts.map(shorten);
  const last = shown.pop() ?? '';
  return shown.length === 0 ? last : `${shown.join(', ')} and ${last}`;
}

function shorten(text: string): string {
  return toVisibleText(text.length > maxValueLength ? `${text.slice(0, maxValueLength)}…` : text);
}

const actionsOnFiles: Readonly<Record<ToolKind, string>> = {
  read: 'reading',
  edit: 'editing',
  delete: 'deleting',
  move: 'moving',
  search: 'searching',
  execute: 'running',
  think: 'thinking about',
  fetch: 'fetching',
  switch_mode: 'switching the mode for',
  other: 'using tools of other kinds on',
};

const titles: Readonly<Record<ToolKind, string>> = {
  read: 'Read files',
  edit: 'Edit files',
  delete: 'Delete files',
  move: 'Move files',
  search: 'Search',
  execute: 'Run commands',
  think: 'Think',
  fetch: 'Fetch from the web',
  switch_mode: 'Switch the mode',
  other: 'Use other tools',
};

const actions: Readonly<Record<ToolKind, string>> = {
  read: 'reading files',
  edit: 'editing files',
  delete: 'deleting files',
  move: 'moving files',
  search: 'searching',
  execute: 'running commands',
  think: 'thinking',
  fetch: 'fetching from the web',
  switch_mode: 'switching the mode',
  other: 'using other tools',
};
