import { withoutUndefined } from '../../../base/common/withoutUndefined';
import type { ThreadHead } from '../threadPorts';
import { exportedHead } from './exportedHead';
import { hasBeenChanging } from '../model/fileChanges';
import { fileUriPath } from '../model/fileUriPath';
import { firstLine, isRecord, listOf, textOf, timeOf, type JsonRecord } from '../model/jsonValues';
import { isPrompt, promptText } from '../model/promptText';
import type { SearchedText } from '../query/searchedText';
import type { ReadFrom } from '../threadReader';
import { relationsOf } from '../model/relations';
import { ThreadDocument, treesOf } from '../model/threadSchema';
import { threadTexts } from '../query/threadTexts';
import { freshForMs, isFresh, threadState } from '../model/threadState';
import { ledgerOf, messageModel, threadUsage } from '../model/threadUsage';

/**
 * What the list needs of a thread, without its entries. It is made for thousands of documents, so it looks at messages by
 * `typeof` and leaves their schema to whoever opens one.
 */

/** What is read instead of a thread. */
export const wrongShape = 'This is JSON, but not a thread of Amp: it has no list of messages.';
const maxPromptUnits = 200;

/**
 * `document` is parsed JSON; one that is no thread gets a head with a `problem`. Undefined for what Amp itself hides: a
 * thread without messages and without a draft.
 */
export function headOf(document: unknown, from: ReadFrom): ThreadHead | undefined {
  const parsed = ThreadDocument.safeParse(document).data;
  if (!parsed) return exportedHead(document, from) ?? problemHead(from, wrongShape);
  return isHidden(parsed) ? undefined : headOfThread(parsed, from);
}

/**
 * When the first of those that run is stale unless its file is written before; undefined when none runs. Nobody tells of
 * that moment: who shows them has to look again then.
 */
export function nextStaleAt(heads: readonly ThreadHead[]): number | undefined {
  let first: number | undefined;
  for (const { state, mtimeMs } of heads) {
    if (state !== 'running' || mtimeMs === undefined) continue;
    const at = mtimeMs + freshForMs;
    if (first === undefined || at < first) first = at;
  }
  return first;
}

/** Of a file that cannot be read as a thread. */
export function problemHead({ source, threadId, path, sizeBytes, mtimeMs }: ReadFrom, problem: string): ThreadHead {
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

export function headOfThread(document: ThreadDocument, from: ReadFrom): ThreadHead {
  const { source, path, sizeBytes, mtimeMs } = from;
  const { messages } = document;
  const id = from.threadId ?? idIn(document) ?? path ?? 'unknown';
  const prompts = messages.filter(isRecord).filter(isPrompt);
  const createdAt = [timeOf(document.created), timeInId(id)].find(pastFrom(from.nowMs));
  const trees = treesOf(document);
  const repository = trees.find((tree) => tree.repository?.url !== undefined)?.repository;
  return {
    id,
    source,
    ...withoutUndefined({
      ...{ path, sizeBytes, mtimeMs, createdAt },
      title: textOf(document.title),
      firstPrompt: firstLineOf(prompts),
      repository: repository?.url,
      branch: repository?.ref?.replace(/^refs\/heads\//, ''),
      mode: document.agentMode ?? document.meta?.agentMode,
      model: modelOf(document),
      usage: threadUsage(messages, ledgerOf(document)),
    }),
    folders: foldersOf(document),
    lastPromptAt: lastPromptAt(document, prompts, createdAt) ?? mtimeMs ?? 0,
    promptCount: prompts.length,
    messageCount: messages.length,
    hasChanges: hasBeenChanging(messages),
    isArchived: document.archived === true,
    state: threadState(messages, isFresh(from.mtimeMs, from.nowMs)),
    relations: relationsOf(document, id),
  };
}

/** What a search needs of a thread. */
export interface SearchedThread {
  readonly title: string;
  /** Milliseconds since the epoch. */
  readonly lastPromptAt: number;
  readonly texts: readonly SearchedText[];
}

/** Undefined for what Amp hides and for what is no thread. */
export function searchedThread(json: unknown, from: ReadFrom): SearchedThread | undefined {
  const document = ThreadDocument.safeParse(json).data;
  if (!document || !isRecord(json) || isHidden(document)) return undefined;
  const { messages, title = '' } = document;
  const createdAt = [timeOf(document.created), timeInId(from.threadId ?? '')].find(pastFrom(from.nowMs));
  const promptAt = lastPromptAt(document, messages.filter(isRecord).filter(isPrompt), createdAt);
  const lastAt = promptAt ?? from.mtimeMs ?? 0;
  return { title, lastPromptAt: lastAt, texts: threadTexts(json, messages) };
}

/** Amp lists no thread that is empty, unless a draft is in it; one that its server runs may have nothing here but its title. */
function isHidden({ messages, draft, queuedMessages, meta, title }: ThreadDocument): boolean {
  if (messages.length > 0 || listOf(draft).length > 0 || textOf(draft) !== undefined) return false;
  if ((queuedMessages ?? []).length > 0) return false;
  return meta?.usesDtw !== true || textOf(title) === undefined;
}

/** Absolute, each once. */
export function foldersOf(document: ThreadDocument): readonly string[] {
  const folders = treesOf(document).flatMap(
    ({ uri, fsPath }) => (uri === undefined ? undefined : fileUriPath(uri)) ?? fsPath ?? [],
  );
  return [...new Set(folders)];
}

/** All models that answered, in the order of their first answer. */
export function modelsOf({ messages }: ThreadDocument): readonly string[] {
  return [...new Set(messages.flatMap((message) => messageModel(message) ?? []))];
}

/** What may stand in a path or an argument. */
export function isThreadId(id: string): boolean {
  return /^T-[\w-]+$/.test(id);
}

/** A file holds whatever somebody wrote into it. */
function idIn({ id }: ThreadDocument): string | undefined {
  return id !== undefined && isThreadId(id) ? id : undefined;
}

/** Whether a time may be true: clocks of machines differ, but not by a day. A later one would stay at the top for ever. */
export function pastFrom(nowMs: number): (time: number | undefined) => boolean {
  return (time) => time !== undefined && time <= nowMs + dayMs;
}

const dayMs = 86_400_000;

/** Of ids with a time in them (UUIDv7): milliseconds since the epoch. */
export function timeInId(id: string): number | undefined {
  const match = /^T-([0-9a-f]{8})-([0-9a-f]{4})-7/i.exec(id);
  return match ? timeOf(Number.parseInt(`${match[1] ?? ''}${match[2] ?? ''}`, 16)) : undefined;
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
  const later = (time: number | undefined): void => {
    if (time !== undefined && (last === undefined || time > last)) last = time;
  };
  later(timeOf(document.meta?.lastUserMessageAt));
  for (const { meta, createdAt: at } of prompts)
    later(timeOf(isRecord(meta) ? meta['sentAt'] : undefined) ?? timeOf(at));
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
