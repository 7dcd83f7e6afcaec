import { useEffect, useId, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { indexAfterKey } from '../../../webview/browser/listKeys';
import { useRedrawOnEvent } from '../../../webview/browser/hooks/useRedrawOnEvent';
import { isCommandText, purposeOfText } from '../../common/approvals/reasonText';
import { chatRequests } from '../../common/page/chatApi';
import type { ConversationView, Draft, MentionRow, PromptFileRow } from '../../common/chatView';
import { promptFileInText } from '../../common/prompts/agentCommands';
import { UntrustedText } from '../../../transcript/browser/parts/untrustedText';
import { ComposerChips } from './chips';
import { ComposerFoot } from './composerFoot';
import { enterActions, type ComposerAction, type EnterActions } from './enterActions';
import { EnterHint } from './enterHint';
import { PromptHistoryCursor } from './promptHistoryCursor';
import { usePage, usePageState } from '../chatPageContext';
import { SuggestionList, type Suggestion } from './suggestionList';
import { insertSuggestedName, insertMentionKind, type CompletionTrigger } from './triggers';
import { useAttachmentPasteAndDrop } from './useAttachmentPasteAndDrop';
import { usePromptFiles } from './usePromptFiles';
import { promptFileNote, useAgentCommands, useSuggestions } from './useSuggestions';
import { usePageCommand } from '../usePageCommand';

/** The prompt field. `enterActions` says what Enter does. Shift+Enter adds a new line. */
export function Composer() {
  const page = usePage();
  const { session, promptHistory, isUntrusted, offeredContext, reasonTarget, enterDuringTurn } = usePageState();
  const { composerDraft } = page;
  useRedrawOnEvent(composerDraft.onDidChange);
  const { draft } = composerDraft;
  const box = useRef<HTMLDivElement>(null);
  const input = useRef<HTMLTextAreaElement>(null);
  const walk = useRef(new PromptHistoryCursor());
  const listId = useId();
  const hintId = useId();
  const [caret, setCaret] = useState<number>();
  const nextCaret = useRef<number | undefined>(undefined);
  /** Whether the text that comes next is to be seen from its beginning. */
  const isReplaced = useRef(false);
  const [activeId, setActiveId] = useState<string>();
  /** Index of the trigger whose list the user has closed. */
  const [dismissed, setDismissed] = useState<number>();
  /** Whether the user has written in this conversation since it was displayed. Before, no list opens. */
  const [hasWritten, setWritten] = useState(false);
  /** The text before the user chose Add Context, and the text with the `@` that this has added. */
  const mentionByButton = useRef<{ readonly before: string; readonly after: string } | undefined>(undefined);
  const intake = useAttachmentPasteAndDrop();

  const isReadonly = session?.status === 'readonly';
  const isBusy = isRunning(session);
  const takesReason = reasonTarget?.isAnswering === false && !isReadonly;
  const promptFiles = usePromptFiles(draft.text, (text) => {
    isReplaced.current = true;
    nextCaret.current = text.length;
    input.current?.focus();
  });
  const commandNames = [...useAgentCommands(), ...promptFiles.files].map(({ name }) => name);
  const purpose = isReadonly ? 'prompt' : purposeOfText(composerDraft.begunText, reasonTarget, commandNames);
  const isCommand = isCommandText(draft.text, commandNames);
  const canSteer = session?.canSteer === true;
  // An agent may read a command as mere text if it joins a turn.
  const isCall = promptFiles.written !== undefined;
  const actions = enterActions({ purpose, isCall, isBusy, canSteer: canSteer && !isCommand, enterDuringTurn });

  const offered = isReadonly || isAttached(draft, offeredContext) ? undefined : offeredContext;

  const put = (written: { readonly text: string; readonly caret: number }): void => {
    nextCaret.current = written.caret;
    setWritten(true);
    composerDraft.typeText(written.text, reasonTarget);
  };
  const complete = (trigger: CompletionTrigger, name: string): void =>
    put(insertSuggestedName(draft.text, caret ?? draft.text.length, trigger, name));
  const suggestions = useSuggestions(draft.text, caret, promptFiles.files, {
    onCommand: (trigger, { name }) => complete(trigger, name),
    onPromptFile: (trigger, file) => {
      if (file.hint !== undefined && trigger.query !== file.name) complete(trigger, file.name);
      else promptFiles.insert(file, promptFileInText(draft.text, [file])?.args ?? draft.text.slice(caret).trim());
    },
    onMention: (trigger, row) => {
      complete(trigger, row.title);
      composerDraft.addAttachments(row);
    },
    onKind: (trigger, { prefix }) => put(insertMentionKind(draft.text, caret ?? draft.text.length, trigger, prefix)),
  });
  const start = suggestions?.trigger.start;
  const canSend = !composerDraft.isEmpty && !isReadonly && !isUntrusted;
  const hasHint = !isCall && (purpose !== 'prompt' || (isBusy && canSend));
  const isClosed = start === dismissed || (start === 0 && composerDraft.isPlain);
  const open = suggestions && hasWritten && !isClosed ? suggestions : undefined;
  useLayoutEffect(() => setWritten(false), [session?.id]);
  // A layout effect runs before the user can press the next key.
  useLayoutEffect(() => {
    if (start === undefined) setDismissed(undefined);
  }, [start]);
  // Rows are identified by id, because rows that arrive later change the indices.
  const active = Math.max(0, open?.items.findIndex(({ id }) => id === activeId) ?? 0);
  const setActive = (index: number): void => setActiveId(open?.items[index]?.id);
  useLayoutEffect(() => setActiveId(undefined), [suggestions?.trigger.query, start]);

  usePageCommand('focusComposer', () => {
    // The text must be inserted before the caret can be placed after it.
    requestAnimationFrame(() => {
      input.current?.focus();
      input.current?.setSelectionRange(input.current.value.length, input.current.value.length);
    });
  });

  useEffect(() => {
    const followCaret = (): void => {
      const area = input.current;
      if (!area || document.activeElement !== area) return;
      setCaret(area.selectionStart === area.selectionEnd ? area.selectionStart : undefined);
    };
    document.addEventListener('selectionchange', followCaret);
    return () => document.removeEventListener('selectionchange', followCaret);
  }, []);

  useLayoutEffect(() => {
    const { current: area } = input;
    if (nextCaret.current === undefined || !area) return;
    const isLong = isReplaced.current && area.scrollHeight > area.clientHeight;
    const next = isLong ? 0 : nextCaret.current;
    area.setSelectionRange(next, next);
    if (isLong) area.scrollTop = 0;
    setCaret(next);
    nextCaret.current = undefined;
    isReplaced.current = false;
  }, [draft.text]);

  const perform = (action: ComposerAction): void => {
    if (action !== 'deny' && !canSend) return;
    promptFiles.insertOr(() => {
      setCaret(undefined);
      if (action === 'deny') page.runCommand('denyWithReason');
      else if (action !== 'insert') void page.send(action === 'steer' ? action : undefined);
    });
  };
  const stopAndSend = (): void => {
    if (!canSend) return;
    input.current?.focus();
    promptFiles.insertOr(() => {
      setCaret(undefined);
      void page.send('stop');
    });
  };

  /** Adds `@`, which opens the list of mentions. Escape takes it away again. */
  const startMention = (): void => {
    const before = draft.text;
    const text = before === '' || /\s$/.test(before) ? `${before}@` : `${before} @`;
    mentionByButton.current = { before, after: text };
    input.current?.focus();
    put({ text, caret: text.length });
  };

  const closeList = (trigger: CompletionTrigger): void => {
    const { current: added } = mentionByButton;
    if (added?.after === draft.text) put({ text: added.before, caret: added.before.length });
    else setDismissed(trigger.start);
  };
  // Once anything else was written, Escape only closes the list.
  useLayoutEffect(() => {
    if (draft.text !== mentionByButton.current?.after) mentionByButton.current = undefined;
  }, [draft.text, session?.id]);

  const moveInList = (event: KeyboardEvent): boolean => {
    if (!open || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return false;
    const isMove = event.key === 'ArrowDown' || event.key === 'ArrowUp';
    const next = isMove ? indexAfterKey(event.key, active, open.items.length) : undefined;
    const item = open.items[active];
    if (next !== undefined) setActive(next);
    else if (item && event.key === 'Enter' && isWritten(item, open.trigger)) return false;
    else if (item && (event.key === 'Enter' || event.key === 'Tab')) item.select();
    else if (event.key === 'Escape') closeList(open.trigger);
    else return false;
    return true;
  };

  /** The field forgets what it could undo when its text is replaced. */
  const undoInsertion = (event: KeyboardEvent): boolean =>
    event.key === 'z' && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey && promptFiles.undo();

  const walkHistory = (event: KeyboardEvent, area: HTMLTextAreaElement): boolean => {
    if (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey) return false;
    if (area.selectionStart !== area.selectionEnd) return false;
    const isUp = event.key === 'ArrowUp' && !draft.text.slice(0, area.selectionStart).includes('\n');
    const isDown = event.key === 'ArrowDown' && !draft.text.slice(area.selectionStart).includes('\n');
    let found: string | undefined;
    if (isUp) found = walk.current.moveToPreviousPrompt(promptHistory, draft.text);
    else if (isDown) found = walk.current.moveToNextPrompt(promptHistory, draft.text);
    if (found === undefined) return false;
    nextCaret.current = isUp && found.includes('\n') ? 0 : found.length;
    composerDraft.setText(found);
    return true;
  };

  const onKeyDown = (event: KeyboardEvent & { readonly currentTarget: HTMLTextAreaElement }): void => {
    if (isComposing(event)) return;
    const isSend = event.key === 'Enter' && !event.shiftKey && !event.altKey;
    const isAdd = event.key === 'Enter' && event.altKey && !event.shiftKey && !event.ctrlKey && !event.metaKey;
    if (isAdd && offered) {
      event.preventDefault();
      composerDraft.addAttachments(offered);
    } else if (moveInList(event) || undoInsertion(event) || walkHistory(event, event.currentTarget))
      event.preventDefault();
    else if (isSend) {
      event.preventDefault();
      const action = event.ctrlKey || event.metaKey ? actions.modifiedEnter : actions.enter;
      if (action !== 'deny' || !event.repeat) perform(action);
    } else if (event.key === 'Escape' && event.shiftKey) {
      event.preventDefault();
      void page.requestForSession(chatRequests.stop, (sessionId) => ({ sessionId }));
    }
  };

  return (
    <>
      <div
        ref={box}
        class={`composer ${intake.isDraggedOver ? 'is-drop' : ''}`}
        onDragOver={intake.onDragOver}
        onDragLeave={intake.onDragLeave}
        onDrop={intake.onDrop}
      >
        <ComposerChips offered={offered} onStartMention={startMention} />
        <textarea
          ref={input}
          class="composer-input"
          rows={1}
          aria-label="Prompt"
          aria-autocomplete="list"
          aria-haspopup="listbox"
          aria-controls={open && open.items.length > 0 ? listId : undefined}
          aria-activedescendant={open && open.items.length > 0 ? `${listId}-${active}` : undefined}
          aria-describedby={hasHint || isCall ? hintId : undefined}
          placeholder={takesReason ? 'Deny and say what to do instead…' : placeholderOf(session, actions)}
          disabled={isReadonly}
          dir="auto"
          value={draft.text}
          onInput={({ currentTarget: { value, selectionStart } }) => {
            setCaret(selectionStart);
            setWritten(true);
            composerDraft.typeText(value, reasonTarget);
            page.prepareOptions();
          }}
          onKeyDown={onKeyDown}
          onPaste={intake.onPaste}
        />
        {promptFiles.progress === undefined ? (
          <CommandHint id={hintId} text={draft.text} promptFile={promptFiles.written?.file} />
        ) : (
          <p class="command-hint is-working">
            <span class="spinner" aria-hidden="true" />
            {promptFiles.progress}
          </p>
        )}
        <span class="visually-hidden" role="status">
          {promptFiles.announcement}
        </span>
        <ComposerFoot
          isEmpty={composerDraft.isEmpty}
          isBusy={isBusy}
          actions={actions}
          onSend={() => perform(actions.enter)}
        />
        {intake.isDraggedOver && <p class="drop-hint">Hold Shift and drop to add it to the prompt</p>}
        {open && (
          <SuggestionList
            id={listId}
            label={open.trigger.kind === 'command' ? 'Commands' : 'Add to Prompt'}
            anchor={box}
            suggestions={open.items}
            activeIndex={active}
            emptyText={open.emptyText}
            onHover={setActive}
            onLeave={() => setDismissed(open.trigger.start)}
          />
        )}
      </div>
      {hasHint && (
        <EnterHint
          id={hintId}
          actions={actions}
          purpose={purpose === 'prompt' && canSteer && isCommand ? 'command' : purpose}
          onModifiedEnter={() => perform(actions.modifiedEnter)}
          onStopAndSend={session?.status === 'busy' ? stopAndSend : undefined}
        />
      )}
    </>
  );
}

/** Whether the command is complete and takes no arguments, so that Enter sends it. */
function isWritten({ isInserted, note, title }: Suggestion, { kind, query }: CompletionTrigger): boolean {
  return kind === 'command' && !isInserted && note === undefined && title === `/${query}`;
}

/** Says which arguments a command takes, and what Enter does with a prompt file. */
function CommandHint({ id, text, promptFile }: { id: string; text: string; promptFile: PromptFileRow | undefined }) {
  const commands = useAgentCommands();
  if (promptFile) {
    return (
      <p id={id} class="command-hint">
        <UntrustedText text={`${promptFileNote(promptFile)} · Enter inserts the prompt`} />
      </p>
    );
  }
  const name = /^\/(\S+) $/.exec(text)?.[1];
  const hint = commands.find((command) => command.name === name)?.hint;
  if (hint === undefined) return null;
  return (
    <p class="command-hint">
      <UntrustedText text={hint} />
    </p>
  );
}

/** Whether the draft has the file or selection already. */
function isAttached({ attachments }: Draft, offered: MentionRow | undefined): boolean {
  return attachments.some(({ id }) => id === offered?.id);
}

function isRunning(session: ConversationView | undefined): boolean {
  return session !== undefined && ['busy', 'stopping', 'reconnecting', 'starting'].includes(session.status);
}

function placeholderOf(session: ConversationView | undefined, { enter }: EnterActions): string {
  if (session?.isInUse && session.status === 'readonly') return 'In use in another window';
  if (session?.status === 'readonly') return 'This conversation is read-only here';
  if (enter === 'steer') return 'Add to this turn';
  if (enter === 'queue') return 'Queue a follow-up';
  return 'Ask, or @ to add context';
}

/** Whether an input method composes text and handles Enter and arrow keys. Some only report key code 229. */
function isComposing(event: KeyboardEvent): boolean {
  return event.isComposing || Reflect.get(event, 'keyCode') === 229;
}
