import * as vscode from 'vscode';
import * as z from 'zod';
import { showHiddenCharacters } from '../../base/common/text/hiddenCharacters';
import { textSchemes } from '../../manifest';
import { readOnlyTextUri } from '../../platform/vscode/readOnlyTexts';
import { textsBeforeAndAfter } from '../common/page/diffTexts';
import type { ThreadWithEntries, ThreadSource } from '../common/threadPorts';

const DocumentQuery = z.object({
  thread: z.string(),
  entry: z.string(),
  /** One side of a diff. `part`: index in the entry's parts. Without it, the document is the entry's JSON source. */
  diff: z.object({ part: z.number(), side: z.enum(['before', 'after']) }).optional(),
});
type DocumentQuery = z.infer<typeof DocumentQuery>;

/** Read-only documents with content of a thread. The content is read when an editor shows the document. */
export class ThreadDocuments {
  constructor(private readonly threadSource: Pick<ThreadSource, 'read' | 'rawJson'>) {}

  async showRaw(threadId: string, entryId: string): Promise<void> {
    const name = `${threadId}-${entryId}`.replace(/[^\w.-]+/g, '-');
    const uri = documentUri(`${name}.json`, { thread: threadId, entry: entryId });
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  /** Shows a diff. `part`: index in the entry's parts. @throws ThreadError; Error if there is no such diff */
  async showDiff(threadId: string, entryId: string, part: number): Promise<void> {
    const { path } = findDiff(await this.threadSource.read(threadId), entryId, part);
    const side = (name: 'before' | 'after'): vscode.Uri =>
      documentUri(path, { thread: threadId, entry: entryId, diff: { part, side: name } });
    const title = `${showHiddenCharacters(vscode.workspace.asRelativePath(path))} (changed in thread)`;
    await vscode.commands.executeCommand('vscode.diff', side('before'), side('after'), title, { preview: true });
  }

  /** Returns the text of the document with this query. @throws ThreadError; Error if it is missing */
  async textOf(query: string): Promise<string> {
    const { thread, entry, diff } = DocumentQuery.parse(JSON.parse(query));
    if (!diff) return (await this.threadSource.rawJson(thread, entry)) ?? 'This block is no longer in the thread.';
    return textsBeforeAndAfter(findDiff(await this.threadSource.read(thread), entry, diff.part))[diff.side];
  }
}

function documentUri(path: string, query: DocumentQuery): vscode.Uri {
  return readOnlyTextUri(textSchemes.thread, path, JSON.stringify(query));
}

function findDiff({ entries }: ThreadWithEntries, entryId: string, index: number) {
  const entry = entries.find(({ id }) => id === entryId);
  const parts = entry?.kind === 'tool' ? entry.parts : entry?.kind === 'media' ? [entry.part] : [];
  const part = parts[index];
  if (part?.type !== 'diff') throw new Error('This change is no longer in the thread.');
  return part;
}
