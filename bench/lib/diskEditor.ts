import { readFileSync, statSync } from 'node:fs';
import type { TextFile } from '../../src/editor/common/editorPort';
import { FakeEditor } from '../../test/fake/fakeEditor';

/** An editor over the disk: each request asks the disk for the file's state, and reads it anew when that has changed. */
export class DiskEditor extends FakeEditor {
  private readonly texts = new Map<string, TextFile>();

  override readText(path: string): Promise<TextFile> {
    const { mtimeMs, ctimeMs, size, ino } = statSync(path);
    const version = `${mtimeMs}-${ctimeMs}-${size}-${ino}`;
    let file = this.texts.get(path);
    if (file?.version !== version) {
      file = { path, text: readFileSync(path, 'utf8'), version, isDirty: false };
      this.texts.set(path, file);
    }
    return Promise.resolve(file);
  }
}
