import * as vscode from 'vscode';
import type { Clock } from '../../base/common/async';
import { splitLines } from '../../changes/common/review/lines';
import { addAnswer, markSent, reserveNumbers } from '../common/commentChanges';
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
  /** The numbers that a prompt gives to the threads of an attachment, until it was sent. */
  private readonly numbersOfAttachment = new Map<string, ReadonlyMap<string, number>>();

  constructor(private readonly deps: CommentSenderDeps) {}

  /** Puts all drafts into the composer of a conversation. @throws Error if there are none */
  async attachAll(): Promise<void> {
    const { chat, store } = this.deps;
    const drafts = draftThreads(store.threads);
    if (drafts.length === 0) throw new Error('There are no comments to send. Write one beside a line first.');
    const paths = [...new Set(drafts.map((thread) => thread.path))];
    await chat.attach(attachmentOf(drafts.map(({ id }) => id)), paths);
  }

  /** Sends the drafts of a thread to the agent that began it with a finding. @throws ChatError, BackendError */
  async sendToReviewer(threadId: string): Promise<void> {
    const { chat, store } = this.deps;
    const thread = store.threads.find(({ id }) => id === threadId);
    const reviewer = thread && reviewerOf(thread);
    if (reviewer !== undefined) await chat.send(attachmentOf([threadId]), reviewer);
  }

  /**
   * Returns the prompt for an attachment. Empty if nothing of it is left to send. A prompt that is sent to the same conversation
   * again has the same numbers. @throws CommentError
   */
  async promptOf(attachmentId: string, conversation: string): Promise<string> {
    const ids = new Set(threadsOfAttachment(attachmentId));
    const wanted = this.deps.store.threads.filter(
      (thread) => ids.has(thread.id) && commentsToSend(thread, conversation).length > 0,
    );
    const places = await this.deps.threads.placesInFiles(wanted);
    // The others stay drafts.
    const placed = wanted.flatMap((thread) => {
      const place = places.get(thread.id);
      return place ? [{ thread, place }] : [];
    });
    const threads = placed.map(({ thread }) => thread);
    if (threads.length === 0) return '';
    const numbers = await this.numbersFor(threads, conversation);
    this.numbersOfAttachment.set(attachmentId, numbers);
    const comments = await Promise.all(
      placed.map(({ thread, place }) => this.toSend(thread, numbers.get(thread.id) ?? 0, conversation, place)),
    );
    return reviewPrompt(comments);
  }

  /** Marks the comments of an attachment as sent. @throws CommentError */
  async noteSent(attachmentId: string, conversation: string): Promise<void> {
    const numbers = this.numbersOfAttachment.get(attachmentId);
    this.numbersOfAttachment.delete(attachmentId);
    if (numbers) await this.deps.store.change(markSent(numbers, conversation));
  }

  /** Adds what an agent has said to the threads whose numbers it names. @throws CommentError */
  async takeAnswer({ agent, conversation, text }: TurnAnswer): Promise<void> {
    const { clock, newId, store } = this.deps;
    const given = store.threads
      .flatMap(({ comments }) => comments)
      .filter((comment) => comment.conversation === conversation)
      .flatMap(({ number }) => number ?? []);
    const answers = findAnswers(text, new Set(given));
    if (answers.length === 0) return;
    const at = clock.now();
    const changes = answers.map((answer) =>
      addAnswer(answer.number, { id: newId(), text: answer.text, at, agent, conversation }),
    );
    await store.change((stored) => changes.reduce((changed, change) => change(changed), stored));
  }

  private async numbersFor(
    threads: readonly CommentThread[],
    conversation: string,
  ): Promise<ReadonlyMap<string, number>> {
    const isNew = (thread: CommentThread): boolean => stateOfThread(thread) === 'draft';
    const fresh = threads.filter(isNew);
    const first = await this.deps.store.changeAndReturn((stored) => ({
      changed: fresh.length === 0 ? stored : reserveNumbers(fresh.length)(stored),
      result: stored.nextNumber,
    }));
    return new Map(
      threads.map((thread) => {
        const sent = commentsToSend(thread, conversation).find(({ number }) => number !== undefined);
        return [thread.id, isNew(thread) ? first + fresh.indexOf(thread) : (sent?.number ?? 0)];
      }),
    );
  }

  private async toSend(
    thread: CommentThread,
    number: number,
    conversation: string,
    place: CommentPlace,
  ): Promise<CommentToSend> {
    const { store } = this.deps;
    const { comments, document, home } = thread;
    const homeText = (await store.homeText(home.hash)) ?? '';
    const texts = commentsToSend(thread, conversation);
    return {
      number,
      shownPath: vscode.workspace.asRelativePath(thread.path),
      isOnEarlierText: document !== undefined,
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

/** The drafts of a thread; without any, what a repeated prompt has sent to the same conversation. */
function commentsToSend({ comments, isResolved }: CommentThread, conversation: string): readonly Comment[] {
  if (isResolved) return [];
  const drafts = comments.filter(isDraft);
  if (drafts.length > 0) return drafts;
  const last = comments.findLast((comment) => comment.conversation === conversation && comment.number !== undefined);
  return comments.filter((comment) => last !== undefined && comment.number === last.number);
}
