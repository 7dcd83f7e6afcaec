import * as z from 'zod/mini';
import { Entry, Usage } from '../../../transcript/common/entries';
import { TranscriptPatch } from '../../../transcript/common/patch';
import { threadStates } from '../threadPorts';
import { defineAction, defineNotification, defineRequest, Nothing } from '../../../webview/common/protocol';

/** What the page of a thread asks of its host, and what the host tells it. */

const Text = z.string();
const Count = z.int().check(z.nonnegative());
const optional = z.optional;

/** What can be done with a thread, from the list and from its page. */
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

export const ThreadView = z.object({
  id: Text,
  title: Text,
  state: z.enum(threadStates),
  isArchived: z.boolean(),
  mode: optional(Text),
  usage: optional(Usage),
  /** Absolute, where it worked: paths below them are shown relative to them. */
  folders: optional(z.array(Text)),
  promptCount: Count,
  messageCount: Count,
  facts: z.array(z.object({ label: Text, value: Text })),
  notes: z.array(Text),
  actions: z.array(ThreadAction),
});
export type ThreadView = z.infer<typeof ThreadView>;

/** One prompt of a thread, to jump to. */
export const OutlineItem = z.object({
  entryId: Text,
  turn: Count,
  /** One line. */
  text: Text,
  at: optional(z.number()),
});
export type OutlineItem = z.infer<typeof OutlineItem>;

/** The host posts at most one of these a frame; what is absent has not changed. */
export const ThreadUpdate = z.object({
  thread: optional(ThreadView),
  outline: optional(z.array(OutlineItem)),
  transcript: optional(TranscriptPatch),
  /** Why it cannot be read, or not any more; null when it can. What was read before stays. */
  problem: optional(z.nullable(Text)),
  /** Its file can be opened in an editor; sent with `problem`. */
  hasFile: optional(z.boolean()),
  /** The first entry that came since the user last looked; sent with the first update only. */
  unreadFrom: optional(Text),
});
export type ThreadUpdate = z.infer<typeof ThreadUpdate>;

export const didUpdate = defineNotification('thread/didUpdate', ThreadUpdate);

/** To be carried out by the page. */
export const didAsk = defineNotification(
  'thread/didAsk',
  z.discriminatedUnion('what', [
    z.object({ what: z.literal('find') }),
    z.object({ what: z.literal('goTo'), entryId: Text }),
  ]),
);

const ofEntry = z.object({ entryId: Text });

export const FoundEntry = z.object({
  entryId: Text,
  /** Of the entry in the whole thread, 0-based. */
  index: Count,
  /** How often the text stands in it. */
  count: Count,
});
export type FoundEntry = z.infer<typeof FoundEntry>;

export const threadRequests = {
  /** The page is there and knows nothing: everything is told by `didUpdate` after this. */
  ready: defineAction('thread/ready', Nothing),
  loadOlder: defineAction('thread/loadOlder', z.object({ count: Count })),
  loadLater: defineAction('thread/loadLater', z.object({ count: Count })),
  /** The entries around one. `isThere` is false when the thread has no such entry. */
  loadAround: defineRequest('thread/loadAround', ofEntry, z.object({ isThere: z.boolean() })),
  loadLatest: defineAction('thread/loadLatest', Nothing),
  /** The entries that show a text, in reading order, without regard to case. */
  find: defineRequest('thread/find', z.object({ query: Text }), z.object({ found: z.array(FoundEntry) })),
  /** Reads the thread again after it could not be read. */
  retry: defineAction('thread/retry', Nothing),
  /** Shows the file of a thread that cannot be read in an editor. */
  openFile: defineAction('thread/openFile', Nothing),
  /** The whole entry, with nothing cut away. */
  showAll: defineRequest('thread/showAll', ofEntry, z.object({ entry: Entry })),
  /**
   * Opens or closes the thread of a subagent as the steps of its call, which come with the transcript. `problem` says why
   * there will be none.
   */
  showSubthread: defineRequest(
    'thread/showSubthread',
    z.object({ entryId: Text, isShown: z.boolean() }),
    z.object({ problem: optional(Text) }),
  ),
  /** What the entry was made of, in an editor. */
  showRaw: defineAction('thread/showRaw', ofEntry),
  /** `part` is the index of a diff in the entry's parts. */
  openDiff: defineAction('thread/openDiff', z.object({ entryId: Text, part: Count })),
  /** A path or a link of the transcript; `line` is 1-based. */
  open: defineAction('thread/open', z.object({ target: Text, line: optional(Count) })),
  copy: defineAction('thread/copy', z.object({ text: Text })),
  act: defineAction('thread/act', z.object({ action: ThreadAction })),
} as const;
