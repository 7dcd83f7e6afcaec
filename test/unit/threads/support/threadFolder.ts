import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import * as path from 'node:path';

/** A temporary home with a store of Amp in it, written as Amp writes. Whoever makes it removes it. */
export class ThreadFolder {
  private constructor(readonly home: string) {}

  static async make(): Promise<ThreadFolder> {
    const folder = new ThreadFolder(await mkdtemp(path.join(tmpdir(), 'backline-store-')));
    await mkdir(folder.threads, { recursive: true });
    return folder;
  }

  get data(): string {
    return path.join(this.home, '.local', 'share', 'amp');
  }

  get threads(): string {
    return path.join(this.data, 'threads');
  }

  file(id: string): string {
    return path.join(this.threads, `${id}.json`);
  }

  async put(id: string, document: unknown): Promise<void> {
    const file = this.file(id);
    await writeFile(`${file}.amptmp`, typeof document === 'string' ? document : JSON.stringify(document, undefined, 2));
    await rename(`${file}.amptmp`, file);
  }

  /** A worker or a command that was told to end may still write. */
  async remove(): Promise<void> {
    await rm(this.home, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
}

export const normalId = 'T-019be0a1-0000-7000-8000-000000000001';
export const slowId = 'T-019be0a1-0000-7000-8000-000000000002';

export async function fixtureText(name: string): Promise<string> {
  return readFile(path.join(process.cwd(), 'test/fixtures/threads', name), 'utf8');
}

/** Of `messageCount` messages: prompts and answers in turn. */
export function thread(id: string, messageCount: number, more: Record<string, unknown> = {}): Record<string, unknown> {
  const messages = Array.from({ length: messageCount }, (_item, index) =>
    index % 2 === 0
      ? { role: 'user', messageId: index, content: [{ type: 'text', text: `Prompt ${index}` }] }
      : {
          role: 'assistant',
          messageId: index,
          state: { type: 'complete', stopReason: 'end_turn' },
          content: [{ type: 'text', text: `Answer ${index}` }],
        },
  );
  return { v: messageCount, id, created: 1_769_000_000_000, title: `Thread ${messageCount}`, ...more, messages };
}
