import { ProtectedEditApprovals } from '../../src/amp/common/protectedEditApprovals';
import { nullLogger } from '../../src/base/common/log';
import type { EditorPort } from '../../src/editor/common/editorPort';
import { FakeClock } from './fakeClock';

/** A desk whose user never answers. */
export function nobodyToAsk(editor: EditorPort): ProtectedEditApprovals {
  return new ProtectedEditApprovals({
    editor,
    clock: new FakeClock(),
    log: nullLogger,
    askUser: () => new Promise(() => undefined),
    reportWritten: () => undefined,
  });
}
