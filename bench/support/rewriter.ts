import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { tellParent } from '../lib/child';

/** Replaces the file as Amp does, so often a second, for so long; what grows is its last message. Tells how often it did. */
export async function rewriteOften(file: string, perSecond: number, seconds: number): Promise<void> {
  const [head = '', tail = ''] = split(readFileSync(file, 'utf8'));
  const startedAt = performance.now();
  let writes = 0;
  for (; writes < perSecond * seconds; writes++) {
    await setTimeout(Math.max(0, startedAt + (writes * 1_000) / perSecond - performance.now()));
    writeFileSync(`${file}.amptmp`, `${head}${'more '.repeat(writes)}${tail}`);
    renameSync(`${file}.amptmp`, file);
  }
  tellParent({ writes, ms: performance.now() - startedAt });
}

/** In the last text of the thread. */
function split(content: string): readonly string[] {
  const at = content.lastIndexOf('"type": "text"');
  const text = content.indexOf('"text": "', at) + '"text": "'.length;
  return [content.slice(0, text), content.slice(text)];
}
