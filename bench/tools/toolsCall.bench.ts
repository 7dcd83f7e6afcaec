/**
 * Milliseconds of the tools `outline` and `hover` over MCP, against the bare command of VS Code with the same file and
 * position, one after the other in the same extension host.
 */
import { runInVsCode } from '../lib/inVsCode';

void runInVsCode('toolsCall');
