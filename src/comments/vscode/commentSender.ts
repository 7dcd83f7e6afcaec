import * as vscode from 'vscode';
import type { Clock } from '../../base/common/async';
import { splitLines } from '../../changes/common/review/lines';
import { addAnswer, markSent, markWithdrawn, reserveNumbers, type SentComments } from '../common/commentChanges';
import { attachmentOf, threadsOfAttachment, type CommentChat, type TurnAnswer } from '../common/commentChat';
import {
  draftThreads,
  isDraft,
  reviewerOf,
  stateOfThread,
  type Comment,
  type CommentThread,
} from '../common/commentThread';
import { findAnswers } from '../common/findAnswers';
import type { CommentPlace } from '../common/placeComment';
import { reviewPrompt, type CommentToSend } from '../common/reviewPrompt';
import type { CommentStore } from '../node/commentStore';
import type { ShownThreads } from './shownThreads';

interface CommentSenderDeps {
  readonly store: CommentStore;
  readonly threads: Pick<ShownThreads, 'placesInFiles'>;
  readonly chat: CommentChat;
  readonly clock: Clock;
  readonly newId: () => string;
}

/** Sends comments to an agent, and puts its answers into their threads. */
export class CommentSender {
  /** What the prompts with attachments send, by attachment and conversation, until they were sent. */
  private readonly prepared = new Map<string, SentComments>();

  constructor(private readonly deps: CommentSenderDeps) {}

  /** Puts all drafts into the composer of a conversation. @throws Error if there are none */
  async attachAll(): Promise<void> {
    const { chat, newId, store } = this.deps;
    const drafts = draftThreads(store.threads);
    if (drafts.length === 0) throw new Error('There are no comments to send. Write one beside a line first.');
    const paths = [...new Set(drafts.map((thread) => thread.path))];
    await chat.attach(
      attachmentOf(
        drafts.map(({ id }) => id),
        newId(),
      ),
      paths,
    );
  }

  /** Puts one thread into the composer of a conversation. */
  async attachOne(threadId: string): Promise<void> {
    const { chat, newId, store } = this.deps;
    const paths = store.threads.flatMap(({ id, path }) => (id === threadId ? [path] : []));
    await chat.attach(attachmentOf([threadId], newId()), paths);
  }

  /** Sends the drafts of a thread to the agent that began it with a finding. @throws ChatError, BackendError */
  async sendToReviewer(threadId: string): Promise<void> {
    const { chat, newId, store } = this.deps;
    const thread = store.threads.find(({ id }) => id === threadId);
    const reviewer = thread && reviewerOf(thread);
    if (reviewer !== undefined) await chat.send(attachmentOf([threadId], newId()), reviewer);
  }

  /**
   * Returns the prompt for an attachment. Empty if nothing of it is left to send. A prompt that is sent to the same conversation
   * again has the same numbers. @throws CommentError
   */
  async promptOf(attachment: string, conversation: string): Promise<string> {
    const ids = new Set(threadsOfAttachment(attachment));
    const toSend = (thread: CommentThread): readonly Comment[] => commentsToSend(thread, attachment, conversation);
    const wanted = this.deps.store.threads.filter((thread) => ids.has(thread.id) && toSend(thread).length > 0);
    const places = await this.deps.threads.placesInFiles(wanted);
    // The others stay drafts.
    const placed = wanted.flatMap((thread) => {
      const place = places.get(thread.id);
      return place ? [{ thread, place }] : [];
    });
    const threads = placed.map(({ thread }) => thread);
    if (threads.length === 0) return '';
    const numbers = await this.numbersFor(threads, toSend);
    const texts = new Map(threads.flatMap((thread) => toSend(thread).map(({ id, text }) => [id, text] as const)));
    this.prepared.set(keyOf(attachment, conversation), { attachment, conversation, numbers, texts });
    const comments = await Promise.all(
      placed.map(({ thread, place }) => this.describe(thread, numbers.get(thread.id) ?? 0, toSend(thread), place)),
    );
    return reviewPrompt(comments);
  }

  /** Marks what an attachment has sent, or takes that back because its prompt was withdrawn. @throws CommentError */
  async noteOutcome(attachment: string, conversation: string, outcome: 'accepted' | 'withdrawn'): Promise<void> {
    const { store } = this.deps;
    const key = keyOf(attachment, conversation);
    const sent = this.prepared.get(key);
    this.prepared.delete(key);
    if (outcome === 'withdrawn') await store.change(markWithdrawn(attachment, conversation));
    else if (sent) await store.change(markSent(sent));
  }

  /** Adds what an agent has said to the threads whose numbers it names. @throws CommentError */
  async takeAnswer({ agent, conversation, text }: TurnAnswer): Promise<void> {
    const { clock, newId, store } = this.deps;
    const at = clock.now();
    // On what is stored then: the numbers may be about to be stored.
    await store.change((stored) => {
      const given = stored.threads
        .flatMap(({ comments }) => comments)
        .flatMap((comment) => (comment.conversation === conversation ? (comment.number ?? []) : []));
      return findAnswers(text, new Set(given))
        .map((found) => addAnswer({ id: newId(), text: found.text, at, agent, conversation, answers: found.number }))
        .reduce((changed, change) => change(changed), stored);
    });
  }

  private async numbersFor(
    threads: readonly CommentThread[],
    toSend: (thread: CommentThread) => readonly Comment[],
  ): Promise<ReadonlyMap<string, number>> {
    const isNew = (thread: CommentThread): boolean => stateOfThread(thread) === 'draft';
    const fresh = threads.filter(isNew);
    const first = await this.deps.store.changeAndReturn((stored) => ({
      changed: fresh.length === 0 ? stored : reserveNumbers(fresh.length)(stored),
      result: stored.nextNumber,
    }));
    return new Map(
      threads.map((thread) => {
        const sent = toSend(thread).find(({ number }) => number !== undefined);
        return [thread.id, isNew(thread) ? first + fresh.indexOf(thread) : (sent?.number ?? 0)];
      }),
    );
  }

  private async describe(
    thread: CommentThread,
    number: number,
    texts: readonly Comment[],
    place: CommentPlace,
  ): Promise<CommentToSend> {
    const { store } = this.deps;
    const { comments, document, home } = thread;
    const homeText = (await store.homeText(home.hash)) ?? '';
    return {
      number,
      shownPath: vscode.workspace.asRelativePath(thread.path),
      isOnTextOfDiff: document !== undefined,
      lines: splitLines(homeText).slice(home.start, home.end).join('\n'),
      firstLine: home.start,
      place,
      earlier: comments
        .filter((comment) => !texts.includes(comment))
        .map(({ agent, text }) => ({ author: agent ?? 'The user', text })),
      texts: texts.map(({ text }) => text),
    };
  }
}

function keyOf(attachment: string, conversation: string): string {
  return `${conversation} ${attachment}`;
}

/** The drafts of a thread; without any, what this attachment has sent there, if its prompt is repeated. */
function commentsToSend(
  { comments, isResolved }: CommentThread,
  attachment: string,
  conversation: string,
): readonly Comment[] {
  if (isResolved) return [];
  const drafts = comments.filter(isDraft);
  if (drafts.length > 0) return drafts;
  return comments.filter((comment) => comment.attachment === attachment && comment.conversation === conversation);
}
