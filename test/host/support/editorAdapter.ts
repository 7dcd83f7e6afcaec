import { Emitter } from '../../../src/base/common/event';
import { nullLogger } from '../../../src/base/common/log';
import { systemClock } from '../../../src/base/node/systemClock';
import type { EditorErrorCode, TextEdit } from '../../../src/editor/common/editorPort';
import { ProtectedFiles } from '../../../src/editor/common/protection/protectedFiles';
import { VsCodeEditor } from '../../../src/editor/vscode/vscodeEditor';

/** An adapter of the test's own over the window it runs in, and the settings it goes by. Dispose it. */
export class AdapterUnderTest {
  exclude: readonly string[] = ['.env*'];
  trusted = true;
  readonly protectedFiles = new ProtectedFiles();
  readonly adapter: VsCodeEditor;
  private readonly excludeEmitter = new Emitter<void>((error) => {
    throw error;
  });

  constructor() {
    this.adapter = new VsCodeEditor({
      log: nullLogger,
      excludePatterns: () => this.exclude,
      onDidChangeExclude: this.excludeEmitter.event,
      protectedFiles: () => this.protectedFiles,
      isTrusted: () => this.trusted,
      clock: systemClock,
    });
    this.adapter.start();
  }

  changeExclude(...patterns: string[]): void {
    this.exclude = patterns;
    this.excludeEmitter.fire();
  }

  dispose(): void {
    this.adapter.dispose();
    this.excludeEmitter.dispose();
  }
}

/** What `assert.rejects` takes for an error of the port. */
export function editorError(code: EditorErrorCode): { name: string; code: EditorErrorCode } {
  return { name: 'EditorError', code };
}

/** An edit within one line. */
export function replace(line: number, from: number, to: number, newText: string): TextEdit {
  return { range: { start: { line, character: from }, end: { line, character: to } }, newText };
}
