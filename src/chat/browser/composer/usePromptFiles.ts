import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { DraftAttachment, PromptFileRow } from '../../common/chatView';
import { chatRequests } from '../../common/page/chatApi';
import {
  insertIntoText,
  promptFileInText,
  withoutAgentCommands,
  type PromptFileCall,
} from '../../common/prompts/agentCommands';
import { usePage } from '../chatPageContext';
import { useAgentCommands } from './useSuggestions';

interface PromptFileChoice {
  /** The files that can be chosen, without those that the agent lists itself. */
  readonly files: readonly PromptFileRow[];
  /** The file whose name the composer's text begins with, and the arguments after it. */
  readonly written: PromptFileCall | undefined;
  /** Puts the text of a file in the place of the composer's text. It is sent only by another Enter. */
  readonly insert: (file: PromptFileRow, args: string) => void;
  /**
   * Inserts the file that the text calls, or else sends it. Waits a while if it is not known yet which files there are, unless the
   * text is changed meanwhile.
   */
  readonly insertOr: (send: () => void) => void;
  /** Takes the last insertion back. Returns false if there is none, or the text was changed since. */
  readonly undo: () => boolean;
  /** What is under way since Enter. Until it is done, Enter does nothing more with the same text. */
  readonly progress: string | undefined;
  /** For screen readers. Differs each time. */
  readonly announcement: string;
}

interface Insertion {
  readonly before: string;
  readonly after: string;
  readonly added: readonly DraftAttachment[];
}

const maxListMs = 2_000;

/** Lists the prompt files anew each time when the user begins the text with `/`. `onReplaced`: the text is not the typed one. */
export function usePromptFiles(text: string, onReplaced: (text: string) => void): PromptFileChoice {
  const page = usePage();
  const { composerDraft } = page;
  const commands = useAgentCommands();
  const [listed, setListed] = useState<readonly PromptFileRow[]>([]);
  const [announcement, setAnnouncement] = useState('');
  /** Resolves to undefined if the files can't be listed, or are not needed any more. */
  const listing = useRef<Promise<readonly PromptFileRow[] | undefined> | undefined>(undefined);
  const isFilling = useRef(false);
  /** The Enter that waits for the list. */
  const awaited = useRef<symbol | undefined>(undefined);
  const [progress, setProgress] = useState<string>();
  const last = useRef<Insertion | undefined>(undefined);
  const isWanted = text.startsWith('/');
  // A layout effect runs before the user can press the next key.
  useLayoutEffect(() => {
    if (!isWanted) return undefined;
    const answered = page.request(chatRequests.promptFiles, {}).then((answer) => answer?.files);
    listing.current = answered;
    void answered.then((files) => {
      if (listing.current !== answered) return;
      listing.current = undefined;
      if (files) setListed(files);
    });
    return () => void (listing.current = undefined);
  }, [page, isWanted]);
  const callIn = (text: string, all: readonly PromptFileRow[]): PromptFileCall | undefined =>
    composerDraft.isPlain ? undefined : promptFileInText(text, withoutAgentCommands(all, commands));

  const replaceText = (text: string, isPlain: boolean): void => {
    composerDraft.setText(text, isPlain);
    onReplaced(text);
  };
  const fillIn = async ({ id, name }: PromptFileRow, args: string): Promise<void> => {
    const { sessionId } = page;
    const before = composerDraft.draft.text;
    page.store.clearProblems();
    const answer = await page.request(chatRequests.fillPromptFile, { id, args });
    if (page.sessionId !== sessionId) {
      if (answer?.filled) page.store.addProblem(`/${name} was not inserted, because another conversation is shown.`);
      return;
    }
    const { text, attachments } = composerDraft.draft;
    if (!answer && text === before) composerDraft.setText(text, true);
    if (!answer?.filled) return;
    const added = answer.filled.attachments.filter((one) => !attachments.some(({ id }) => id === one.id));
    const after = insertIntoText(answer.filled.text, before, text);
    composerDraft.addAttachments(...added);
    replaceText(after, true);
    last.current = { before: text, after, added };
    const done = `Prompt inserted: /${name}`;
    setAnnouncement((said) => (said === done ? `${done}\u00a0` : done));
  };
  const insert = (file: PromptFileRow, args: string): void => {
    if (isFilling.current) return;
    isFilling.current = true;
    setProgress('Inserting the prompt…');
    void fillIn(file, args).finally(() => {
      isFilling.current = false;
      setProgress(undefined);
    });
  };
  // What was typed since is to be sent by another Enter.
  useLayoutEffect(
    () => () => {
      if (awaited.current === undefined) return;
      awaited.current = undefined;
      setProgress(undefined);
    },
    [text, page.sessionId],
  );
  const written = isWanted ? callIn(text, listed) : undefined;
  return {
    files: withoutAgentCommands(listed, commands),
    written,
    insert,
    insertOr: (send) => {
      const { text } = composerDraft.draft;
      const go = (call: PromptFileCall | undefined): void => (call ? insert(call.file, call.args) : send());
      const name = /^\/(\S+)/.exec(text)?.[1];
      const isKnown = name === undefined || composerDraft.isPlain || commands.some((command) => command.name === name);
      if (!listing.current || isKnown) {
        go(written);
        return;
      }
      if (awaited.current !== undefined) return;
      const mine = (awaited.current = Symbol());
      setProgress('Looking for prompt files…');
      const tooLate = new Promise<undefined>((resolve) => window.setTimeout(resolve, maxListMs));
      void Promise.race([listing.current, tooLate]).then((files = []) => {
        if (awaited.current !== mine) return;
        awaited.current = undefined;
        setProgress(undefined);
        go(callIn(text, files));
      });
    },
    undo: () => {
      const { current: done } = last;
      if (done?.after !== composerDraft.draft.text) return false;
      last.current = undefined;
      for (const { id } of done.added) composerDraft.removeAttachment(id);
      replaceText(done.before, false);
      return true;
    },
    progress,
    announcement: progress ?? announcement,
  };
}
