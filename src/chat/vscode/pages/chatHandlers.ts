import { shownWait } from '../../../platform/vscode/shownWait';
import type { Handlers } from '../../../webview/common/requestHandlers';
import { chatRequests } from '../../common/page/chatApi';
import type { Chat, Written } from '../../common/chatPorts';
import type { Draft } from '../../common/chatView';
import type { PageFeed } from '../../common/page/pageFeed';
import { joinedDrafts } from '../../common/conversation/drafts';
import type { ChatPageServices } from './chatPageServices';

/** The operations of a page that its request handlers use. */
export interface PageControl {
  readonly chat: Chat | undefined;
  readonly feed: Pick<PageFeed, 'flushNow' | 'loadOlder' | 'draftSaved'>;
  /** The shown conversation, if its first prompt was sent from this page. */
  readonly startedChat: Chat | undefined;
  /** Shows the conversation, or an empty page for a new one. `keepsComposer`: the composer's text belongs to it. */
  show(chat: Chat | undefined, keepsComposer?: boolean): void;
  /**
   * Call it before opening or creating a conversation for the user. The returned function says whether the page may
   * still show that conversation: false once the user has chosen another one.
   */
  startNavigation(): () => boolean;
  onReady(): Promise<void>;
  onAlive(): void;
  onFocus(): void;
}

/** Creates the handlers of all page requests. The page shows the errors that they throw. */
export function createChatHandlers(page: PageControl, services: ChatPageServices): Handlers<typeof chatRequests> {
  const { chats, backends, mentions, newDraft, editor, code, review } = services;
  let sessionSearch = new AbortController();
  let sessionListing = new AbortController();
  let mentionSearch = new AbortController();
  /** Identifies the page's current load: a reloaded page restarts its revisions. */
  let writer = {};

  const chatOf = async (id: string): Promise<Chat> => (page.chat?.id === id ? page.chat : await chats.open(id));

  /** Creates the conversation of a first prompt and shows it before its backend is ready. */
  const createChat = async (prompt: object, draft: Draft, written: Written): Promise<Chat> => {
    const { chosen } = backends;
    const isStillWanted = page.startNavigation();
    newDraft.take(prompt, draft, written);
    try {
      if (!chosen) throw new Error('No agent is available. Add one in the setting backline.acp.agents.');
      const chat = await chats.create(chosen.id, services.folderOf(draft));
      backends.remember(chosen.id);
      // If the user has opened another conversation meanwhile, that one stays with its composer.
      if (isStillWanted()) {
        newDraft.moveTo(chat, written.by);
        page.show(chat, true);
      }
      return chat;
    } catch (error) {
      newDraft.putBack(prompt);
      throw error;
    }
  };

  /** Fetches the agent's options before the first prompt. Servers have reported theirs already. */
  const prepare = (): void => {
    const { chosen } = backends;
    const isWanted = page.chat === undefined && services.isTrusted() && chosen !== undefined;
    if (!isWanted || chosen.source === 'server' || chosen.state === 'unavailable') return;
    chats.prepare(chosen.id, services.folderOf(newDraft.value));
  };

  /** Deletes a conversation without content and restores the user's prompt. */
  const discardChat = async (prompt: object, chat: Chat): Promise<void> => {
    if (page.chat === chat) page.show(undefined, true);
    newDraft.putBack(prompt, chat.draft);
    await chats.delete(chat.id).catch((error: unknown) => services.log.error('a conversation was not removed', error));
  };

  return {
    ready: chatRequests.ready.handledBy(() => {
      writer = {};
      return page.onReady();
    }),
    alive: chatRequests.alive.handledBy(() => page.onAlive()),
    focused: chatRequests.focused.handledBy(() => page.onFocus()),
    loadOlder: chatRequests.loadOlder.handledBy(({ sessionId, count }) => {
      if (page.chat?.id === sessionId) page.feed.loadOlder(count);
    }),

    send: chatRequests.send.handledBy(async ({ sessionId, revision, ...draft }) => {
      const prompt = {};
      const isFirst = sessionId === undefined;
      const written = { by: writer, revision };
      let chat: Chat | undefined;
      try {
        chat = isFirst ? await createChat(prompt, draft, written) : await chatOf(sessionId);
        await chat.send(draft, await services.chips.mentions(), written);
        newDraft.forget(prompt);
        if (isFirst) services.newOptions.begun(chat.view.backendId);
      } catch (error) {
        // A server may have rejected a chosen option; its list may differ now.
        if (chat) void services.newOptions.refresh(chat.view.backendId);
        if (isFirst && chat && isEmptyChat(chat)) await discardChat(prompt, chat);
        if (!isFirst && !chat) newDraft.save(joinedDrafts(newDraft.value, draft));
        throw error;
      } finally {
        // So that the page knows the conversation before it gets the result.
        page.feed.flushNow();
      }
    }),
    continueTurn: chatRequests.continueTurn.handledBy(async ({ sessionId }) => {
      await (await chatOf(sessionId)).continueTurn();
      page.feed.flushNow();
    }),
    stop: chatRequests.stop.handledBy(async ({ sessionId }) => (await chatOf(sessionId)).stop()),
    approve: chatRequests.approve.handledBy(async ({ sessionId, approvalId, option, reason }) => {
      // Only the shown conversation's approvals can be answered.
      if (page.chat?.id !== sessionId) throw new Error('This approval is no longer shown.');
      await page.chat.approve(approvalId, option, reason);
    }),
    unqueue: chatRequests.unqueue.handledBy(async ({ sessionId, id, isEdited }) => {
      const chat = await chatOf(sessionId);
      const draft = await chat.unqueue(id);
      if (isEdited) chat.saveDraft(joinedDrafts(chat.draft, draft));
      return draft;
    }),
    sendQueued: chatRequests.sendQueued.handledBy(async ({ sessionId }) => (await chatOf(sessionId)).sendQueued()),
    promptToEdit: chatRequests.promptToEdit.handledBy(async ({ sessionId, entryId }) =>
      (await chatOf(sessionId)).promptToEdit(entryId),
    ),
    saveDraft: chatRequests.saveDraft.handledBy(async ({ sessionId, revision, ...draft }) => {
      const written = { by: writer, revision };
      // The page may not know yet that its first prompt started a conversation.
      const chat = sessionId === undefined ? page.startedChat : await chatOf(sessionId);
      if (chat) chat.saveDraft(draft, written);
      else {
        newDraft.save(draft, written);
        if (page.chat === undefined) chats.awaitPrompt(true);
      }
      if (page.chat?.id === chat?.id) page.feed.draftSaved();
    }),
    setOption: chatRequests.setOption.handledBy(async ({ sessionId, optionId, value }) => {
      if (sessionId === undefined) {
        const backendId = page.chat?.view.backendId ?? backends.chosen?.id;
        if (backendId !== undefined) services.newOptions.set(backendId, optionId, value);
        prepare();
        return;
      }
      const chat = await chatOf(sessionId);
      await chat.setOption(optionId, value);
      services.newOptions.chosenInside(chat.view.backendId, chat.view.options, optionId, value);
    }),
    prepare: chatRequests.prepare.handledBy(() => prepare()),
    toggleContext: chatRequests.toggleContext.handledBy(({ kind, isOn }) => services.chips.set(kind, isOn)),

    lookAtBackends: chatRequests.lookAtBackends.handledBy(() => void backends.refresh()),
    chooseBackend: chatRequests.chooseBackend.handledBy(({ backendId }) => backends.choose(backendId)),
    repairBackend: chatRequests.repairBackend.handledBy(({ backendId, how }) => services.repairBackend(backendId, how)),
    manageTrust: chatRequests.manageTrust.handledBy(() => services.manageTrust()),
    openFolder: chatRequests.openFolder.handledBy(() => services.openFolder()),
    newSession: chatRequests.newSession.handledBy(({ backendId }) => {
      if (backendId !== undefined) backends.choose(backendId);
      page.show(undefined);
    }),
    openSession: chatRequests.openSession.handledBy(async ({ sessionId }) => {
      const isStillWanted = page.startNavigation();
      const chat = await shownWait('Opening conversation', chats.open(sessionId));
      if (chat && isStillWanted()) page.show(chat);
    }),
    openInTab: chatRequests.openInTab.handledBy(({ sessionId }) => services.openInTab(sessionId)),
    renameSession: chatRequests.renameSession.handledBy(({ sessionId, title }) => chats.rename(sessionId, title)),
    deleteSession: chatRequests.deleteSession.handledBy(async ({ sessionId }) => {
      if (await review.deleteChat(sessionId)) services.closeChat(sessionId);
    }),
    searchSessions: chatRequests.searchSessions.handledBy(async ({ query }) => {
      sessionSearch.abort();
      sessionSearch = new AbortController();
      return { sessions: [...(await chats.search(query, sessionSearch.signal))] };
    }),
    lookForSessions: chatRequests.lookForSessions.handledBy(async ({ backendId }) => {
      sessionListing.abort();
      sessionListing = new AbortController();
      const { signal } = sessionListing;
      try {
        return { sessions: [...(await chats.listKept(backendId, signal))] };
      } catch (error) {
        if (signal.aborted) return { sessions: [] };
        throw error;
      }
    }),
    stopLooking: chatRequests.stopLooking.handledBy(() => sessionListing.abort()),
    exportSession: chatRequests.exportSession.handledBy(({ sessionId, format }) =>
      review.exportChat(sessionId, format),
    ),

    mentions: chatRequests.mentions.handledBy(async ({ query, kind, isMore }) => {
      mentionSearch.abort();
      mentionSearch = new AbortController();
      const { signal } = mentionSearch;
      const rows = await (isMore ? mentions.searchMore(query, kind, signal) : mentions.search(query, kind, signal));
      return { rows, isPartial: !signal.aborted && mentions.isSearching(query, kind) };
    }),
    dropped: chatRequests.dropped.handledBy(async ({ uris }) => ({ rows: await services.rowsForDrop(uris) })),

    showAll: chatRequests.showAll.handledBy(async ({ sessionId, entryId }) => ({
      entry: await review.fullEntry(await chatOf(sessionId), entryId),
    })),
    showApproval: chatRequests.showApproval.handledBy(async ({ sessionId, approvalId }) => {
      const parts = (await chatOf(sessionId)).approvals.whole(approvalId);
      if (!parts) throw new Error('This approval is no longer pending.');
      return { parts };
    }),
    openDiff: chatRequests.openDiff.handledBy(async ({ sessionId, entryId, part }) =>
      review.openDiff((await chatOf(sessionId)).entries.diffTexts(entryId, part), 'change in chat'),
    ),
    openApprovalDiff: chatRequests.openApprovalDiff.handledBy(async ({ sessionId, approvalId, part }) =>
      review.openDiff((await chatOf(sessionId)).approvals.diffTexts(approvalId, part), 'pending approval'),
    ),
    open: chatRequests.open.handledBy(({ target, line }) => editor.openTarget(target, line)),
    copy: chatRequests.copy.handledBy(({ text }) => editor.copy(text)),
    insertAtCursor: chatRequests.insertAtCursor.handledBy(({ text }) => editor.insertAtCursor(text)),
    applyCode: chatRequests.applyCode.handledBy(({ text, path }) => code.propose(text, path)),
    openAsNewFile: chatRequests.openAsNewFile.handledBy(({ text, language }) => editor.openAsNewFile(text, language)),

    openChange: chatRequests.openChange.handledBy(async ({ sessionId, path, turn }) =>
      review.openChange(await chatOf(sessionId), path, turn),
    ),
    revert: chatRequests.revert.handledBy(async ({ sessionId, path, turn }) =>
      review.revertFiles(await chatOf(sessionId), path, turn),
    ),
    keepChanges: chatRequests.keepChanges.handledBy(async ({ sessionId, path }) =>
      (await chatOf(sessionId)).keepChanges(path),
    ),
  };
}

function isEmptyChat({ history, view }: Chat): boolean {
  return history.length === 0 && view.queue.length === 0;
}
