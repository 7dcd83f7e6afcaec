import * as z from 'zod/mini';
import { Entry, Usage } from '../../../transcript/common/entries';
import { FoundEntry } from '../../../transcript/common/findEntries';
import { LoadAnswer, LoadRequest } from '../../../transcript/common/loadRequest';
import { TranscriptPatch } from '../../../transcript/common/patch';
import { threadStates } from '../threadPorts';
import {
  defineRequestWithoutResult,
  defineNotification,
  defineRequest,
  NoValue,
} from '../../../webview/common/protocol';

/** The requests and notifications between the page of a thread and its host. */

const Text = z.string();
const Count = z.int().check(z.nonnegative());
const optional = z.optional;

/** The actions that the list and the page of a thread offer. */
export const ThreadAction = z.enum([
  'continueInAmp',
  'continueInChat',
  'exportMarkdown',
  'exportHtml',
  'exportJson',
  'copyLink',
  'copyPath',
  'copyId',
  'reveal',
]);
export type ThreadAction = z.infer<typeof ThreadAction>;

export const ThreadHeaderView = z.object({
  id: Text,
  title: Text,
  state: z.enum(threadStates),
  isArchived: z.boolean(),
  mode: optional(Text),
  usage: optional(Usage),
  /** Absolute paths of the folders where the thread worked. Paths below them are shown as relative paths. */
  folders: optional(z.array(Text)),
  promptCount: Count,
  messageCount: Count,
  facts: z.array(z.object({ label: Text, value: Text })),
  notes: z.array(Text),
  actions: z.array(ThreadAction),
});
export type ThreadHeaderView = z.infer<typeof ThreadHeaderView>;

export const OutlineItem = z.object({
  entryId: Text,
  turn: Count,
  /** Text on a single line. */
  text: Text,
  at: optional(z.number()),
});
export type OutlineItem = z.infer<typeof OutlineItem>;

/** An update of the page. A missing field has not changed. The host sends at most one update per frame. */
export const ThreadUpdate = z.object({
  thread: optional(ThreadHeaderView),
  outline: optional(z.array(OutlineItem)),
  transcript: optional(TranscriptPatch),
  /** Why the last read failed, or null after a successful read. The page keeps its contents. */
  problem: optional(z.nullable(Text)),
  /** Whether the thread has a file that can be opened in an editor. Sent together with `problem`. */
  hasFile: optional(z.boolean()),
  /** Id of the first entry that is new since the user's last visit. Sent only with the first update. */
  unreadFrom: optional(Text),
});
export type ThreadUpdate = z.infer<typeof ThreadUpdate>;

export const didUpdate = defineNotification('thread/didUpdate', ThreadUpdate);

export const didRequestFindOrJump = defineNotification(
  'thread/didAsk',
  z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('find') }),
    z.object({ kind: z.literal('goTo'), entryId: Text }),
  ]),
);

const ofEntry = z.object({ entryId: Text });

export const threadRequests = {
  /** Sent by a new page, which then receives all data by `didUpdate`. */
  ready: defineRequestWithoutResult('thread/ready', NoValue),
  /** Heartbeat that the page sends every few seconds while it is visible. */
  alive: defineRequestWithoutResult('thread/alive', NoValue),
  load: defineRequest('thread/load', LoadRequest, LoadAnswer),
  /** Finds the entries that show a text, in reading order, ignoring case. */
  find: defineRequest('thread/find', z.object({ query: Text }), z.object({ found: z.array(FoundEntry) })),
  retry: defineRequestWithoutResult('thread/retry', NoValue),
  /** Opens the file of an unreadable thread in an editor. */
  openFile: defineRequestWithoutResult('thread/openFile', NoValue),
  /** Returns the complete entry, which is truncated on the page. */
  showAll: defineRequest('thread/showAll', ofEntry, z.object({ entry: Entry })),
  /** Shows or hides a subagent's thread as the steps of its call. The steps arrive with the next update. */
  showSubthread: defineRequest(
    'thread/showSubthread',
    z.object({ entryId: Text, isShown: z.boolean() }),
    z.object({ problem: optional(Text) }),
  ),
  /** Opens the JSON source of the entry in an editor. */
  showRaw: defineRequestWithoutResult('thread/showRaw', ofEntry),
  /** Opens a diff. `part` is the index of the diff in the entry's parts. */
  openDiff: defineRequestWithoutResult('thread/openDiff', z.object({ entryId: Text, part: Count })),
  /** Opens a path or a link in the transcript. `line` is 1-based. */
  open: defineRequestWithoutResult(
    'thread/open',
    z.object({ target: Text, line: optional(Count), column: optional(Count) }),
  ),
  copy: defineRequestWithoutResult('thread/copy', z.object({ text: Text })),
  /** Opens an HTML document of an answer in the browser. */
  openView: defineRequestWithoutResult('thread/openView', z.object({ html: Text })),
  act: defineRequestWithoutResult('thread/act', z.object({ action: ThreadAction })),
} as const;
