import { LanguageServerTimeoutError, type FilePosition } from '../languagePort';
import type { ToolPorts } from '../toolPorts';

/**
 * Waits until the language server has loaded a file's project. Returns false after a time-out. While the project loads, VS
 * Code's TypeScript server answers most queries from open files only, without reporting that. It answers this query afterwards.
 */
export async function waitUntilProjectLoaded(
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
