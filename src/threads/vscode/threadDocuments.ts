import * as vscode from 'vscode';
import * as z from 'zod';
import { namingHiddenCharacters } from '../../base/common/hiddenCharacters';
import { textSchemes } from '../../manifest';
import { textUri } from '../../platform/vscode/readOnlyTexts';
import { diffTexts } from '../common/page/diffTexts';
import type { OpenThread, ThreadSource } from '../common/threadPorts';

const Query = z.object({
  thread: z.string(),
  entry: z.string(),
  /** The sides of the diff with that index, or else what the entry was made of. */
  diff: z.object({ part: z.number(), side: z.enum(['before', 'after']) }).optional(),
});
type Query = z.infer<typeof Query>;

/** Read-only texts that are made of a thread when an editor shows them, also after the window was loaded again. */
export class ThreadDocuments {
  constructor(private readonly threads: Pick<ThreadSource, 'read' | 'rawJson'>) {}

  async showRaw(threadId: string, entryId: string): Promise<void> {
    const name = `${threadId}-${entryId}`.replace(/[^\w.-]+/g, '-');
    const uri = uriOf(`${name}.json`, { thread: threadId, entry: entryId });
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  /** `part` is the index of a diff in the entry's parts. @throws ThreadError; Error when there is none */
  async showDiff(threadId: string, entryId: string, part: number): Promise<void> {
    const { path } = diffPart(await this.threads.read(threadId), entryId, part);
    const side = (name: 'before' | 'after'): vscode.Uri =>
      uriOf(path, { thread: threadId, entry: entryId, diff: { part, side: name } });
    const title = `${namingHiddenCharacters(vscode.workspace.asRelativePath(path))} (change of the thread)`;
    await vscode.commands.executeCommand('vscode.diff', side('before'), side('after'), title, { preview: true });
  }

  /** Of the document with that query. @throws ThreadError; Error when it is not there */
  async textOf(query: string): Promise<string> {
    const { thread, entry, diff } = Query.parse(JSON.parse(query));
    if (!diff) return (await this.threads.rawJson(thread, entry)) ?? 'This block is no longer in the thread.';
    return diffTexts(diffPart(await this.threads.read(thread), entry, diff.part))[diff.side];
  }
}

function uriOf(path: string, query: Query): vscode.Uri {
  return textUri(textSchemes.thread, path, JSON.stringify(query));
}

function diffPart({ entries }: OpenThread, entryId: string, index: number) {
  const entry = entries.find(({ id }) => id === entryId);
  const parts = entry?.kind === 'tool' ? entry.parts : entry?.kind === 'media' ? [entry.part] : [];
  const part = parts[index];
  if (part?.type !== 'diff') throw new Error('This change is no longer in the thread.');
  return part;
}
