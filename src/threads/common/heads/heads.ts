import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { ThreadHead } from '../threadPorts';
import { headOfExport, parseExport } from './exportedHead';
import { hasChangedFiles } from '../model/fileChanges';
import { fileUriPath } from '../model/fileUriPath';
import { firstLine, isRecord, asList, asNonEmptyText, asTimeMs, type JsonRecord } from '../model/jsonValues';
import { isPrompt, promptText } from '../model/promptText';
import type { SearchableText } from '../../../texts/common/searchableText';
import type { DocumentOrigin } from '../threadReader';
import { relationsOf } from '../model/relations';
import { ThreadDocument, workspaceTreesOf } from '../model/threadSchema';
import { searchableTextsOfThread } from '../query/threadTexts';
import { runningFreshnessMs, isRecentlyWritten, threadState } from '../model/threadState';
import { usageLedgerEvents, messageModel, threadUsage } from '../model/threadUsage';

/** The problem that is shown for a JSON file that is not a thread. */
export const notThreadProblem = 'This JSON file is not an Amp thread because it has no list of messages.';
const maxPromptUnits = 200;

/**
 * Returns the head of a parsed document. It has a `problem` if the document is not a thread. Undefined for threads that
 * Amp hides. Checks messages without a schema for speed, because the list needs the heads of thousands of documents.
 */
export function headOf(document: unknown, from: DocumentOrigin): ThreadHead | undefined {
  const parsed = ThreadDocument.safeParse(document).data;
  if (parsed) return isHidden(parsed) ? undefined : headOfThread(parsed, from);
  const exported = parseExport(document);
  return exported ? headOfExport(exported, from) : createProblemHead(from, notThreadProblem);
}

/** Returns when the first running thread becomes stale without a change. Undefined if none is running. */
export function nextStaleAt(heads: readonly ThreadHead[]): number | undefined {
  const running = heads.filter(({ state }) => state === 'running');
  const times = running.flatMap(({ mtimeMs }) => mtimeMs ?? []);
  return times.length === 0 ? undefined : times.reduce((one, other) => Math.min(one, other)) + runningFreshnessMs;
}

/** Creates the head of a file that cannot be read as a thread. */
export function createProblemHead(
  { source, threadId, path, sizeBytes, mtimeMs }: DocumentOrigin,
  problem: string,
): ThreadHead {
  return {
    id: threadId ?? path ?? 'unknown',
    source,
    ...withoutUndefined({ path, sizeBytes, mtimeMs }),
    folders: [],
    lastPromptAt: mtimeMs ?? 0,
    promptCount: 0,
    messageCount: 0,
    hasChanges: false,
    isArchived: false,
    state: 'idle',
    relations: [],
    problem,
  };
}

export function headOfThread(document: ThreadDocument, from: DocumentOrigin): ThreadHead {
  const { source, path, sizeBytes, mtimeMs } = from;
  const { messages } = document;
  const id = from.threadId ?? validId(document) ?? path ?? 'unknown';
  const prompts = messages.filter(isRecord).filter(isPrompt);
  const createdAt = [asTimeMs(document.created), creationTimeFromId(id)].find(createPlausibleTimeTest(from.nowMs));
  const trees = workspaceTreesOf(document);
  const repository = trees.find((tree) => tree.repository?.url !== undefined)?.repository;
  return {
    id,
    source,
    ...withoutUndefined({
      ...{ path, sizeBytes, mtimeMs, createdAt },
      title: asNonEmptyText(document.title),
      firstPrompt: firstLineOf(prompts),
      repository: repository?.url,
      branch: repository?.ref?.replace(/^refs\/heads\//, ''),
      mode: document.agentMode ?? document.meta?.agentMode,
      model: modelOf(document),
      usage: threadUsage(messages, usageLedgerEvents(document)),
    }),
    folders: foldersOf(document),
    lastPromptAt: lastPromptAt(document, prompts, createdAt) ?? mtimeMs ?? 0,
    promptCount: prompts.length,
    messageCount: messages.length,
    hasChanges: hasChangedFiles(messages),
    isArchived: document.archived === true,
    state: threadState(messages, isRecentlyWritten(from.mtimeMs, from.nowMs)),
    relations: relationsOf(document, id),
  };
}

/** The searchable data of a thread. */
interface ThreadSearchData {
  readonly title: string;
  /** Time of the last prompt, in milliseconds since the epoch. */
  readonly lastPromptAt: number;
  readonly texts: readonly SearchableText[];
}

/** Returns the searchable data. Undefined for threads that Amp hides, and for files that are not threads. */
export function searchDataOf(json: unknown, from: DocumentOrigin): ThreadSearchData | undefined {
  const document = ThreadDocument.safeParse(json).data;
  if (!document || !isRecord(json) || isHidden(document)) return undefined;
  const { messages, title = '' } = document;
  const createdAt = [asTimeMs(document.created), creationTimeFromId(from.threadId ?? '')].find(
    createPlausibleTimeTest(from.nowMs),
  );
  const promptAt = lastPromptAt(document, messages.filter(isRecord).filter(isPrompt), createdAt);
  const lastAt = promptAt ?? from.mtimeMs ?? 0;
  return { title, lastPromptAt: lastAt, texts: searchableTextsOfThread(json, messages) };
}

/**
 * Whether Amp hides the thread: it hides drafts and threads without messages. A thread on Amp's server may have only a
 * title here, and is not hidden.
 */
function isHidden({ messages, draft, queuedMessages, meta, title }: ThreadDocument): boolean {
  if (messages.length > 0 || asList(draft).length > 0 || asNonEmptyText(draft) !== undefined) return false;
  if ((queuedMessages ?? []).length > 0) return false;
  return meta?.usesDtw !== true || asNonEmptyText(title) === undefined;
}

/** Returns the absolute paths of the thread's folders, without duplicates. */
export function foldersOf(document: ThreadDocument): readonly string[] {
  const folders = workspaceTreesOf(document).flatMap(
    ({ uri, fsPath }) => (uri === undefined ? undefined : fileUriPath(uri)) ?? fsPath ?? [],
  );
  return [...new Set(folders)];
}

/** Returns all models that answered, in the order of their first answers. */
export function modelsOf({ messages }: ThreadDocument): readonly string[] {
  return [...new Set(messages.flatMap((message) => messageModel(message) ?? []))];
}

/** Whether an id is valid, which means that it is safe to use in a path or an argument. */
export function isThreadId(id: string): boolean {
  return /^T-[\w-]+$/.test(id);
}

/** Returns the id of a document if it is valid, because a file may contain any text as its id. */
function validId({ id }: ThreadDocument): string | undefined {
  return id !== undefined && isThreadId(id) ? id : undefined;
}

/** Accepts times up to one day in the future, because clocks differ. Later times would stay at the top of the list. */
export function createPlausibleTimeTest(nowMs: number): (time: number | undefined) => boolean {
  return (time) => time !== undefined && time <= nowMs + dayMs;
}

const dayMs = 86_400_000;

/** Returns the time in an id, in milliseconds since the epoch. Only some ids (UUIDv7) contain one. */
export function creationTimeFromId(id: string): number | undefined {
  const match = /^T-([0-9a-f]{8})-([0-9a-f]{4})-7/i.exec(id);
  return match ? asTimeMs(Number.parseInt(`${match[1] ?? ''}${match[2] ?? ''}`, 16)) : undefined;
}

function firstLineOf(prompts: readonly JsonRecord[]): string | undefined {
  for (const prompt of prompts) {
    const line = firstLine(promptText(prompt['content']), maxPromptUnits);
    if (line !== '') return line;
  }
  return undefined;
}

function lastPromptAt(
  document: ThreadDocument,
  prompts: readonly JsonRecord[],
  createdAt: number | undefined,
): number | undefined {
  let last = createdAt;
  const includeTime = (time: number | undefined): void => {
    if (time !== undefined && (last === undefined || time > last)) last = time;
  };
  includeTime(asTimeMs(document.meta?.lastUserMessageAt));
  for (const { meta, createdAt: at } of prompts)
    includeTime(asTimeMs(isRecord(meta) ? meta['sentAt'] : undefined) ?? asTimeMs(at));
  return last;
}

function modelOf(document: ThreadDocument): string | undefined {
  const model = document.messages.findLast((message) => messageModel(message) !== undefined);
  if (model !== undefined) return messageModel(model);
  const tags = document.env?.initial?.tags ?? [];
  return tags
    .flatMap((tag) => (typeof tag === 'string' && tag.startsWith('model:') ? tag.slice('model:'.length) : []))
    .at(-1);
}
