import type { UndoWrites } from '../../../../src/chat/common/writes/undoWrites';

/** There are no other conversations. */
export const untoldWrites: UndoWrites = {
  ofText: (_path, _text, write) => write(),
  ofStates: (_files, write) => write(),
};
