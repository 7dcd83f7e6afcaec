import { withoutUndefined } from '../../../../base/common/withoutUndefined';
import type { Entry, Location, Part } from '../../../../transcript/common/entries';
import { baseName, pathOrUriPath } from '../../model/fileUriPath';
import { threadLink } from '../../model/threadLinks';
import { asCount, isRecord, asList, asNonEmptyText } from '../../model/jsonValues';
import { displayJson } from '../../model/displayJson';
import { partsOfProposedChanges } from './changeParts';
import type { EntryWithRawJson } from './entryWithRawJson';
import { progressSteps, subthreadIn } from './progress';
import { isTodoReadTool, todosOf, todoText } from './todos';
import {
  bareToolName,
  commandOfInput,
  pathOfInput,
  toolKind,
  toolTitle,
  toolTitleOfFiles,
} from '../../model/toolNames';
import { resultParts, type ToolNameAndInput } from './toolResult';
import type { ToolCall, ToolRun } from './toolRun';

/** Maps a tool call to its entry and the entries of its subagent. A list of todos becomes a `todos` entry. */
export function toolEntries(call: ToolCall, run: ToolRun): readonly EntryWithRawJson[] {
  const { base, name, input, raw } = call;
  const view: ToolNameAndInput = { tool: call.knownName ?? name, input };
  const steps = progressSteps(run.progress, base, run.state === 'running' ? 'running' : 'stale');
  const nested = steps.flatMap((step) => ('call' in step ? toolEntries(step.call, step.run) : [step]));
  const subthread = subthreadIn(run.progress);
  const hasSubagent = nested.length > 0 || subthread !== undefined;
  const statusEntries = unknownStatusEntries(call, run);
  const isResultShown = run.error === undefined && !['rejected', 'cancelled', 'waiting'].includes(run.state);
  const items = isResultShown ? todosOf(view.tool, input, run.result) : undefined;
  const isRead = isTodoReadTool(view.tool);
  if (items && !isRead) return [{ entry: { kind: 'todos', ...base, items }, raw }, ...statusEntries];
  const locations = locationsOf(call);
  const entry: Entry = {
    kind: 'tool',
    ...base,
    name: bareToolName(name),
    title: callTitle(name, input, locations),
    toolKind: hasSubagent && toolKind(view.tool) === 'other' ? 'agent' : toolKind(view.tool),
    state: run.state,
    ...withoutUndefined({
      input: call.partialInput ?? inputJson(input),
      error: run.error,
      startedAt: base.at,
      decision: run.decision,
      subthread: subthread?.threadId,
    }),
    ...(locations.length > 0 ? { locations: [...locations] } : {}),
    parts: items ? [{ type: 'list', items: items.map(todoText) }] : [...partsOf(view, run, nested.length > 0)],
  };
  return [{ entry, raw }, ...nested, ...statusEntries];
}

/** Returns the title on one line. It names the files if the input does not show the call's subject. */
function callTitle(name: string, input: unknown, locations: readonly Location[]): string {
  const title = toolTitle(name, input);
  const [first, ...others] = locations;
  if (first === undefined || title !== bareToolName(name)) return title;
  return toolTitleOfFiles(name, baseName(first.path), others.length);
}

function partsOf(view: ToolNameAndInput, run: ToolRun, hasNested: boolean): readonly Part[] {
  const isCommand = toolKind(view.tool) === 'execute';
  // The result of a command contains its progress, which may name a subthread.
  const subthread = subthreadIn(run.progress);
  const progress = subthread ? subthread.rest : run.progress;
  const isProgressShown = !hasNested && !isEmpty(progress) && !(isCommand && run.result !== undefined);
  const progressParts = [
    ...(subthread ? [subthreadPart(subthread.threadId)] : []),
    ...(isProgressShown ? resultParts(view, progress) : []),
  ];
  if (run.result !== undefined) return [...resultParts(view, run.result), ...progressParts, ...run.remarks];
  if (progressParts.length > 0) return [...progressParts, ...run.remarks];
  const command = isCommand ? commandOfInput(view.input) : undefined;
  const inputParts: readonly Part[] =
    command === undefined ? partsOfProposedChanges(view) : [{ type: 'terminal', command, output: '' }];
  return [...inputParts, ...run.remarks];
}

function subthreadPart(threadId: string): Part {
  return { type: 'link', uri: threadLink(threadId), title: `Subagent thread ${threadId}` };
}

function isEmpty(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === undefined || value === null || value === '' || (isRecord(value) && Object.keys(value).length === 0);
}

function unknownStatusEntries(
  { base, raw }: ToolCall,
  { unknownStatus: status }: ToolRun,
): readonly EntryWithRawJson[] {
  if (status === undefined) return [];
  const json = displayJson(raw.at(-1));
  const label = `Result with unknown status “${status}”`;
  return [{ entry: { kind: 'raw', ...base, id: `${base.id}.result`, label, json }, raw: raw.at(-1) }];
}

function inputJson(input: unknown): string | undefined {
  if (input === undefined || input === null || (isRecord(input) && Object.keys(input).length === 0)) return undefined;
  return typeof input === 'string' ? asNonEmptyText(input) : displayJson(input);
}

/** Returns the files of a call without duplicates. */
function locationsOf({ input, raw }: ToolCall): readonly Location[] {
  const path = pathOfInput(input);
  const line = isRecord(input) ? asCount(asList(input['read_range'])[0]) : undefined;
  const inputFiles: readonly Location[] =
    path === undefined ? [] : [{ path: pathOrUriPath(path), ...withoutUndefined({ line }) }];
  const run = raw.flatMap((block) => (isRecord(block) && isRecord(block['run']) ? [block['run']] : [])).at(-1) ?? {};
  const { result, trackFiles } = run;
  const files = isRecord(result) ? asList(result['files']) : [];
  const changedFiles = [
    ...asList(trackFiles),
    ...files.map((file) => (isRecord(file) ? (file['uri'] ?? file['path']) : undefined)),
  ].filter((name) => typeof name === 'string');
  const all = [...inputFiles, ...changedFiles.map((name): Location => ({ path: pathOrUriPath(name) }))];
  return all.filter(({ path: one }, index) => all.findIndex(({ path: other }) => other === one) === index);
}
