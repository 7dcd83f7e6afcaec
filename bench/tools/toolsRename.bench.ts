/**
 * The first call of `rename` after VS Code has started, for a function that 200 TypeScript files import, each with the same
 * word in a string, a comment and a member. `tools.rename.right`: percent of the files that are exactly right afterwards,
 * against a replacement of the whole word. The text of the answer and its seconds go to stderr.
 */
import { runInVsCode } from '../lib/inVsCode';
import { createRenameWorkspace } from '../lib/tools/renameWorkspace';

void runInVsCode('toolsRename', createRenameWorkspace().files);
