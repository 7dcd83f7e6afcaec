import { setImmediate } from 'node:timers/promises';
import type { DisposableStore } from '../../../base/common/disposable';
import { isBackendError } from '../../../session/common/sessionBackend';
import { waitWithProgress } from '../../../platform/vscode/waitWithProgress';
import { findEntries } from '../../../transcript/common/findEntries';
import type { RequestHandlers } from '../../../webview/common/requestHandlers';
import { chatRequests } from '../../common/page/chatApi';
import type { Chat, PageDraftRevision } from '../../common/chatPorts';
import type { Draft } from '../../common/chatView';
import type { PageFeed } from '../../common/page/feed/pageFeed';
import { newestFirst } from '../../common/conversations/conversationRow';
import { SessionListing } from '../../common/page/sessionListing';
import { joinDrafts } from '../../common/conversation/drafts';
import type { ShowChat } from '../review/restoreActions';
import type { ChatPageServices } from './chatPageServices';

/** The operations of a page that its request handlers use. */
export interface PageControl {
  readonly chat: Chat | undefined;
  readonly feed: Pick<PageFeed, 'flushNow' | 'load' | 'onShown' | 'checkForMissingAttachments'>;
  /** The displayed conversation, if its first prompt was sent from this page. */
  readonly startedChat: Chat | undefined;
  /** Shows a conversation, or an empty page. `keepsComposer`: the composer's text becomes the draft. */
  show(chat: Chat | undefined, keepsComposer?: boolean): void;
  /**
   * Call before opening or creating a conversation for the user. The result is a function that returns whether the page
   * may still show that conversation. It returns false after the user has chosen another one.
   */
  startNavigation(): () => boolean;
  focusComposer(): void;
  onReady(): Promise<void>;
  onHeartbeat(): void;
  onFocus(isFocused: boolean): void;
}

/**
 * Creates the handlers of all page requests. The page shows the errors that they throw. What they keep is disposed with
 * `store`.
 */
export function createChatHandlers(
  page: PageControl,
  services: ChatPageServices,
  store: DisposableStore,
): RequestHandlers<typeof chatRequests> {
  const { chats, backends, mentions, newDraft, editor, code, keep, restore, review, turnReviews, undo } = services;
  const sessionListing = store.add(new SessionListing(chats));
  let sessionSearch = new AbortController();
  let mentionSearch = new AbortController();
  let textSearch = new AbortController();
  /** Identifies the current load of the page, because a reloaded page starts with revision 0 again. */
  let writer = {};

  const chatOf = async (id: string): Promise<Chat> => (page.chat?.id === id ? page.chat : await chats.open(id));

  /** Creates the conversation for a first prompt, and shows it before its backend is ready. */
  const createChat = async (prompt: object, draft: Draft, written: PageDraftRevision): Promise<Chat> => {
    const isStillWanted = page.startNavigation();
    newDraft.beginSend(prompt, draft, written);
    try {
      const chosenBackend = await backends.waitForChosenBackend(services.clock);
      if (!chosenBackend) throw new Error('No agent is available. Run “Backline: Agents” to install one.');
      const preset = services.presets.presetFor(chosenBackend.id);
      const options = { folder: services.folderOf(draft), startedBy: draft.id, preset };
      const chat = await chats.create(chosenBackend.id, options);
      backends.rememberLastUsed(chosenBackend.id);
      // If the user has opened another conversation in the meantime, the page keeps showing that conversation and its
      // composer.
      if (isStillWanted()) {
        newDraft.moveToChat(chat, written.page);
        page.show(chat, true);
      }
      return chat;
    } catch (error) {
      newDraft.restoreRefused(prompt);
      throw error;
    }
  };

  /**
   * Returns a function that shows the conversation in which the user continues after a restore, unless the user has
   * chosen another one in the meantime.
   */
  const showRestored = (): ShowChat => {
    const isStillWanted = page.startNavigation();
    return (chat) => {
      if (!isStillWanted()) return;
      page.show(chat);
      page.focusComposer();
    };
  };

  /** Requests the agent's options before the first prompt. Servers have already reported theirs. */
  const prepare = (): void => {
    const { chosenBackend } = backends;
    const isWanted = page.chat === undefined && services.isTrusted() && chosenBackend !== undefined;
    if (!isWanted || chosenBackend.source === 'server' || chosenBackend.state === 'unavailable') return;
    chats.prepare(chosenBackend.id, services.folderOf(newDraft.value));
  };

  /** Takes back a prompt that the page has sent before it was loaded again, unless it arrived. Never rejects. */
  const restoreLost = async (draft: Draft, sessionId: string | undefined): Promise<void> => {
    const { id } = draft;
    if (id === undefined) return;
    const chat = sessionId === undefined ? undefined : await chats.open(sessionId).catch(() => undefined);
    if (chat) chat.restoreLost(draft);
    else if (!(await chats.isStartedBy(id))) newDraft.restoreLost(draft);
  };

  /** Deletes a conversation without content and puts the prompt back into the draft. */
  const discardChat = async (prompt: object, chat: Chat): Promise<void> => {
    if (page.chat === chat) page.show(undefined, true);
    newDraft.restoreRefused(prompt, chat.draft);
    await chats.delete(chat.id).catch((error: unknown) => services.log.error('a conversation was not removed', error));
  };

  return {
    ready: chatRequests.ready.withHandler(async ({ unconfirmed }) => {
      writer = {};
      for (const { draft, sessionId } of unconfirmed ?? []) await restoreLost(draft, sessionId);
      await page.onReady();
    }),
    shown: chatRequests.shown.withHandler(() => page.feed.onShown()),
    alive: chatRequests.alive.withHandler(() => page.onHeartbeat()),
    focused: chatRequests.focused.withHandler(() => page.onFocus(true)),
    blurred: chatRequests.blurred.withHandler(() => page.onFocus(false)),
    answerNotice: chatRequests.answerNotice.withHandler(({ action, id }) => services.notices.answer(id, action)),
    load: chatRequests.load.withHandler(({ sessionId, request }) =>
      page.chat?.id === sessionId ? page.feed.load(request) : { isFound: false },
    ),
    find: chatRequests.find.withHandler(async ({ sessionId, query }) => {
      textSearch.abort();
      textSearch = new AbortController();
      if (page.chat?.id !== sessionId) return { found: [] };
      const options = { pause: () => setImmediate(), signal: textSearch.signal };
      return { found: await findEntries(page.chat.transcript, query, options) };
    }),

    send: chatRequests.send.withHandler(async ({ sessionId, revision, duringTurn, stopsTurn, ...draft }) => {
      const prompt = {};
      const how = stopsTurn === undefined ? duringTurn : { stopsTurn };
      const isFirst = sessionId === undefined;
      const written = { page: writer, revision };
      let chat: Chat | undefined;
      try {
        chat = isFirst ? await createChat(prompt, draft, written) : await chatOf(sessionId);
        await chat.send(draft, await services.chips.currentAttachments(), written, how);
        newDraft.confirmSent(prompt);
        if (isFirst) services.newOptions.of(chat.view.backendId).clearOneTimeChoices?.();
        if (isFirst) services.presets.clearChoice();
      } catch (error) {
        // If a server has rejected a chosen option, its list of options may have changed.
        if (chat) void services.newOptions.of(chat.view.backendId).refresh?.();
        // After a missing sign-in, the prompt stays in this conversation with this agent.
        const needsSignIn = isBackendError(error) && error.code === 'authRequired';
        if (isFirst && chat && isEmptyChat(chat) && !needsSignIn) await discardChat(prompt, chat);
        else if (isFirst && chat) newDraft.confirmSent(prompt);
        if (!isFirst && !chat) newDraft.save(joinDrafts(newDraft.value, draft));
        throw error;
      } finally {
        // Sent first, so that the page already has the conversation when it receives the result.
        page.feed.flushNow();
      }
    }),
    continueTurn: chatRequests.continueTurn.withHandler(async ({ sessionId }) => {
      await (await chatOf(sessionId)).sendContinue();
      page.feed.flushNow();
    }),
    retry: chatRequests.retry.withHandler(async ({ sessionId, entryId }) => {
      await (await chatOf(sessionId)).retry(entryId);
      page.feed.flushNow();
    }),
    continueWith: chatRequests.continueWith.withHandler(async ({ sessionId, isSameAgent }) => {
      const chat = await chatOf(sessionId);
      const { backendId, backendTitle } = chat.view;
      const show = showRestored();
      const agent = isSameAgent ? { backendId, backendTitle } : await services.pickOtherAgent(backendId);
      if (agent) await restore.continueWith(chat, agent, show);
    }),
    askAside: chatRequests.askAside.withHandler(async ({ sessionId, quote }) =>
      services.asides.ask(await chatOf(sessionId), { quote }),
    ),
    keepAside: chatRequests.keepAside.withHandler(async ({ sessionId }) =>
      services.asides.keep(await chatOf(sessionId)),
    ),
    stop: chatRequests.stop.withHandler(async ({ sessionId }) => (await chatOf(sessionId)).stop()),
    stopCall: chatRequests.stopCall.withHandler(async ({ sessionId, entryId }) => {
      await (await chatOf(sessionId)).stopCall(entryId);
      page.feed.flushNow();
    }),
    approve: chatRequests.approve.withHandler(async ({ sessionId, reason, ...answer }) => {
      // Only approvals of the displayed conversation can be answered.
      if (page.chat?.id !== sessionId) throw new Error('This approval is no longer shown.');
      await page.chat.answerApproval({ shown: undefined, ...answer }, reason);
    }),
    unqueue: chatRequests.unqueue.withHandler(async ({ sessionId, id, isEdited }) => {
      const chat = await chatOf(sessionId);
      const draft = await chat.unqueue(id);
      if (isEdited) chat.saveDraft(joinDrafts(chat.draft, draft));
      return draft;
    }),
    steerQueued: chatRequests.steerQueued.withHandler(async ({ sessionId, id }) =>
      (await chatOf(sessionId)).steerQueued(id),
    ),
    stopAndSend: chatRequests.stopAndSend.withHandler(async ({ sessionId, id, turn }) => {
      await (await chatOf(sessionId)).stopAndSend(id, turn);
      page.feed.flushNow();
    }),
    sendQueued: chatRequests.sendQueued.withHandler(async ({ sessionId }) =>
      (await chatOf(sessionId)).sendFirstQueuedPrompt(),
    ),
    restore: chatRequests.restore.withHandler(async ({ sessionId, entryId }) =>
      restore.restoreTo(await chatOf(sessionId), entryId, showRestored()),
    ),
    editAndResend: chatRequests.editAndResend.withHandler(async ({ sessionId, entryId }) =>
      restore.editAndResend(await chatOf(sessionId), entryId, showRestored()),
    ),
    undoRestore: chatRequests.undoRestore.withHandler(async ({ sessionId, restoreId }) =>
      restore.undo(await chatOf(sessionId), restoreId, showRestored()),
    ),
    saveDraft: chatRequests.saveDraft.withHandler(async ({ sessionId, revision, ...draft }) => {
      const written = { page: writer, revision };
      // The page may not know yet that its first prompt has started a conversation.
      const chat = sessionId === undefined ? page.startedChat : await chatOf(sessionId);
      if (chat) chat.saveDraft(draft, written);
      else {
        newDraft.save(draft, written);
        if (page.chat === undefined) chats.setPromptExpected(true);
      }
      if (page.chat?.id === chat?.id) page.feed.checkForMissingAttachments();
    }),
    setOption: chatRequests.setOption.withHandler(async ({ sessionId, optionId, value }) => {
      if (sessionId === undefined) {
        const backendId = page.chat?.view.backendId ?? backends.chosenBackend?.id;
        if (backendId !== undefined) services.newOptions.of(backendId).choose(optionId, value);
        prepare();
        return;
      }
      const chat = await chatOf(sessionId);
      await chat.setOption(optionId, value);
      const { backendId, options } = chat.view;
      const option = options.find(({ id }) => id === optionId);
      services.newOptions.of(backendId).rememberChoice?.(option, value);
    }),
    prepare: chatRequests.prepare.withHandler(() => prepare()),
    toggleContext: chatRequests.toggleContext.withHandler(({ kind, isOn }) => services.chips.setEnabled(kind, isOn)),

    refreshBackends: chatRequests.refreshBackends.withHandler(() => void backends.refresh()),
    chooseBackend: chatRequests.chooseBackend.withHandler(({ backendId }) => backends.choose(backendId)),
    choosePreset: chatRequests.choosePreset.withHandler(async ({ name }) => {
      await services.presetActions.choose(name);
      prepare();
    }),
    editStanding: chatRequests.editStanding.withHandler(({ what }) => services.presetActions.edit(what)),
    repairBackend: chatRequests.repairBackend.withHandler(({ backendId, how }) =>
      services.repairBackend(backendId, how),
    ),
    starters: chatRequests.starters.withHandler(async () => ({ starters: await services.starters() })),
    instructionFiles: chatRequests.instructionFiles.withHandler(async ({ backendId }) => ({
      files: await services.instructionFiles(backendId),
    })),
    showAgents: chatRequests.showAgents.withHandler(() => services.showAgents()),
    showLog: chatRequests.showLog.withHandler(() => services.showLog()),
    sendComments: chatRequests.sendComments.withHandler(() => services.sendComments()),
    manageTrust: chatRequests.manageTrust.withHandler(() => services.manageTrust()),
    openFolder: chatRequests.openFolder.withHandler(() => services.openFolder()),
    newSession: chatRequests.newSession.withHandler(({ backendId }) => {
      if (backendId !== undefined) backends.choose(backendId);
      page.show(undefined);
    }),
    openSession: chatRequests.openSession.withHandler(async ({ sessionId }) => {
      const isStillWanted = page.startNavigation();
      if (!(await services.places.confirmOpenHere(sessionId))) return;
      const chat = await waitWithProgress('Opening conversation', chats.open(sessionId));
      if (chat && isStillWanted()) page.show(chat);
    }),
    locateFolder: chatRequests.locateFolder.withHandler(({ sessionId }) => services.places.locateFolder(sessionId)),
    goToWindow: chatRequests.goToWindow.withHandler(({ sessionId }) => services.places.goToWindow(sessionId)),
    openInTab: chatRequests.openInTab.withHandler(async ({ sessionId }) => {
      if (await services.places.confirmOpenHere(sessionId)) await services.openInTab(sessionId);
    }),
    renameSession: chatRequests.renameSession.withHandler(({ sessionId, title }) => chats.rename(sessionId, title)),
    deleteSession: chatRequests.deleteSession.withHandler(({ sessionId }) => services.deletions.delete([sessionId])),
    searchSessions: chatRequests.searchSessions.withHandler(async ({ query }) => {
      sessionSearch.abort();
      sessionSearch = new AbortController();
      const { found } = await chats.search(query, sessionSearch.signal);
      return { sessions: found.map(({ row }) => row).sort(newestFirst) };
    }),
    listRemoteSessions: chatRequests.listRemoteSessions.withHandler(({ backendId }) => sessionListing.list(backendId)),
    cancelListing: chatRequests.cancelListing.withHandler(() => sessionListing.cancel()),
    exportSession: chatRequests.exportSession.withHandler(({ sessionId, format }) =>
      review.exportChat(sessionId, format),
    ),

    mentions: chatRequests.mentions.withHandler(async ({ query, kind, isMore }) => {
      mentionSearch.abort();
      mentionSearch = new AbortController();
      const { signal } = mentionSearch;
      const rows = await (isMore
        ? mentions.waitForMoreRows(query, kind, signal)
        : mentions.search(query, kind, signal));
      return { rows, isPartial: !signal.aborted && mentions.isSearching(query, kind) };
    }),
    openAttachment: chatRequests.openAttachment.withHandler(async ({ attachment }) =>
      review.openText(attachment.title, services.attachedTextOf(attachment)),
    ),
    promptFiles: chatRequests.promptFiles.withHandler(async () => ({ files: await services.promptFiles.list() })),
    fillPromptFile: chatRequests.fillPromptFile.withHandler(async ({ args, id }) => {
      const filled = await services.promptFiles.fill(id, args);
      return filled ? { filled } : {};
    }),
    rowsForDrop: chatRequests.rowsForDrop.withHandler(async ({ uris }) => ({ rows: await services.rowsForDrop(uris) })),

    showAll: chatRequests.showAll.withHandler(async ({ sessionId, entryId }) => ({
      entry: await review.getOrOpenFullEntry(await chatOf(sessionId), entryId),
    })),
    showApproval: chatRequests.showApproval.withHandler(async ({ sessionId, approvalId }) => {
      const parts = (await chatOf(sessionId)).fullApprovals.fullContent(approvalId);
      if (!parts) throw new Error('This approval is no longer pending.');
      return { parts };
    }),
    openDiff: chatRequests.openDiff.withHandler(async ({ sessionId, entryId, part }) =>
      review.openDiff((await chatOf(sessionId)).fullEntries.diffTexts(entryId, part), 'change in conversation'),
    ),
    openApprovalDiff: chatRequests.openApprovalDiff.withHandler(async ({ sessionId, approvalId, part }) =>
      review.openDiff((await chatOf(sessionId)).fullApprovals.diffTexts(approvalId, part), 'pending approval'),
    ),
    open: chatRequests.open.withHandler(({ target, line, column }) => editor.openTarget(target, line, column)),
    copy: chatRequests.copy.withHandler(({ text }) => editor.copy(text)),
    insertAtCursor: chatRequests.insertAtCursor.withHandler(({ text }) => editor.insertAtCursor(text)),
    applyCode: chatRequests.applyCode.withHandler(({ text, path }) => code.propose(text, path)),
    openAsNewFile: chatRequests.openAsNewFile.withHandler(({ text, language }) => editor.openAsNewFile(text, language)),
    openView: chatRequests.openView.withHandler(({ html }) => services.openView(html)),

    openChange: chatRequests.openChange.withHandler(async ({ sessionId, path, renamedFrom, turn }) =>
      review.openChange(await chatOf(sessionId), { path, renamedFrom }, turn),
    ),
    reviewWithAgent: chatRequests.reviewWithAgent.withHandler(() => services.agentReviews.start()),
    reviewChanges: chatRequests.reviewChanges.withHandler(async ({ sessionId, turn }) => {
      const chat = await chatOf(sessionId);
      if (turn === undefined) await review.openChanges(chat);
      else await turnReviews.openTurn(chat, turn);
    }),
    revert: chatRequests.revert.withHandler(async ({ sessionId, path, renamedFrom, turn }) => {
      const chat = await chatOf(sessionId);
      if (path === undefined) await undo.undoAll(chat);
      else await undo.undoFile(chat, { path, renamedFrom }, turn);
    }),
    keepChanges: chatRequests.keepChanges.withHandler(async ({ sessionId, path, renamedFrom }) => {
      const chat = await chatOf(sessionId);
      if (path === undefined) await keep.keepAll([chat]);
      else await keep.keepFile(chat, { path, renamedFrom });
    }),
  };
}

function isEmptyChat({ sentPromptTexts, view }: Chat): boolean {
  return sentPromptTexts.length === 0 && view.queue.length === 0;
}
