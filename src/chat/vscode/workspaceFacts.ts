import * as vscode from 'vscode';
import type { MentionRow } from '../common/chatView';
import type { Mentions } from '../common/mentions/mentions';
import type { WorkspaceFacts } from '../common/page/starters';
import { listOpenFiles } from '../../platform/vscode/openFiles';

const testFiles = '{**/*.test.*,**/*.spec.*,**/*_test.*,**/test_*.py}';
const foldersWithoutTests = '{**/node_modules/**,**/.git/**,**/dist/**,**/out/**}';

interface FactSources {
  readonly mentions: Pick<Mentions, 'search'>;
  readonly rowsForDrop: (uris: readonly string[]) => Promise<MentionRow[]>;
}

/** Collects facts about the workspace for the suggested prompts. A source that fails is left out. Never rejects. */
export async function collectWorkspaceFacts(sources: FactSources, signal: AbortSignal): Promise<WorkspaceFacts> {
  const { mentions, rowsForDrop } = sources;
  const firstOf = async (kind: 'problems' | 'git'): Promise<MentionRow | undefined> =>
    (await mentions.search('', kind, signal).catch(() => []))[0];
  const [activeFile] = listOpenFiles();
  const [problems, changes, [file], tests] = await Promise.all([
    firstOf('problems'),
    firstOf('git'),
    activeFile === undefined ? [] : rowsForDrop([activeFile]).catch(() => []),
    Promise.resolve(vscode.workspace.findFiles(testFiles, foldersWithoutTests, 1)).catch(() => []),
  ]);
  return { problems, changes, file, hasTests: tests.length > 0 };
}
