import type { Clock } from '../../base/common/async';
import type { EditorPort } from '../../editor/common/editorPort';
import type { LanguageEditPort } from './languageEditPort';
import type { LanguagePort } from './languagePort';
import type { TaskPort } from './taskPort';
import type { TestPort } from './testPort';
import type { TextSearch } from './search/textSearch';
import type { WindowPort } from './windowPort';

export interface ToolPorts {
  readonly editor: Pick<
    EditorPort,
    | 'folders'
    | 'resolve'
    | 'realPathOf'
    | 'readText'
    | 'stat'
    | 'diagnostics'
    | 'activeSelection'
    | 'open'
    | 'showDiff'
    | 'protectionOf'
    | 'requireWritable'
    | 'writeText'
    | 'editFiles'
  >;
  readonly language: LanguagePort;
  readonly languageEdits: LanguageEditPort;
  readonly search: TextSearch;
  readonly tasks: TaskPort;
  readonly tests: TestPort;
  readonly window: WindowPort;
  readonly clock: Clock;
}

/** Maximum size in bytes of a file whose code tools read. */
export const maxCodeBytes = 4 * 1_024 * 1_024;
