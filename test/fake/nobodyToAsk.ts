import { ProtectedEditDesk } from '../../src/amp/common/protectedEditDesk';
import { nullLogger } from '../../src/base/common/log';
import type { EditorPort } from '../../src/editor/common/editorPort';
import { FakeClock } from './fakeClock';

/** A desk whose user never answers. */
export function nobodyToAsk(editor: EditorPort): ProtectedEditDesk {
  return new ProtectedEditDesk({
    editor,
    clock: new FakeClock(),
    log: nullLogger,
    ask: () => new Promise(() => undefined),
    tellWritten: () => undefined,
  });
}
