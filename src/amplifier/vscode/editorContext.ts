import type { EditorPort } from '../../editor/common/editorPort';
import { ContextCollector } from '../common/contextCollector';
import type { ContextSwitches } from '../common/contextSwitches';
import { gitStateOf } from './gitState';
import { languageOf, openDocuments } from './openDocuments';

/** What of this window an Amplifier server is told: tabs, documents and Git of VS Code, through the editor port. */
export function editorContext(editor: EditorPort, switches: ContextSwitches): ContextCollector {
  return new ContextCollector({
    editor,
    openDocuments,
    languageOf,
    gitState: async () => {
      const [folder] = editor.folders;
      return folder ? gitStateOf(folder.path) : undefined;
    },
    switches,
  });
}
