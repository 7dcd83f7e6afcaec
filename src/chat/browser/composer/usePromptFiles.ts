import { useEffect, useRef, useState } from 'preact/hooks';
import type { Draft, PromptFileRow } from '../../common/chatView';
import { chatRequests } from '../../common/page/chatApi';
import { promptFileInText, withoutAgentCommands } from '../../common/prompts/agentCommands';
import { usePage } from '../chatPageContext';
import { useAgentCommands } from './useSuggestions';

interface PromptFileChoice {
  /** The files that can be chosen, without those that the agent lists itself. */
  readonly files: readonly PromptFileRow[];
  /** The file whose name the composer's text begins with, and the arguments after it. */
  readonly written: { readonly file: PromptFileRow; readonly args: string } | undefined;
  /** Resolves to the text of the file. Undefined if the user cancels, if it can't be used, or while another one is filled in. */
  readonly fill: (file: PromptFileRow, args: string) => Promise<Draft | undefined>;
}

/** Lists the prompt files anew each time when the user begins the text with `/`. */
export function usePromptFiles(text: string): PromptFileChoice {
  const page = usePage();
  const commands = useAgentCommands();
  const [listed, setListed] = useState<readonly PromptFileRow[]>([]);
  const isFilling = useRef(false);
  const isWanted = text.startsWith('/');
  useEffect(() => {
    if (!isWanted) return undefined;
    let isOver = false;
    void page.request(chatRequests.promptFiles, {}).then((answer) => {
      if (!isOver && answer) setListed(answer.files);
    });
    return () => void (isOver = true);
  }, [page, isWanted]);
  const files = withoutAgentCommands(listed, commands);
  return {
    files,
    written: isWanted ? promptFileInText(text, files) : undefined,
    fill: async ({ id }, args) => {
      if (isFilling.current) return undefined;
      isFilling.current = true;
      try {
        page.store.clearProblems();
        return (await page.request(chatRequests.fillPromptFile, { id, args }))?.filled;
      } finally {
        isFilling.current = false;
      }
    },
  };
}
