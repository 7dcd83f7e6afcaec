import { readFile } from 'node:fs/promises';
import path from 'node:path';
import * as vscode from 'vscode';
import { benchLineOf } from '../lib/benchLine';
import { createRenameWorkspace } from '../lib/tools/renameWorkspace';
import { runBench, withTools } from './support/inHost';

export async function run(): Promise<void> {
  await runBench(async (print) => {
    const { files, newName, path: file, renamed, symbol } = createRenameWorkspace();
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    if (folder === undefined) throw new Error('There is no folder.');
    await withTools(async ({ call }) => {
      const startedAtMs = performance.now();
      const answer = await call('rename', { path: file, symbol, new_name: newName });
      print(`${Math.round(performance.now() - startedAtMs)} ms: ${answer.split('\n', 1).join()}`);
    });
    const word = new RegExp(String.raw`\b${symbol}\b`, 'g');
    let [ours, byWord] = [0, 0];
    for (const [name, text] of renamed) {
      if ((await readFile(path.join(folder, name), 'utf8')) === text) ours++;
      if (files.get(name)?.replace(word, newName) === text) byWord++;
    }
    const percentOf = (count: number): number => (100 * count) / renamed.size;
    print(
      benchLineOf({
        bench: 'tools.rename.right',
        value: percentOf(ours),
        unit: '% right',
        peer: { name: 'replacing the word', value: percentOf(byWord) },
        bar: 100,
        barOf: 'value',
        better: 'higher',
      }),
    );
  });
}
