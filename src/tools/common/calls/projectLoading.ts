import { LanguageServerTimeoutError, type FilePosition } from '../languagePort';
import type { ToolPorts } from '../toolPorts';

/**
 * Waits until the language server has read the project of a file. Returns whether it has, as far as known. While it reads, VS
 * Code's TypeScript answers most questions from open files only, without saying so. It answers this one afterwards.
 */
export async function waitForProject(
  at: FilePosition,
  { language }: Pick<ToolPorts, 'language'>,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await language.callItemsAt(at, signal);
    return true;
  } catch (error) {
    signal.throwIfAborted();
    return !(error instanceof LanguageServerTimeoutError);
  }
}
