import type { ApprovalContext } from '../../../session/common/approvalContext';
import type { ToolContent, ToolKind } from '../../../session/common/sessionEvents';
import { isAbsolutePath, isUri, relativePathIn } from '../../../editor/common/boundary';
import type { Protection } from '../../../editor/common/protection/protection';
import { canonicalJson } from '../../../base/common/canonicalJson';
import { isPlainPath } from '../../../permissions/common/policy/plainPath';
import { pathsOfGlobs } from '../../../permissions/common/policy/policyMembers';
import { parseToolInput, sortedByName } from '../../../permissions/common/requests/toolInput';
import { inputComparedAsWhole } from '../../../permissions/common/rules/permissionRules';
import { couldChangeFiles } from '../../../permissions/common/decide';
import type { RequestWithProtections, ToolRequest } from '../../../permissions/common/requests/toolRequest';
import { withoutUndefined } from '../../../base/common/withoutUndefined';
import { formatCommand, formatProgram, toVisibleText, withoutCodeMarks } from '../../../base/common/text/visibleText';
import type { ToolCommand } from '../../../session/common/toolCaller';
import type { CallDescription } from '../session/toolCalls';
import { toToolContent } from '../session/toolContent';

interface RequestContext {
  readonly agent: string;
  /** Absolute path of the session's folder. Commands run there by default, and relative paths start there. */
  readonly cwd: string;
  /** Resolves a path like `EditorPort.realPathOf`. Rejects if agents may not access the path. */
  readonly resolve: (path: string) => Promise<string>;
  /** Returns why changing a file needs approval. `path` is resolved. */
  readonly protectionOf: (path: string) => Promise<Protection | undefined>;
}

/** Kinds that are changed to `edit` if the call has a diff. */
const nonEditKinds: ReadonlySet<ToolKind> = new Set(['read', 'search', 'think', 'fetch', 'switch_mode', 'other']);

/**
 * Converts a tool call to a request. Inaccessible paths are kept as the agent wrote them: rules can deny but not allow
 * them.
 */
export async function toToolRequest(call: CallDescription, context: RequestContext): Promise<RequestWithProtections> {
  const { agent } = context;
  const diffs = call.content.flatMap(changedPathsOf);
  const kind = diffs.length > 0 && nonEditKinds.has(call.kind) ? 'edit' : call.kind;
  const input = parseToolInput(call.rawInput ?? {}, kind === 'read' || kind === 'edit');
  const refusedPaths = new Set<string>();
  const realPathOf = (path: string): Promise<string> =>
    resolvePath(path, context).catch(() => {
      refusedPaths.add(path);
      return path;
    });
  const namedPaths = new Set([...call.locations.map(({ path }) => path), ...diffs, ...input.paths]);
  const paths = [...new Set(await Promise.all([...namedPaths].map(realPathOf)))];
  const { argv, env, isProgram, members, escalations, isUnclear } = input;
  const cwd = await folderOf(input.cwd, context, realPathOf);
  const rawInput = inputComparedAsWhole.has(kind) && call.rawInput ? canonicalJson(call.rawInput) : undefined;
  const tool = call.name ?? (kind === 'other' ? call.title : undefined);
  const command = argv && { argv, cwd, ...(isProgram ? { isProgram } : {}) };
  const request: ToolRequest = {
    agent,
    kind,
    ...withoutUndefined({ tool, rawInput }),
    paths,
    ...(command ? { command } : {}),
    env,
    // Without a command, the folder is stored as an ordinary input.
    input: !command && input.cwd !== undefined ? { ...members, cwd: JSON.stringify(input.cwd) } : members,
    escalations,
    isUnresolved: isUnclear || refusedPaths.size > 0,
    ...((await isAmbiguous([...namedPaths], kind === 'search' ? members : {}, context)) ? { isAmbiguous: true } : {}),
  };
  try {
    return { ...request, protections: await protectionsOf(request, refusedPaths, context) };
  } catch {
    return { ...request, protections: new Map(), isUnresolved: true };
  }
}

/**
 * Whether the tool could use other files than those that the request names: it expands a path, or a glob goes through a
 * link that leaves the workspace.
 */
async function isAmbiguous(
  paths: readonly string[],
  searchInput: ToolRequest['input'],
  context: RequestContext,
): Promise<boolean> {
  if (!paths.every((path) => isPlainPath(path, context.cwd))) return true;
  const [folder = '.'] = paths;
  const searched = pathsOfGlobs(searchInput).map((path) => resolvePath(`${folder}/${path}`, context));
  return await Promise.all(searched).then(
    () => false,
    () => true,
  );
}

function changedPathsOf(item: CallDescription['content'][number]): string[] {
  if (item.type === 'diff') return [item.path];
  return item.type === 'change' ? [item.path, ...(item.oldPath === undefined ? [] : [item.oldPath])] : [];
}

/**
 * Returns the protections of the files that a request may change. Ignores the diff, because the actual change may
 * differ from it. @throws EditorError
 */
async function protectionsOf(
  request: ToolRequest,
  refused: ReadonlySet<string>,
  { protectionOf }: RequestContext,
): Promise<RequestWithProtections['protections']> {
  const known = couldChangeFiles(request) ? request.paths.filter((path) => !refused.has(path)) : [];
  const found = await Promise.all(
    known.map(async (path): Promise<[string, string][]> => {
      const protection = await protectionOf(path);
      return protection ? [[path, protection.reason]] : [];
    }),
  );
  return new Map(found.flat());
}

export function toTerminalToolRequest(agent: string, command: ToolCommand): ToolRequest {
  const { argv, cwd, env, isProgram, shell, warning } = command;
  const nothing = { paths: [], input: {}, escalations: {}, isUnresolved: warning !== undefined };
  return {
    agent,
    kind: 'execute',
    command: { argv, cwd, ...withoutUndefined({ isProgram, shell }) },
    env: sortedByName(env),
    ...nothing,
  };
}

/** Resolves a path relative to the session's folder. Rejects `~`, because only a shell expands it. */
async function resolvePath(path: string, { cwd, resolve }: RequestContext): Promise<string> {
  if (path.startsWith('~')) throw new RangeError(`${path} begins with ~`);
  return await resolve(isAbsolutePath(path) || isUri(path) || path === '' ? path : `${cwd}/${path}`);
}

/**
 * Resolves the folder in which a command runs; default is the session's folder. That folder may be outside the
 * workspace, because a window may have no workspace.
 */
function folderOf(
  named: string | undefined,
  { cwd, resolve }: RequestContext,
  real: (path: string) => Promise<string>,
): Promise<string> {
  return named === undefined ? resolve(cwd).catch(() => cwd) : real(named);
}

/** One sentence that explains what the user is asked to allow. Shows paths relative to the session's folder. */
export function describePermissionRequest(
  agentTitle: string,
  request: ToolRequest,
  { title, cwd }: { readonly title: string | undefined; readonly cwd: string },
): string {
  const { command, paths, kind } = request;
  // Unresolved paths are shown as the agent wrote them.
  const nameOf = (path: string) => (request.isUnresolved ? toVisibleText(path) : relativeDisplayPath(path, cwd));
  if (command) {
    const where = command.cwd === cwd ? '' : ` in ${nameOf(command.cwd)}`;
    const inShell = command.shell === undefined ? '' : `in a shell (${command.shell}): `;
    return `${agentTitle} wants to run ${inShell}${commandText(command)}${where}${variablesPhrase(request.env)}`;
  }
  const verb = verbsByKind[kind];
  const names = paths.map(nameOf);
  if (verb && names.length > 0) return `${agentTitle} wants to ${verb} ${names.join(', ')}`;
  return `Request from ${agentTitle}: ${toVisibleText(withoutCodeMarks(title ?? kind))}`;
}

function commandText({ argv, isProgram }: NonNullable<ToolRequest['command']>): string {
  return isProgram === true ? `the program ${formatProgram(argv)}` : formatCommand(argv);
}

/** Display name of a resolved path, relative to `folder` if it is inside. */
export function relativeDisplayPath(path: string, folder: string): string {
  const below = relativePathIn(path, folder, false);
  return toVisibleText(below === undefined || below === '' ? path : below);
}

export function createApprovalContext(
  request: ToolRequest,
  about: {
    readonly agent: string;
    readonly subagent?: string | undefined;
    /** Absolute path of the session's folder. */
    readonly folder: string;
    readonly mode?: string | undefined;
    readonly call?: CallDescription;
    readonly content?: readonly ToolContent[];
    readonly warnings?: readonly string[];
  },
): ApprovalContext {
  const { agent, call, folder, mode, subagent, warnings = [] } = about;
  const { command, env, escalations, kind, paths } = request;
  const content = about.content ?? (call ? toToolContent(call.content, () => ({ output: '', truncated: false })) : []);
  return {
    agent,
    ...(subagent === undefined ? {} : { subagent }),
    kind,
    folder,
    ...(call?.title === undefined ? {} : { title: toVisibleText(call.title) }),
    ...(call?.name === undefined || call.name === call.title ? {} : { tool: toVisibleText(call.name) }),
    ...(mode === undefined ? {} : { mode }),
    ...(command ? { command: displayedCommand(command), cwd: command.cwd } : {}),
    ...(Object.keys(env).length > 0 ? { env: { ...env } } : {}),
    ...(paths.length > 0 ? { paths: [...paths] } : {}),
    ...(call && call.locations.length > 0 ? { locations: call.locations } : {}),
    ...(content.length > 0 ? { content: [...content] } : {}),
    ...(call ? { input: call.rawInput ?? {} } : {}),
    ...(Object.keys(escalations).length > 0 ? { escalations: { ...escalations } } : {}),
    ...(warnings.length > 0 ? { warnings: [...warnings] } : {}),
  };
}

/** Returns a shell command line as a string, and a program with arguments as an array. */
function displayedCommand({ argv, isProgram }: NonNullable<ToolRequest['command']>): string | string[] {
  const [only] = argv;
  return argv.length === 1 && isProgram !== true && only !== undefined ? only : [...argv];
}

const maxVariableNames = 3;

function variablesPhrase(env: ToolRequest['env']): string {
  const names = Object.keys(env).map(toVisibleText);
  if (names.length === 0) return '';
  const more = names.length > maxVariableNames ? ` and ${names.length - maxVariableNames} more` : '';
  return ` with ${names.slice(0, maxVariableNames).join(', ')}${more} set`;
}

const verbsByKind: Partial<Record<ToolKind, string>> = {
  read: 'read',
  edit: 'edit',
  delete: 'delete',
  move: 'move',
  search: 'search',
};
